"""Steps by placement: Pollux' seven parameters and the optimizer's seconds, fitted to other rows.

T_grad is not stored apart from the exchange. It is proportional to the samples of a GPU, and on the row with the
fewest GPUs it is the step without the optimizer. The optimizer takes the median of the rows that are fitted to.
"""

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

import numpy as np

from artifact.machines.held_out import EACH_OTHER, row_from_others
from artifact.machines.morphling import Morphling, StepRow
from artifact.machines.predictor import Predictor
from rarlib.cost.goodput.descent import PARAMETERS, new_space
from rarlib.cost.goodput.fit import fit
from rarlib.cost.goodput.throughput import iteration_s


def _law(rows: Sequence[StepRow]) -> Callable[[StepRow], float]:
    optimizer = median(row.optimizer_s for row in rows)
    fewest = min(rows, key=lambda row: (row.gpus, len(row.by_node)))
    per_sample = (fewest.iteration_s - fewest.optimizer_s) / fewest.local
    seen = [
        (len(row.by_node), row.gpus, row.local, per_sample * row.local, row.iteration_s - row.optimizer_s)
        for row in rows
    ]
    p = np.zeros(PARAMETERS)
    fit(np.array(seen, dtype=float), new_space(), p)
    return lambda row: float(iteration_s(p, float(len(row.by_node)), float(row.gpus), row.local, 0.0)) + optimizer


def _seconds(source: Morphling, *, one_node: bool) -> dict[str, float]:
    return row_from_others(source.steps, _law, one_node=one_node)


PREDICTORS = (
    Predictor(
        "pollux-optimizer", "Pollux' seven and the optimizer", "step", "B",
        partial(_seconds, one_node=False), EACH_OTHER,
    ),
    Predictor(
        "pollux-from-one-node", "Pollux' seven, fitted on one node", "step", "B",
        partial(_seconds, one_node=True), "the same model and plan, rows of one node but the one predicted",
    ),
)  # fmt: skip
