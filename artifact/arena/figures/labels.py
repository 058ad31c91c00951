"""Labels of settings in the arena's figures, and marks for means over fewer windows than others."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

from rarlib.comparison.statistics import SETTING_FACTORS

_TRACES = {
    "philly-pollux": "Philly",
    "sia-philly": "Sia's Philly",
    "sia-saturn": "Saturn",
    "sia-newtrace": "newTrace",
    "pollux": "Pollux",
    "pai-sample": "PAI",
    "aiturbo": "AITurbo's study",
}
_CONTENTION = {"off": "f = 1", "links": "fast law", "k": "f = k"}
_FIXED = {
    ("restart", "profile"): "measured restarts",
    ("error", "none"): "nothing predictable",
    ("error", "0"): "exact predictions",
    ("knowledge", "known"): "speeds known",
    ("knowledge", "learned"): "speeds learned",
}
_WORDS = {"load": "load {}", "restart": "restarts {} s", "error": "error {}"}
STANDIN = "*"
"""Mark after the name of a trace that is replaced by a stand-in."""

WARNING = "traces marked * or measured profiles are drawn from statistics, not recorded"
"""Text above a figure that is partly drawn from a stand-in."""

KEY = ["setup", "reading", "x_name", "x"]


def trace_label(trace: str, standins: Collection[str] = ()) -> str:
    """Label of a trace, with a mark if it is a stand-in."""
    return _TRACES.get(trace, trace) + (STANDIN if trace in standins else "")


def level_label(factor: str, level: str) -> str:
    """Label of a level of a factor."""
    if factor == "setup":
        return trace_label(level)
    if factor == "contention":
        alpha = level.removeprefix("k+")
        return _CONTENTION.get(level, f"f = k + {alpha} (k − 1)")
    return _FIXED.get((factor, level)) or _WORDS.get(factor, "{}").format(level)


def setting_in_words(base: Mapping[str, str], audit: pd.DataFrame) -> str:
    """The base setting in a sentence, with the names that figures and tables use.

    Args:
        base: factor -> its level (`artifact.arena.standings.base_of`).
        audit: tidy rows of the audit, which list the nodes of its cluster.
    """
    nodes = audit[(audit["x_name"] == "node/type") & (audit["reading"] == base["cluster"])]
    kinds = nodes.groupby(nodes["x"].str.partition("/")[2], sort=False)["value"].sum()
    gpus = ", ".join(f"{count:.0f} {kind}" for kind, count in kinds.items())
    contention = level_label("contention", base["contention"])
    if base["contention"] == "links":
        contention = f"links shared by the {contention}"
    else:
        contention += ", how many times longer an exchange takes if k rings leave a server"
    restart = "as measured" if base["restart"] == "profile" else f"{base['restart']} s each"
    error = "nothing is predictable" if base["error"] == "none" else f"predictions are off by σ = {base['error']} (log)"
    knowledge = level_label("knowledge", base["knowledge"])
    name = "/".join(base[factor] for factor in SETTING_FACTORS)
    return (
        f"Base setting {name} at load {base['load']}: cluster {base['cluster']} ({gpus} GPUs); {contention}; "
        f"restarts {restart}; {error}; {knowledge}. "
        "Other settings are called by what differs from it."
    )


def setting_labels(table: pd.DataFrame, standins: Collection[str] = ()) -> dict[tuple[Any, ...], str]:
    """Labels of the settings: the trace, and what differs from the first setting.

    Returns:
        By (setup, reading, x_name, x), in order of appearance.
    """
    settings = [tuple(key) for key in table[KEY].drop_duplicates().itertuples(index=False)]
    base = _factors(*settings[0][1:])
    names = {}
    for setup, reading, x_name, x in settings:
        here = _factors(reading, x_name, x)
        other = [level_label(factor, here[factor]) for factor in here if here[factor] != base.get(factor)]
        names[setup, reading, x_name, x] = ", ".join([trace_label(setup, standins), *other])
    return names


def _factors(reading: str, x_name: str, x: str) -> dict[str, str]:
    levels = dict(zip(SETTING_FACTORS, reading.split("/"), strict=True))
    return {"cluster": levels.pop("cluster"), x_name: x, **levels}


def short_of_windows(frame: pd.DataFrame) -> set[tuple[str, str]]:
    """Pairs of trace and scheduler with fewer windows than other schedulers have: their means are over other jobs.

    Args:
        frame: tidy rows of one setting per trace; `seed` is the window.
    """
    counts = frame.groupby(["setup", "scheduler"])["seed"].nunique()
    fewer = counts < counts.groupby("setup").transform("max")
    return {(str(trace), str(name)) for trace, name in counts.index[fewer]}
