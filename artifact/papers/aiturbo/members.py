"""Schedulers of AITurbo's evaluation with their parameters."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Contestant(NamedTuple):
    """A scheduler with its parameters."""

    scheduler: str
    params: Mapping[str, Any] = {}


ON_GPUS = Contestant("tiresias", {"servers_on_gpus": True})
"""Tiresias whose parameter servers take GPUs, as in [LAB]."""

MEMBERS = {
    "aiturbo": Contestant("aiturbo"),
    "optimus": Contestant("optimus", {"tick": 300.0}),
    "tiresias": Contestant("tiresias"),
    "srtf": Contestant("requested", {"order": "remaining"}),
    "fcfs": Contestant("requested"),
}
"""Members of the tables. Tiresias decides at every event, since demotions are events; in [LAB] it decides at arrivals
and every 240 s."""
