"""What would have to be true of AITurbo's evaluation for the published ratios to come out: random draws of the unknown.

The paper's text is not public, so nothing about workload, cluster and baselines is stated but what the abstract says
[ABS]. Every draw runs few small instances, the same for all draws; `rarlib.evidence.inference` compares the ratios with
the published ones. Nothing of this enters the headline.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.model.unknowns import Unknown, draw_parameters, draw_rows
from rarlib.papers.aiturbo.measures import run_instance
from rarlib.papers.aiturbo.members import MEMBERS, ON_GPUS, Contestant
from rarlib.papers.aiturbo.scenarios import MAIN, Scenario, mixes
from rarlib.records.tidy import tidy

UNKNOWNS = (
    Unknown("gpus", scale="choice", choices=(4, 8, 16), says="The cluster is not known; 4 GPUs are those of [LAB]."),
    Unknown("load", 0.5, 8.0, "log", says="The offered load is not known; a queue builds up above 1."),
    Unknown(
        "arrivals",
        scale="choice",
        choices=("trace", "at once"),
        says="The abstract speaks of production arrivals, [LAB] submits a job every 1 to 6 s.",
    ),
    Unknown(
        "classes",
        scale="choice",
        choices=("study", "alike", "turning"),
        says="Unpredictable jobs are short in the data set; in [LAB] they are as long as others, and 40 % of all turn.",
    ),
    Unknown("error", 0.0, 0.5, says="Accuracies of 0.91 to 0.98 are plotted; how they are measured is not known."),
    Unknown("tick", 120.0, 960.0, "log", says="Seconds between AITurbo's rounds: 240 in [LAB]."),
    Unknown("leftover", scale="choice", choices=(True, False), says="Whether free tasks are handed out: no in [LAB]."),
    Unknown("servers_on_gpus", scale="choice", choices=(False, True), says="Tiresias' servers: on GPUs in [LAB]."),
    Unknown(
        "guessed_speeds",
        scale="choice",
        choices=(False, True),
        says="Whether Optimus and SRTF know the step times of unpredictable jobs.",
    ),
)
"""The unknowns of the evaluation with their prior ranges. [LAB]: later code of the laboratory."""

_METRICS = ("jct_all_s", "makespan_s", "jct_short_s", "jct_long_s")
_FIRST = 312
_SCHEDULERS = ("optimus", "tiresias", "srtf", "fcfs")
_CLASSES = {"0": 328, "50": 332, "100": 336}
"""Share of unpredictable jobs (%) -> number of the published ratio of Optimus; that of Tiresias is the next."""


def priors() -> pd.DataFrame:
    """The unknowns: what they are drawn from, and why."""
    ranges = {
        u.name: [", ".join(map(str, u.choices)) or f"{u.low:g} to {u.high:g} ({u.scale})", u.says] for u in UNKNOWNS
    }
    return pd.DataFrame(ranges, index=["prior", "why"]).T


def run_draws(member: str, settings: Mapping[str, Any], submit_s: NDArray[np.float64]) -> pd.DataFrame:
    """Tidy rows of all draws: parameters, and what the runs give for each published number.

    Args:
        member: name of the cell.
        settings: `draws`: number of parameter sets; `jobs` of an instance, fewer than [LAB]'s, so that a draw is cheap.
        submit_s: submissions of the trace whose arrivals are replayed, ascending, s.
    """
    drawn = draw_parameters(UNKNOWNS, int(settings["draws"]))
    sets = [{str(name): value for name, value in row.items()} for row in drawn.to_dict("records")]
    rows = [
        row
        for number, parameters in enumerate(sets)
        for row in draw_rows(UNKNOWNS, number, parameters, outcomes(parameters, submit_s, int(settings["jobs"])))
    ]
    return tidy(rows, "aiturbo-inference", member)


def outcomes(
    parameters: Mapping[str, Any], submit_s: NDArray[np.float64], jobs: int, seed: int = 0
) -> dict[str, float]:
    """Ratio to AITurbo for each published number, with one set of parameters.

    Args:
        parameters: a value for each of `UNKNOWNS`.
        submit_s: submissions of the trace.
        jobs: of the instance.
        seed: of the instance, the same for all sets.
    """
    gpus = int(parameters["gpus"])
    settings = {"jobs": jobs, "cluster": f"gpu:{gpus // 2}x2,cpu:{gpus // 2}x4", "load": parameters["load"]}
    members = _members(parameters)

    def ratios(case: Scenario, names: Sequence[str]) -> dict[tuple[str, str], float]:
        case = _changed(case, parameters)
        runs = {
            name: {metric: value for metric, value, _ in run_instance(case, members[name], seed, settings, submit_s)}
            for name in ("aiturbo", *names)
        }
        return {(name, m): runs[name][m] / runs["aiturbo"][m] for name in names for m in _METRICS}

    main = ratios(MAIN, _SCHEDULERS)
    found = {"aiturbo-303": main["tiresias", "jct_all_s"]}
    for row, metric in enumerate(_METRICS):
        for column, name in enumerate(_SCHEDULERS):
            found[f"aiturbo-{_FIRST + len(_SCHEDULERS) * row + column}"] = main[name, metric]
    for mix in mixes([int(share) for share in _CLASSES]):
        if mix.setup == "class":
            both = ratios(mix, ("optimus", "tiresias"))
            for column, name in enumerate(("optimus", "tiresias")):
                found[f"aiturbo-{_CLASSES[mix.x] + column}"] = both[name, "jct_all_s"]
    return found


def _members(parameters: Mapping[str, Any]) -> dict[str, Contestant]:
    own = Contestant("aiturbo", {"leftover": bool(parameters["leftover"]), "tick": float(parameters["tick"])})
    tiresias = ON_GPUS if parameters["servers_on_gpus"] else MEMBERS["tiresias"]
    return {**MEMBERS, "aiturbo": own, "tiresias": tiresias}


def _changed(case: Scenario, parameters: Mapping[str, Any]) -> Scenario:
    turning = parameters["classes"] == "turning"
    return case._replace(
        error=float(parameters["error"]),
        at_once=parameters["arrivals"] == "at once",
        alike=parameters["classes"] == "alike",
        all_unknown=turning,
        turning=0.4 if turning else 0.0,
        guessed_speeds=bool(parameters["guessed_speeds"]) and not turning,
    )
