"""How close each reading of GADGET's evaluation comes to the published figures."""

from collections.abc import Mapping

import pandas as pd

_BASELINES = ("drf", "las", "fifo")
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

    A reading that does not affect a policy is not run for it; its headline run on the same instances is used instead.

    Returns:
        A row per reading, columns (baseline, mean or std, the standard deviation); the last row, `published`, holds the
        published ratios.
    """
    jobs = fig4["x"].max()
    headline = _utility(fig4[fig4["x"] == jobs])
    table = {}
    for reading in ["headline", *calibration["reading"].unique()]:
        rows = calibration[(calibration["x"] == jobs) & (calibration["reading"] == reading)]
        utility = _utility(rows).combine_first(headline)
        share = pd.DataFrame({name: utility["gadget"] / utility[name] for name in _BASELINES})
        table[reading] = {(name, how): getattr(share[name], how)() for name in _BASELINES for how in ("mean", "std")}
    values = _published(published, "Fig. 4")
    if ("GADGET", jobs) in values.index:
        table["published"] = {
            (name, "mean"): values["GADGET", jobs] / values[PUBLISHED_NAME[name], jobs] for name in _BASELINES
        }
    return pd.DataFrame(table).T


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
