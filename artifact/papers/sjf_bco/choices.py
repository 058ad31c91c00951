"""What SJF-BCO's evaluation leaves open, as arguments of its instances and schedulers.

A reading gives a value to each of `UNKNOWNS`, by name; docs/readings.md says how the fitted one was chosen.
"""

from collections.abc import Mapping
from typing import Any

from artifact.papers.sjf_bco.instance import Setup
from artifact.unknowns import readings_of, value_of_each

UNKNOWNS, RUN_READINGS = readings_of("sjf-bco")

HORIZON_BINDS = ("sjf-bco", "random")
"""Schedulers whose limit is T itself; FF and LS have a limit of their own, which may lie above T."""

_SETTINGS = {"alpha": "alpha", "xi": "xi", "lambda": "lambda", "fa_ffp": "FA-FFP"}
"""Setting -> the unknown that it replaces, unless it is None."""
_ESTIMATE = 0.05
_GPU_WINDOW = 10


def read_as(reading: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """A value for each unknown: those of a reading, replaced by what the settings say."""
    return value_of_each(RUN_READINGS, reading, {unknown: settings.get(name) for name, unknown in _SETTINGS.items()})


def setup_of(parameters: Mapping[str, Any]) -> Setup:
    """What the values say about an instance; `GPUs` is met within 10, or as drawn where it is None."""
    gpus = parameters["GPUs"]
    return Setup(
        gpus=None if gpus is None else (gpus - _GPU_WINDOW, gpus + _GPU_WINDOW),
        law=parameters["law"],
        highest=parameters["highest"],
        extra=parameters["extra"],
        alpha=parameters["alpha"],
        cap=parameters["cap"],
        xi=parameters["xi"],
    )


def options(scheduler: str, parameters: Mapping[str, Any], horizon: float) -> dict[str, Any]:
    """Arguments of a scheduler of the paper; none for any other.

    `horizon`: T, slots.
    """
    own: dict[str, Any] = {"tau_hat": estimated_time(parameters)}
    if scheduler in HORIZON_BINDS:
        own["horizon"] = horizon
    if scheduler == "sjf-bco":
        return own | {"lambda": parameters["lambda"], "fa_ffp": parameters["FA-FFP"]}
    if scheduler == "list-scheduling":
        return own | {"rank": parameters["LS rank"]}
    if scheduler == "first-fit":
        own |= {"limit": parameters["FF limit"], "search_by": parameters["FF search"]}
        return own | {"order": parameters["FF order"]}
    if scheduler == "random":
        waits = "idle" if parameters["RAND waits"] else "queue"
        return own | {"availability": waits, "limit": parameters["RAND limit"], "order": parameters["RAND order"]}
    return {}


def estimated_time(parameters: Mapping[str, Any]) -> float | None:
    """The iteration time behind rho-hat, slots; None for each job's own tau^u."""
    return _ESTIMATE if parameters["estimate"] == "0.05 F" else None
