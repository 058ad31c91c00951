"""Steps by placement: a ring of the narrowest node, no law at all, and Pollux' seven parameters; fitted to other rows.

The ring is as wide as the node with the fewest GPUs, and has four numbers:

    T = a + c x + 2 (r - 1) / r w / b    x samples of a GPU; r GPUs

w / b is one number inside a node. Between nodes it is another one over the interfaces of the node with the fewest GPUs.
The numbers are at least 0 and minimise squared relative errors.

Pollux' law has the optimizer's seconds besides. T_grad is not stored apart from the exchange. It is proportional to the
samples of a GPU, and on the row with the fewest GPUs it is the step without the optimizer. The optimizer takes the
median of the rows that are fitted to.
"""

from collections.abc import Callable, Sequence
from math import ceil, log
from statistics import median

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from artifact.machines.beside import alike
from artifact.machines.morphling import Morphling, StepRow
from artifact.machines.predictor import Predictor
from rarlib.cost.goodput.descent import PARAMETERS, new_space
from rarlib.cost.goodput.fit import fit
from rarlib.cost.goodput.throughput import iteration_s

EACH_OTHER = "the same model and plan, all rows but the one predicted"
"""Rows that `row_from_others` fits to."""

Law = Callable[[Sequence[StepRow]], Callable[[StepRow], float]]
"""Rows to fit to -> a law that predicts the seconds of a step."""

GPUS_OF_AN_INTERFACE = 2
"""The stated 100 GB/s of a node with 8 GPUs are four interfaces of 200 Gbit/s."""


def row_from_others(rows: Sequence[StepRow], law: Law, *, one_node: bool = False) -> dict[str, float]:
    """Predicted seconds by row, each from the rows of the same model and plan without it."""
    found = {}
    for others in alike(rows, lambda row: (row.model, row.plan)).values():
        seen = [row for row in others if not one_node or len(row.by_node) == 1]
        for row in others:
            fit = [each for each in seen if each.id != row.id]
            if fit:
                found[row.id] = law(fit)(row)
    return found


def ring_terms(row: StepRow) -> NDArray[np.float64]:
    """What each number is multiplied with, shape (4,)."""
    passes = 2 * (row.gpus - 1) / row.gpus
    interfaces = ceil(min(row.by_node) / GPUS_OF_AN_INTERFACE)
    inside = len(row.by_node) == 1
    return np.array([1.0, row.local, passes if inside else 0.0, 0.0 if inside else passes / interfaces])


def _ring(rows: Sequence[StepRow]) -> Callable[[StepRow], float]:
    weight = np.array([1.0 / row.iteration_s for row in rows])
    numbers, _ = nnls(np.array([ring_terms(row) for row in rows]) * weight[:, None], np.ones(len(rows)))
    return lambda row: float(ring_terms(row) @ numbers)


def _nearest(rows: Sequence[StepRow]) -> Callable[[StepRow], float]:
    def seconds(wanted: StepRow) -> float:
        def far(row: StepRow) -> tuple[float, int]:
            return abs(log(row.gpus / wanted.gpus)), abs(len(row.by_node) - len(wanted.by_node))

        least = min(map(far, rows))
        near = [row.iteration_s for row in rows if far(row) == least]
        return sum(near) / len(near)

    return seconds


def _column(source: Morphling, column: str) -> dict[str, float]:
    known = {row.id for row in source.steps}
    table = source.frames["validation"]
    mine = table[table["same_as"].isin(known)].drop_duplicates("same_as").set_index("same_as")[column].dropna()
    return {str(row): float(value) for row, value in mine.items()}


def _seven(rows: Sequence[StepRow]) -> Callable[[StepRow], float]:
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


def _by_others(name: str, label: str, law: Law) -> Predictor:
    return Predictor(name, label, "step", "B", lambda source: row_from_others(source.steps, law), EACH_OTHER)


PREDICTORS = (
    _by_others("narrowest-node", "ring of the narrowest node", _ring),
    _by_others("nearest-placement", "nearest measured row", _nearest),
    Predictor(
        "measured-again", "measured a second time", "step", "C",
        lambda source: _column(source, "iteration_s"), "the same plan, measured once more",
    ),
    Predictor(
        "rubick", "Rubick, the authors' model", "step", "C",
        lambda source: _column(source, "authors_iteration_s"), "partly the same rows; forward times given by hand",
        rival=True,
    ),
    _by_others("pollux-optimizer", "Pollux' seven and the optimizer", _seven),
    Predictor(
        "pollux-from-one-node", "Pollux' seven, fitted on one node", "step", "B",
        lambda source: row_from_others(source.steps, _seven, one_node=True),
        "the same model and plan, rows of one node but the one predicted",
    ),
)  # fmt: skip
