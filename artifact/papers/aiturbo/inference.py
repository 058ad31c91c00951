"""What is not known of AITurbo's evaluation, and which ratios each choice of it would bring out.

The paper's text is not public, so nothing about workload, cluster and baselines is stated but what the abstract says
[ABS]; the published ratios are those of later plots of the laboratory. `outcomes` runs whole instances and
`quick_outcomes` small ones, for many draws. Equal runs are made once: what does not concern a scheduler is no part of
its key.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from artifact.papers.aiturbo.choices import (
    AITURBO_STATED,
    PLOTTED_ERRORS,
    UNKNOWNS,
    member_in,
    run_settings,
    scenario_in,
)
from artifact.papers.aiturbo.measures import run_instance
from artifact.papers.aiturbo.scenarios import MAIN, Scenario, mixes
from artifact.unknowns import table_of_draws
from rarlib.model.errors import NoProgressError
from rarlib.traces.load import load_trace

LAB_JOBS = 60
"""Jobs of an instance [LAB]."""
_QUICK_JOBS = 20

_METRICS = ("jct_all_s", "makespan_s", "jct_short_s", "jct_long_s")
_BASELINES = ("optimus", "tiresias", "srtf", "fcfs")
_IN_MIXES = ("optimus", "tiresias")
_SHARES = (0, 25, 50, 75, 100)
"""Percentages of unpredictable jobs in the later plots."""

_OF_JOBS = ("GPUs", "load", "arrivals", "classes", "restart")
_MATTERS: Mapping[str, tuple[str, ...]] = {
    "aiturbo": (*_OF_JOBS, "error", "tick", "leftover", "classified"),
    "optimus": (*_OF_JOBS, "error", "guessed speeds"),
    "tiresias": (*_OF_JOBS, "servers on GPUs"),
    "srtf": (*_OF_JOBS, "error", "guessed speeds"),
    "fcfs": (*_OF_JOBS, "FCFS jobs"),
}
"""Scheduler -> unknowns on which its runs depend; the others are as stated there."""

AiturboValues = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Replayed:
    """Submissions of the trace whose arrivals are replayed, ascending, s; as one object, so that it can be a key."""

    submit_s: NDArray[Any]


@cache
def _at_hand() -> Replayed:
    return Replayed(load_trace("philly-pollux").jobs.submit_s)


def run_draws(member: str, settings: Mapping[str, Any], submit_s: NDArray[Any]) -> pd.DataFrame:
    """Tidy rows of all draws: parameters, and what the runs give for each published number.

    `settings`: `draws`: number of parameter sets; `jobs` of an instance, fewer than [LAB]'s, so that a draw is cheap.
    `submit_s`: submissions of the trace whose arrivals are replayed, ascending, s.
    """
    ratios = partial(ratios_to_aiturbo, seed=0, jobs=int(settings["jobs"]), replayed=Replayed(submit_s))
    draws = int(settings["draws"])
    return table_of_draws(UNKNOWNS, draws, ratios, experiment="aiturbo-inference", member=member)


def outcomes(values: AiturboValues, seed: int = 0, only_fitted: bool = False) -> dict[str, float]:
    """Ratio to AITurbo for each published number, by id, with the arrivals of Philly.

    `values`: a value for each of `UNKNOWNS`; `classified` false: AITurbo takes no job for predictable. `only_fitted`:
    the jobs of the study only.

    Returns:
        Values by id, NaN where a scheduler ends no job; under `alive` the share by which AITurbo's average completion
        time changes when it takes no job for predictable.
    """
    on, off = (
        _run("aiturbo", MAIN, LAB_JOBS, seed, _at_hand(), _only("aiturbo", {**values, **classified}))["jct_all_s"]
        for classified in ({}, {"classified": False})
    )
    found = ratios_to_aiturbo(values, seed, LAB_JOBS, _at_hand(), mixed=not only_fitted)
    return found | {"alive": 1.0 - min(on / off, off / on)}


def quick_outcomes(values: AiturboValues, seed: int = 0) -> dict[str, float]:
    """What `outcomes` gives, on a smaller instance."""
    return ratios_to_aiturbo(values, seed, _QUICK_JOBS, _at_hand())


def replayed_outcomes(data: Path, values: AiturboValues) -> dict[str, float]:
    """What `quick_outcomes` gives, with the arrivals of a clean trace file."""
    return ratios_to_aiturbo(values, 0, _QUICK_JOBS, replayed_from(data))


@cache
def replayed_from(data: Path) -> Replayed:
    """The submissions of a clean trace file."""
    return Replayed(load_trace(data, "rarlib").jobs.submit_s)


def ratios_to_aiturbo(
    values: AiturboValues, seed: int, jobs: int, replayed: Replayed, *, mixed: bool = True
) -> dict[str, float]:
    """Ratio to AITurbo for each published number, by id.

    `mixed`: whether to run the mixes of jobs, too.
    """

    def measured(name: str, case: Scenario) -> Mapping[str, float]:
        return _run(name, case, jobs, seed, replayed, _only(name, values))

    own, found = measured("aiturbo", MAIN), {}
    for row, metric in enumerate(_METRICS):
        for column, name in enumerate(_BASELINES):
            found[f"aiturbo-{312 + 4 * row + column}"] = measured(name, MAIN)[metric] / own[metric]
    found["aiturbo-303"] = found["aiturbo-313"]
    plotted = [mix for mix in mixes(_SHARES) if mix.setup in ("class", "kind")] if mixed else []
    for row, mix in enumerate(plotted):
        for column, name in enumerate(_IN_MIXES):
            ratio = measured(name, mix)["jct_all_s"] / measured("aiturbo", mix)["jct_all_s"]
            found[f"aiturbo-{328 + 2 * row + column}"] = ratio
    return {name: found[name] for name in sorted(found)}


def _only(name: str, values: AiturboValues) -> tuple[tuple[str, Any], ...]:
    """The choices that matter to a run, so that equal runs are made once; jobs that come at once have no load."""
    at_once = values["arrivals"] == "at once"
    given = {"classified": True, **values, **({"load": AITURBO_STATED["load"]} if at_once else {})}
    return tuple((each, given[each]) for each in _MATTERS[name])


@lru_cache(50_000)
def _run(
    name: str, case: Scenario, jobs: int, seed: int, replayed: Replayed, matters: tuple[tuple[str, Any], ...]
) -> Mapping[str, float]:
    values = {**AITURBO_STATED, **dict(matters)}
    settings = run_settings(values, {"jobs": jobs, **PLOTTED_ERRORS})
    try:
        rows = run_instance(scenario_in(values, case, name), member_in(values, name), seed, settings, replayed.submit_s)
    except NoProgressError:  # rounds so short, and restarts so long, that no job ends
        return dict.fromkeys(_METRICS, math.nan)
    return {metric: value for metric, value, _ in rows if metric in _METRICS}
