"""Exchange of gradients: the buckets of `ring` and what they miss, in two readings, fitted to other rows.

*Start-up*: a constant for each bucket. *Stragglers*: a share of the flush, in which replicas have drifted apart.
"""

from collections.abc import Callable
from functools import partial
from math import ceil

from rarlib.measured.fitted import FITTED_ON, leave_one_out
from rarlib.measured.iteration import Assumptions, exchange_s, iteration_s, stage_bytes
from rarlib.measured.predictor import Predictor
from rarlib.measured.sailor import PlanRow, Sailor


def _buckets(source: Sailor, row: PlanRow) -> float:
    return ceil(stage_bytes(source, row, 0) / source.bucket_bytes)


def _flush(source: Sailor, row: PlanRow) -> float:
    return iteration_s(source, row, Assumptions())


def _seconds(unit: Callable[[Sailor, PlanRow], float], source: Sailor) -> dict[str, float]:
    rows = [row for row in source.rows if row.replicas > 1]
    return leave_one_out(
        {row.id: exchange_s(source, row, 0) for row in rows},
        {row.id: unit(source, row) for row in rows},
        {row.id: row.exchange_s for row in rows},
        {row.id for row in rows if row.cluster == "gh200"},
    )


PREDICTORS = (
    Predictor("ring-start-up", "ring and start-up", "exchange", "B", partial(_seconds, _buckets), FITTED_ON),
    Predictor("ring-stragglers", "ring and stragglers", "exchange", "B", partial(_seconds, _flush), FITTED_ON),
)
