"""What AITurbo's evaluation leaves open, as arguments of its scenarios, clusters and schedulers.

A reading gives a value to each of `UNKNOWNS`, by name; docs/readings.md says how the fitted one was chosen.
"""

from collections.abc import Mapping
from typing import Any

from artifact.papers.aiturbo.members import MEMBERS, ON_GPUS, Contestant
from artifact.papers.aiturbo.scenarios import Scenario
from artifact.unknowns import STATED_READING, readings_of

UNKNOWNS, AITURBO_READINGS = readings_of("aiturbo")
AITURBO_STATED = AITURBO_READINGS[STATED_READING]

PLOTTED_ERRORS: Mapping[str, float] = {"error_first": 0.15, "error_repeated": 0.01}
"""Errors with which predictions are about as accurate as in the later plots; config/config.yaml has the same."""

TURNS = 0.4
"""Share of all jobs that turn predictable in [LAB]: 24 of 60."""


def scenario_in(values: Mapping[str, Any], case: Scenario, member: str) -> Scenario:
    """How instances of a scenario are drawn under a value for each unknown.

    `values`: by name of the unknown; `classified` false: AITurbo takes no job for predictable.
    """
    turning = values["classes"] == "turning"
    case = case._replace(
        error=None if values["error"] == "plotted" else float(values["error"]),
        at_once=values["arrivals"] == "at once",
        alike=values["classes"] == "alike",
        all_unknown=turning,
        turning=TURNS if turning else 0.0,
        # Where all jobs are unpredictable at first, guesses would outlive the moment in which they turn.
        guessed_speeds=bool(values["guessed speeds"]) and not turning,
    )
    if member == "aiturbo" and not values.get("classified", True):
        return case._replace(all_unknown=True, turning=0.0)
    return case


def member_in(values: Mapping[str, Any], name: str) -> Contestant:
    """A scheduler under a value for each unknown."""
    if name == "aiturbo":
        return Contestant("aiturbo", {"leftover": bool(values["leftover"]), "tick": float(values["tick"])})
    if name == "tiresias" and values["servers on GPUs"]:
        return ON_GPUS
    if name == "fcfs" and values["FCFS jobs"] == "any":
        return Contestant("requested", {"at_once": 0})
    return MEMBERS[name]


def run_settings(values: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a run under a value for each unknown; a cluster or load that is not None in the settings stays."""
    gpus = int(values["GPUs"])
    own = {"cluster": f"gpu:{gpus // 2}x2,cpu:{gpus // 2}x4", "load": float(values["load"])}
    given = {name: value for name, value in settings.items() if value is not None}
    return {**own, "restart": float(values["restart"]), **given}
