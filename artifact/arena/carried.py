"""Parameters that the arena sets for its schedulers instead of their defaults; docs/arena.md gives the reasons.

A new scheduler that has parameters of these names gets the same values.
"""

from typing import Any

from rarlib.discovery import make_scheduler, parameters, scheduler_class
from rarlib.model.scheduler import Scheduler

EVERYWHERE: dict[str, Any] = {"placement": "one-type", "replan": "events"}
"""Set wherever a scheduler has such a parameter: gangs do not span GPU types or servers without need; a planner plans
again when its plan turns out wrong."""

OF_ONE: dict[str, dict[str, Any]] = {"shockwave": {"fair": "age", "k": 0.0, "replan": "rounds", "unsolved": "longest"}}
"""Set for one scheduler: Shockwave in the form of Sia's comparison, as when the arena's statements were written."""


def entrant(name: str) -> Scheduler:
    """A fresh scheduler for one run of the arena."""
    own = parameters(scheduler_class(name))
    general = {key: value for key, value in EVERYWHERE.items() if key in own}
    return make_scheduler(name, general | OF_ONE.get(name, {}))
