"""Iterations: the pipelines of `flush_blocking` with one assumption changed each."""

from artifact.machines.iteration import Assumptions, every_row
from artifact.machines.predictor import Predictor

_CHANGED = {
    "flush-overlapped": ("rarlib, transfers beside compute", Assumptions(blocking=False)),
    "flush-as-profiled": ("rarlib, without the projection", Assumptions(complete=False)),
    "flush-second-profile": ("rarlib, second profiling", Assumptions(second=True)),
}

PREDICTORS = tuple(
    Predictor(name, label, "iteration", "A", lambda source, given=given: every_row(source, given))  # type: ignore[misc]
    for name, (label, given) in _CHANGED.items()
)
