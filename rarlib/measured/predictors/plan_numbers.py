"""Steps of plans: pipelines of microbatches of one sample, tensor-parallel groups, a ring of replicas.

With b samples of a pipeline, p stages, t GPUs that share a layer, d replicas, P parameters, L layers that put out V
values of a sample, and b + p - 1 passes of 1F1B with a flush:

    T = k_0 + k_1 P (b + p - 1) / (p t) + k_2 V L (b + p - 1) / p 2 (t - 1) / t
            + k_3 V (b + p - 1) [p > 1] + k_4 P / (p t) 2 (d - 1) / d

The five numbers are at least 0, the same for all models, and minimise squared relative errors of the plans of other
thirds.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from rarlib.measured.held_out import alike
from rarlib.measured.morphling import Morphling, PlanStep
from rarlib.measured.predictor import Predictor

_THIRDS = 3
OTHER_THIRDS = "two thirds of the plans of each model, without the one predicted"


def plan_terms(row: PlanStep) -> NDArray[np.float64]:
    """What each number is multiplied with, shape (5,); sizes in units of 1e9 parameters and 1e6 values."""
    parameters, values = row.size.parameters / 1e9, row.size.hidden * row.size.sequence / 1e6
    p, t, d = row.pipeline, row.tensor, row.data
    passes = max(row.batch / d, 1.0) + p - 1
    inside = values * row.size.layers * passes / p * 2 * (t - 1) / t
    ring = parameters / (p * t) * 2 * (d - 1) / d
    return np.array([1.0, parameters * passes / (p * t), inside, values * passes if p > 1 else 0.0, ring])


def _five(rows: Sequence[PlanStep]) -> Callable[[PlanStep], float]:
    weight = np.array([1.0 / row.iteration_s for row in rows])
    numbers, _ = nnls(np.array([plan_terms(row) for row in rows]) * weight[:, None], np.ones(len(rows)))
    return lambda row: float(plan_terms(row) @ numbers)


def _compute(rows: Sequence[PlanStep]) -> Callable[[PlanStep], float]:
    found = {}
    for model, mine in alike(rows, lambda row: row.model).items():
        each = np.array([plan_terms(row)[1] / row.iteration_s for row in mine])
        found[model] = each.sum() / (each**2).sum()
    return lambda row: float(found.get(row.model, np.nan) * plan_terms(row)[1])


def other_thirds(
    rows: Sequence[PlanStep], law: Callable[[Sequence[PlanStep]], Callable[[PlanStep], float]]
) -> dict[str, float]:
    """Predicted seconds by row: every third plan of each model is predicted from all others, if there are any."""
    third: dict[str, int] = {}
    for mine in alike(rows, lambda row: row.model).values():
        third |= {row.id: at % _THIRDS for at, row in enumerate(mine)}
    found: dict[str, float] = {}
    for held in range(_THIRDS):
        mine, others = ([row for row in rows if (third[row.id] == held) == own] for own in (True, False))
        if mine and others:  # SciPy's nnls ends the process if it is given no rows
            predict = law(others)
            found |= {row.id: predict(row) for row in mine}
    return found


def _predictor(name: str, label: str, law: Callable[[Sequence[PlanStep]], Callable[[PlanStep], float]]) -> Predictor:
    def predict(source: Morphling) -> dict[str, float]:
        return other_thirds(source.plans, law)

    return Predictor(name, label, "plan", "B", predict, OTHER_THIRDS)


PREDICTORS = (
    _predictor("plan-five-numbers", "five numbers for all models", _five),
    _predictor("plan-compute-only", "compute and bubble", _compute),
)
