"""Schedulers of AITurbo's evaluation with their parameters: the baselines, and AITurbo with one thing changed."""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Contestant(NamedTuple):
    """A scheduler with its parameters.

    `hybrid` lets one job have workers on GPUs and on CPUs; `on_gpus` puts all workers on GPUs.
    """

    scheduler: str
    params: Mapping[str, Any] = {}
    hybrid: bool = False
    on_gpus: bool = False


_BASELINES = {
    "optimus": Contestant("optimus", {"tick": 300.0}),
    "tiresias": Contestant("tiresias"),
    "srtf": Contestant("requested", {"order": "remaining"}),
    "fcfs": Contestant("requested"),
}
"""Tiresias decides at every event, since demotions are events. In [LAB] it decides at arrivals and every 240 s."""

ON_GPUS = Contestant("tiresias", {"servers_on_gpus": True})
"""Tiresias whose parameter servers take GPUs, as in [LAB]."""

_ABLATIONS = {
    "aiturbo": Contestant("aiturbo"),
    "strict": Contestant("aiturbo", {"leftover": False}),
    "time": Contestant("aiturbo", {"objective": "time"}),
    "no-borda": Contestant("aiturbo", {"merge": "service"}),
    "arrival": Contestant("aiturbo", {"inside": "arrival"}),
    "hybrid": Contestant("aiturbo", hybrid=True),
    "gpu-only": Contestant("aiturbo", on_gpus=True),
}
"""AITurbo, and AITurbo with one change each: `strict` allocates nothing beyond the rule of [LAB]; `time` compares moves
by the time they save, not by resource-time; `no-borda` has no second ballot; `arrival` serves each queue first come,
first served; `hybrid` lets one job have workers on GPUs and on CPUs; `gpu-only` has no workers on CPUs."""

MEMBERS = {**_ABLATIONS, **_BASELINES}
"""Members of the tables."""
