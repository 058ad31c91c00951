"""How each paper's scheduler enters the arena: parameters that are not its defaults. The reasons: docs/arena.md.

A scheduler that is new gets the same by having parameters of these names.
"""

from typing import Any

from rarlib.discovery import make_scheduler, parameters, scheduler_class
from rarlib.model.scheduler import Scheduler

EVERYWHERE: dict[str, Any] = {"placement": "one-type", "replan": "events"}
"""Set wherever a scheduler has such a parameter: gangs do not span GPU types or servers without need; plans are made
anew when they turn out wrong."""


def entrant(name: str) -> Scheduler:
    """A fresh scheduler for one run of the arena.

    Raises:
        InputError: for an unknown scheduler.
    """
    own = parameters(scheduler_class(name))
    return make_scheduler(name, {key: value for key, value in EVERYWHERE.items() if key in own})
