"""Iterations: whole pipelines side by side, 1F1B with a flush, transfers that block both sides."""

from artifact.machines.iteration import Assumptions, every_row
from artifact.machines.predictor import Predictor

_LABEL = "rarlib, blocking transfers"

PREDICTORS = (Predictor("flush-blocking", _LABEL, "iteration", "A", lambda source: every_row(source, Assumptions())),)
