"""Iterations: the pipelines of `flush_blocking` and a constant for each microbatch, fitted to other rows."""

from artifact.machines.fitted import FITTED_ON, leave_one_out
from artifact.machines.iteration import Assumptions, every_row
from artifact.machines.predictor import Predictor
from artifact.machines.sailor import Sailor


def _seconds(source: Sailor) -> dict[str, float]:
    return leave_one_out(
        every_row(source, Assumptions()),
        {row.id: row.microbatches for row in source.rows},
        {row.id: row.iteration_s for row in source.rows},
        {row.id for row in source.rows if row.cluster == "gh200"},
    )


PREDICTORS = (
    Predictor("flush-per-microbatch", "rarlib, fitted per microbatch", "iteration", "B", _seconds, FITTED_ON),
)
