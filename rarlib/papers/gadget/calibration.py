"""How close each reading of GADGET's evaluation comes to the published figures."""

from collections.abc import Mapping

import pandas as pd

from rarlib.plot.frames import pick

_BASELINES = ("drf", "las", "fifo")
_SERVED = ("of the sum of λ1", "active jobs served", "of these not placed by Alg. 2")
PUBLISHED_NAME = {"gadget": "GADGET", "drf": "DRF", "las": "Tiresias", "fifo": "FIFO"}


def _published(published: pd.DataFrame, where: str) -> "pd.Series[float]":
    rows = published[(published["paper"] == "gadget") & (published["where"] == where)]
    keys = [rows["series"], rows["x"].str.removeprefix("jobs=").astype(float)]
    return pd.Series(
        rows["value"].astype(float).to_numpy(), index=pd.MultiIndex.from_arrays(keys, names=["series", "x"])
    )


def _utility(rows: pd.DataFrame) -> pd.DataFrame:
    """Total utility: a row per seed, a column per policy."""
    return rows[rows["metric"] == "utility"].pivot_table(index="seed", columns="scheduler", values="value")


def utility_ratios(fig4: pd.DataFrame, calibration: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Utility of GADGET over that of each baseline at the largest number of jobs, by reading.

    A policy that a reading was not run for enters with its headline run on the same instances.

    Returns:
        A row per reading, columns (baseline, mean or std, the standard deviation); the last row, `published`, holds the
        published ratios.
    """
    jobs = fig4["x"].max()
    rows = pd.concat([fig4, calibration])
    rows = rows[rows["x"] == jobs]
    headline = _utility(rows[rows["reading"] == "headline"])
    table = {}
    for reading in rows["reading"].unique():
        utility = _utility(rows[rows["reading"] == reading]).combine_first(headline)
        share = pd.DataFrame({name: utility["gadget"] / utility[name] for name in _BASELINES})
        table[reading] = {(name, how): getattr(share[name], how)() for name in _BASELINES for how in ("mean", "std")}
    values = _published(published, "Fig. 4")
    if ("GADGET", jobs) in values.index:
        table["published"] = {
            (name, "mean"): values["GADGET", jobs] / values[PUBLISHED_NAME[name], jobs] for name in _BASELINES
        }
    return pd.DataFrame(table).T


def ratios_by_jobs(fig4: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Utility of GADGET, and of GADGET + fill, over that of each baseline on the same instance, mean by jobs.

    Returns:
        A row per number of jobs, columns (series, baseline); series `published` has the ratios of the paper.
    """
    headline = pick(fig4, metric="utility", reading="headline")
    ours = {
        "GADGET": pick(headline, scheduler="gadget"),
        "GADGET + fill": pick(fig4, metric="utility", reading="fill", scheduler="gadget"),
    }
    keys = ["x", "seed"]
    table: dict[tuple[str, str], pd.Series[float]] = {}
    for name, rows in ours.items():
        above = rows.set_index(keys)["value"]
        for other in _BASELINES:
            below = pick(headline, scheduler=other).set_index(keys)["value"]
            table[name, other] = (above / below).groupby("x").mean()
    printed = _published(published, "Fig. 4").unstack("series")
    for other in _BASELINES:
        table["published", other] = printed["GADGET"] / printed[PUBLISHED_NAME[other]]
    return pd.DataFrame(table)


def served(fig4: pd.DataFrame) -> pd.DataFrame:
    """What GADGET comes to with and without fill, percent: a row per series, means over all runs."""
    rows: dict[str, dict[str, float]] = {}
    for name, reading in (("GADGET", "headline"), ("GADGET + fill", "fill")):
        of = pick(fig4, reading=reading, scheduler="gadget").groupby("metric")["value"].mean().to_dict()
        shares = (100 * of["of_ceiling"], of["embedded"], of["filled"])
        rows[name] = dict(zip(_SERVED, shares, strict=True))
    return pd.DataFrame(rows).T


def embedded_ratios(frame: pd.DataFrame, published: pd.DataFrame, where: str, within: float = 5.0) -> pd.DataFrame:
    """Embedded ratios of Fig. 5 or 6, percent, by reading and factor, and how many are near the published ones.

    Args:
        frame: tidy rows of the figure.
        published: the published numbers.
        where: name of the figure in the published numbers.
        within: what counts as near, percentage points.
    """
    embedded = pick(frame, metric="embedded")
    ours = embedded.groupby(["reading", "setup", "x"], sort=False)["value"].mean().unstack("x")
    theirs = _published(published, where).unstack()
    theirs.index = theirs.index.str.removeprefix("factor=")
    theirs = theirs.reindex(index=ours.index.get_level_values("setup"), columns=ours.columns).set_axis(ours.index)
    near = (ours - theirs).abs().le(within).sum(axis=1).groupby("reading").sum()
    known = theirs.notna().sum(axis=1).groupby("reading").sum()
    counted = [f"{near[r]} of {known[r]}" for r in ours.index.get_level_values("reading")]
    return ours.assign(**{f"within {within:g} points": counted}).set_index(f"within {within:g} points", append=True)


def published_distances(tables: Mapping[str, pd.DataFrame], published: pd.DataFrame) -> pd.DataFrame:
    """Mean distance of embedded ratios from the published ones, percentage points, by figure and reading.

    Args:
        tables: tidy rows by the name of the figure, `Fig. 5` and `Fig. 6`.
        published: the published numbers.
    """
    parts = []
    for where, frame in tables.items():
        ours = frame[frame["metric"] == "embedded"].groupby(["reading", "setup", "x"])["value"].mean().reset_index()
        theirs = _published(published, where).rename("published").reset_index()
        theirs["setup"] = theirs["series"].str.removeprefix("factor=")
        gap = ours.merge(theirs, on=["setup", "x"])
        gap["bias"] = gap["value"] - gap["published"]
        parts.append(gap.assign(figure=where, distance=gap["bias"].abs()))
    return pd.concat(parts).groupby(["figure", "reading"])[["distance", "bias"]].mean()


def guarantee_table(theory: pd.DataFrame, fig7: pd.DataFrame) -> pd.DataFrame:
    """Each guarantee on each instance, in long form: the measured ratio and the bound that it must reach.

    Fig. 7 enters with its reading `batch-smooth` (all jobs arrive in the first slot, smooth sigmoids), in which the
    most jobs compete for a slot.
    """
    wide = theory.pivot_table(index="seed", columns="metric", values="value")
    crowded = fig7[(fig7["metric"] == "ratio") & (fig7["reading"] == "batch-smooth")]
    rounded = crowded.groupby("seed")["value"].min()
    parts = {
        "Thm. 6: greedy / optimum": (wide["theorem6_ratio"], 1 / 2),
        "Thm. 10: GADGET / optimum": (wide["theorem10_ratio"], 1 / (3 * wide["gamma"] + 1)),
        "Lemma 7: sizes kept / optimum": (wide["lemma7_ratio"], 1 / wide["gamma"]),
        "Thm. 8: vanilla mean / LP": (wide["vanilla_over_lp"], 1 / 3),
        "Fig. 7: rounded / optimum": (rounded, 1 / 3),
    }
    return pd.concat(
        [pd.DataFrame({"guarantee": name, "ratio": ratio, "bound": bound}) for name, (ratio, bound) in parts.items()]
    )
