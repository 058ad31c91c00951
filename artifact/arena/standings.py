"""Tables behind the arena's figures: standings, what a factor costs, distances from the bounds, levels of the map.

All are computed from tidy rows, with the comparisons of `rarlib.comparison.statistics`. A scheduler that has run fewer
windows than others is compared on the windows that it has run.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from artifact.arena.metrics import HOUR
from rarlib.comparison.statistics import (
    ORDERED,
    SETTING_COLUMNS,
    WINDOW,
    ascending,
    compare_schedulers,
    order_robustness,
    winners,
    with_factors,
)
from rarlib.model.errors import InputError
from rarlib.records.waiting import TURNAROUND_PARTS

OWN = "concert"
"""Our own scheduler, which no paper has published: the map shows it beside the others, not among them."""

_BOUNDS = "bounds"
"""Value of the column `scheduler` for bounds, which are proven for every schedule."""

AXES = ("setup", "cluster", "load", "contention", "restart", "error", "knowledge")
"""Factors of the map: the trace, those of `reading`, and the load."""

OFF = "off"
"""Level of the factor `contention` that means none."""

SUMMARY = ("mean_jct", "makespan", "gpu_hours", "restarts")


def per_window(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Rows of a metric for single windows, without the bounds."""
    rows = frame[(frame["metric"] == metric) & (frame["scheduler"] != _BOUNDS)]
    if rows.empty:
        raise InputError(f"no rows of {metric} by window", field="metric")
    return rows


def at_base(frame: pd.DataFrame) -> pd.DataFrame:
    """Rows of the settings that differ from the first one of the table in the trace only."""
    first = per_window(frame, "mean_jct").iloc[0]
    return frame[(frame["reading"] == first["reading"]) & (frame["x"] == first["x"])]


def standings(frame: pd.DataFrame) -> pd.DataFrame:
    """Every scheduler of every setting against the best one there, by mean JCT.

    The best has the smallest geometric mean over all windows. A rank is one more than the number of schedulers with all
    windows and a smaller ratio. So a scheduler that is not `whole` gets the rank it would have, and changes no other.

    Returns:
        Columns of `SETTING_COLUMNS`, scheduler, value (geometric mean over its windows), windows (their number), whole
        (has all of them), best (name of the best scheduler), ratio, low, high (to the best, on the same windows), close
        (not distinguishable from the best; for the best itself: whether any other scheduler is close), rank. Settings
        in order of appearance, schedulers by name.
    """
    settings = per_window(frame, "mean_jct").groupby(list(SETTING_COLUMNS), sort=False)
    return pd.concat([_standing(group) for _, group in settings], ignore_index=True)


def _standing(group: pd.DataFrame) -> pd.DataFrame:
    wide = group.pivot_table(index=list(WINDOW), columns="scheduler", values="value").apply(np.log)
    counts = wide.count()
    whole = counts == counts.max()
    best = str(wide.loc[:, whole].mean().idxmin())
    found = {best: (1.0, 1.0, 1.0, False)}
    window = group.set_index(list(WINDOW)).index
    for names in [list(wide.columns[whole]), *([name, best] for name in wide.columns[~whole])]:
        here = window.isin(wide.index[wide[names].notna().all(axis=1)]) & group["scheduler"].isin(names)
        pairs = compare_schedulers(group[here], "mean_jct")
        for row in pairs[pairs["rival"] == best].to_dict("records"):
            found[row["scheduler"]] = (row["ratio"], row["low"], row["high"], not row["distinguishable"])
    if any(close for *_, close in found.values()):
        found[best] = (1.0, 1.0, 1.0, True)
    ends = pd.DataFrame.from_dict(found, orient="index", columns=["ratio", "low", "high", "close"])
    table = pd.DataFrame({"value": wide.mean().apply(np.exp), "windows": counts, "whole": whole}).assign(best=best)
    table = table.join(ends)
    others = table.loc[table["whole"], "ratio"].to_numpy()
    table["rank"] = [1 + int((others < ratio).sum()) for ratio in table["ratio"]]
    key = {name: group[name].iloc[0] for name in SETTING_COLUMNS}
    return table.rename_axis("scheduler").reset_index().assign(**key)[[*SETTING_COLUMNS, "scheduler", *table.columns]]


def by_rank(table: pd.DataFrame) -> list[str]:
    """Schedulers by mean rank over the settings they have run, then by mean ratio, then by name."""
    means = table.groupby("scheduler")[["rank", "ratio"]].mean()
    return [str(name) for name in means.sort_values(["rank", "ratio"], kind="stable").index]


def factor_cost(frame: pd.DataFrame, factor: str, against: str) -> pd.DataFrame:
    """What a factor costs each scheduler: mean JCT at each of its levels over that at one of them, all else equal.

    Returns:
        Columns cluster, scheduler, `factor`, windows, ratio, low, high; over all settings of a cluster that the
        scheduler has run at both levels. Empty if there are none.
    """
    rows = with_factors(per_window(frame, "mean_jct"))
    rows = rows.assign(member=rows["scheduler"], scheduler=rows[factor])
    rest = [name for name in AXES if name != factor] + ["member"]
    columns = ["cluster", "member", "scheduler", "rival", "windows", "ratio", "low", "high"]
    found = [pd.DataFrame(columns=columns)]
    for level in sorted(set(rows[factor]) - {against}, key=ascending if factor in ORDERED else None):
        pair = rows[rows[factor].isin([against, level])]
        pair = pair[pair.groupby([*rest, "seed"])[factor].transform("nunique") == 2]
        if not pair.empty:
            table = compare_schedulers(pair, "mean_jct", ["cluster", "member"])
            found.append(table[table["rival"] == against])
    table = pd.concat(found[1:] or found).rename(columns={"scheduler": factor, "member": "scheduler"})
    return table[["cluster", "scheduler", factor, "windows", "ratio", "low", "high"]].reset_index(drop=True)


def on_equal_terms(frame: pd.DataFrame) -> pd.DataFrame:
    """Every scheduler against the best one at the base setting of all traces together, for each level of knowledge.

    Windows are drawn trace by trace, and every trace has the same weight. A pair is compared where both have run; the
    best is that of the schedulers that have run most windows.

    Returns:
        Indexed by knowledge and scheduler, best first: ratio, low, high, close, windows.
    """
    rows = with_factors(per_window(frame, "mean_jct"))
    base = base_of(frame)
    rest = [name for name in AXES if name not in ("setup", "knowledge")]
    rows = rows[np.logical_and.reduce([rows[name] == base[name] for name in rest])]
    found = []
    for level, group in rows.groupby("knowledge", sort=False):
        logs = group.assign(value=np.log(group["value"]))
        mean, count = (
            logs.groupby(["scheduler", "setup"])["value"].mean().groupby("scheduler").mean(),
            logs["scheduler"].value_counts(),
        )
        best = str(mean[count == count.max()].idxmin())
        for name in count.index:
            ratio, low, high, close = 1.0, 1.0, 1.0, False
            met = group[group["scheduler"].isin([best, name])]
            met = met[met.groupby(list(WINDOW))["scheduler"].transform("nunique") == 2]
            if name != best and not met.empty:
                pair = compare_schedulers(met, "mean_jct", ["experiment"], strata=True)
                (row,) = pair[pair["scheduler"] == name].to_dict("records")
                ratio, low, high, close = row["ratio"], row["low"], row["high"], not row["distinguishable"]
            found.append((level, str(name), ratio, low, high, close, int(count[name])))
    table = pd.DataFrame(found, columns=["knowledge", "scheduler", "ratio", "low", "high", "close", "windows"])
    table["place"] = table["knowledge"].map({level: n for n, level in enumerate(dict.fromkeys(table["knowledge"]))})
    table = table.sort_values(["place", "ratio", "scheduler"], kind="stable").drop(columns="place")
    return table.set_index(["knowledge", "scheduler"])


def misled(table: pd.DataFrame) -> pd.DataFrame:
    """What it costs to choose the scheduler as if there were no contention.

    Returns:
        Columns setup, cluster, load, restart, error, knowledge, contention, chosen (best without contention), best
        (with it), ratio, low, high, close (of the chosen to the best, with contention).
    """
    rest = [name for name in AXES if name != "contention"]
    known = with_factors(table)
    chosen = known[(known["contention"] == OFF) & (known["scheduler"] == known["best"])]
    met = chosen[[*rest, "best"]].rename(columns={"best": "scheduler"}).merge(known[known["contention"] != OFF])
    names = [*rest, "contention", "scheduler", "best", "ratio", "low", "high", "close"]
    return met[names].rename(columns={"scheduler": "chosen"})


def over_bound(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean JCT split into its `TURNAROUND_PARTS`, each over the proven bound on the mean JCT of the same window.

    Returns:
        A row per scheduler, a column per part: means over the windows of each trace, then over traces.
    """
    rows = frame[frame["metric"].isin(list(TURNAROUND_PARTS))]
    wide = rows.pivot_table(index=["setup", "seed", "scheduler"], columns="metric", values="value", sort=False) / HOUR
    proven = frame[(frame["scheduler"] == _BOUNDS) & (frame["metric"] == "bound_mean_jct")]
    bounds = proven.set_index(["setup", "seed"])["value"].rename("bound")
    ratios = wide.div(wide.join(bounds)["bound"], axis=0)[list(TURNAROUND_PARTS)]
    return ratios.groupby(["setup", "scheduler"]).mean().groupby("scheduler").mean()


def setting_summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Per setting and scheduler: means over windows, spread, proven bound and distance from it.

    Returns:
        Columns of `SETTING_COLUMNS`, scheduler, windows, mean_jct, spread (standard deviation over windows), makespan,
        gpu_hours, restarts, bound (on the mean JCT, of the same windows; NaN: none is known), gap (mean over windows
        of mean JCT over bound, minus 1).
    """
    keys = [*SETTING_COLUMNS, "seed"]
    rows = frame[frame["metric"].isin(SUMMARY) & (frame["scheduler"] != _BOUNDS)]
    wide = rows.pivot_table(index=[*keys, "scheduler"], columns="metric", values="value", sort=False).reset_index()
    bounds = frame[(frame["scheduler"] == _BOUNDS) & (frame["metric"] == "bound_mean_jct")]
    # The settings are the same; the column experiment may be another part's.
    wide = wide.merge(bounds[[*keys, "value"]].rename(columns={"value": "bound"}), how="left", on=keys)
    wide["gap"] = wide["mean_jct"] / wide["bound"] - 1.0
    grouped = wide.groupby([*SETTING_COLUMNS, "scheduler"], sort=False)
    table = grouped[[*SUMMARY, "bound", "gap"]].mean()
    table.insert(0, "windows", grouped.size())
    table.insert(2, "spread", grouped["mean_jct"].std())
    return table.reset_index()


def levels_of(frame: pd.DataFrame) -> dict[str, list[str]]:
    """Factor of the map -> its levels: ascending where they have an order, else as they appear; the base's is first."""
    rows = with_factors(per_window(frame, "mean_jct"))
    known = {name: [str(level) for level in dict.fromkeys(rows[name])] for name in AXES}
    return {name: sorted(known[name], key=ascending) if name in ORDERED else known[name] for name in AXES}


def base_of(frame: pd.DataFrame) -> dict[str, str]:
    """Factor of the map -> its level in the first setting of the table."""
    first = with_factors(per_window(frame, "mean_jct").head(1)).iloc[0]
    return {name: str(first[name]) for name in AXES}


def on_map(frame: pd.DataFrame) -> pd.DataFrame:
    """Every scheduler against every other (`compare_schedulers`), in settings identified by `AXES`."""
    return compare_schedulers(with_factors(per_window(frame, "mean_jct")), "mean_jct", AXES)


def flips(frame: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    """For each order of two schedulers, whether it holds on the whole map and where it flips (`order_robustness`)."""
    axes = {name: levels if name in ORDERED else set(levels) for name, levels in levels_of(frame).items()}
    return order_robustness(compared, axes, base_of(frame))


class RobustnessMap(NamedTuple):
    """Who wins where, our own scheduler (`OWN`) left out.

    Attributes:
        places: the winner of every setting (`winners`).
        windows: the winner of every window at the base setting of its trace.
        margin: mean JCT of our own scheduler over the winner's, a value per setting that it has run.
    """

    places: pd.DataFrame
    windows: pd.DataFrame
    margin: "pd.Series[float]"


def map_of(frame: pd.DataFrame) -> RobustnessMap:
    """The map of the settings that tidy rows hold."""
    compared, base = on_map(frame), per_window(at_base(frame), "mean_jct")
    single = compare_schedulers(base.assign(window=base["seed"].astype(str)), "mean_jct", ["setup", "window"])
    places, windows = winners(_published(compared), AXES), winners(_published(single), ["setup", "window"])
    best = places.rename(columns={"winner": "rival"})[[*AXES, "rival"]]
    margin = compared[compared["scheduler"] == OWN].merge(best, on=[*AXES, "rival"])["ratio"]
    return RobustnessMap(places, windows, margin)


def _published(compared: pd.DataFrame) -> pd.DataFrame:
    return compared[(compared["scheduler"] != OWN) & (compared["rival"] != OWN)]


def standins(audit: pd.DataFrame) -> list[str]:
    """Traces whose windows come from a stand-in, according to the audit."""
    rows = audit[(audit["metric"] == "standin") & (audit["value"] > 0.0)]
    return [str(trace) for trace in dict.fromkeys(rows["setup"])]


def audit_table(audit: pd.DataFrame) -> pd.DataFrame:
    """The audit with a row per trace, cluster and window and a column per quantity."""
    rows = audit[audit["seed"] != 0]
    wide = rows.pivot_table(index=["setup", "reading", "seed"], columns="metric", values="value", sort=False)
    return wide.rename_axis(index=["trace", "cluster", "window"], columns=None)
