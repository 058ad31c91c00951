"""Does a planner's best plan lie near the fastest measured one? Plans for one task, measured and predicted.

A *task* is a model, its nodes and the samples of an iteration; several plans were measured for some. Two questions:
*ranking*, what is lost if the measured plan that is predicted fastest is taken, and *choice*, how far the fastest
measured plan lies from the one that a planner takes among all that the framework could have run. Only ranks, regrets
and relative errors are returned; no measured value.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import kendalltau

from rarlib.measured.candidates import (
    can_be_planned,
    estimated_bytes,
    free_plan,
    objective_s,
    plan_name,
    runnable_plans,
    same_task,
)
from rarlib.measured.iteration import Assumptions, iteration_s
from rarlib.measured.predictor import predictors
from rarlib.measured.predictors.states_and_stash import held_bytes
from rarlib.measured.sailor import PlanRow, Sailor

FLUSH, PIPEDREAM, AS_CODED = "flush-blocking", "pipedream-objective", "pipedream-as-coded"

PLANNERS: Mapping[str, Callable[[Sailor, PlanRow], float]] = {
    FLUSH: lambda source, row: iteration_s(source, row, Assumptions()),
    PIPEDREAM: objective_s,
    AS_CODED: lambda source, row: objective_s(source, row, "as-coded"),
}
"""Planner -> seconds of an iteration of a plan, by which it chooses."""

RULE_OF_THUMB = "fewest-stages"
"""No model but a rule of thumb: the plan with the fewest stages is taken to be the fastest."""


class TaskRanking(NamedTuple):
    """How one predictor ranks the measured plans of a task.

    Attributes:
        task: name of the task.
        predictor: name of the predictor.
        plans: measured plans.
        regret: measured seconds of the plan that is predicted fastest over the least measured, less 1; nan if a plan
            has no prediction.
        random: the same for a plan taken at random, in the mean.
        order: Kendall's rank correlation of predicted and measured seconds; nan if a plan has no prediction.
        gap: measured seconds of the slowest plan over those of the fastest one, less 1.
        gap_predicted: predicted seconds of the same two plans; nan if a plan has no prediction.
    """

    task: str
    predictor: str
    plans: int
    regret: float
    random: float
    order: float
    gap: float
    gap_predicted: float


class TaskChoice(NamedTuple):
    """What a planner takes among all plans that the framework could have run.

    Attributes:
        task: name of the task.
        planner: a key of `PLANNERS`.
        fastest: name of the fastest measured plan.
        plans: that the framework could have run, the fastest measured one among them.
        taken: name of the plan that the planner takes.
        place: of the fastest measured plan in the planner's order, from 1.
        ahead: predicted seconds of the fastest measured plan over those of the plan taken, less 1.
        same: number of plans with the microbatch of the fastest measured one.
        same_taken, same_place, same_ahead: as above, among these.
        twin: measured seconds of a plan on more nodes that does the same work in each pipeline as `same_taken`, over
            those of the fastest measured plan, less 1: what taking it would cost at most; nan if there is none.
    """

    task: str
    planner: str
    fastest: str
    plans: int
    taken: str
    place: int
    ahead: float
    same: int
    same_taken: str
    same_place: int
    same_ahead: float
    twin: float


class FreePlan(NamedTuple):
    """PipeDream's planner let loose on the nodes of a task, at the microbatch of the fastest measured plan.

    Attributes:
        task: name of the task.
        configuration: replicas of its stages.
        runnable: whether whole pipelines side by side can run it: all stages have equally many replicas.
        memory: its estimate of a GPU's bytes over what was measured for the fastest plan, less 1, both for that plan.
        memory_flush: the same for the model of goal G3; as above.
    """

    task: str
    configuration: str
    runnable: bool
    memory: float
    memory_flush: float


def measured_tasks(source: Sailor) -> dict[str, list[PlanRow]]:
    """Tasks for which several plans were measured, and these, fastest first."""
    found: dict[tuple[str, str, tuple[str, ...], int], list[PlanRow]] = {}
    for row in source.rows:
        found.setdefault(same_task(row), []).append(row)
    return {
        f"{model} {cluster}, {len(nodes)} nodes, {batch} samples": sorted(rows, key=lambda row: row.iteration_s)
        for (model, cluster, nodes, batch), rows in found.items()
        if len(rows) > 1
    }


def task_rankings(source: Sailor) -> list[TaskRanking]:
    """Every planner, every predictor of iterations that is not fitted, and the rule of thumb, on every task."""
    said: dict[str, Mapping[str, float]] = {RULE_OF_THUMB: {row.id: float(len(row.stages)) for row in source.rows}}
    said |= {name: _priced(source, seconds) for name, seconds in PLANNERS.items()}
    for each in predictors():
        if each.quantity == "iteration" and each.grade == "A" and each.name not in said:
            said[each.name] = each.predict(source)
    return [
        _ranking(task, rows, name, values)
        for name, values in said.items()
        for task, rows in measured_tasks(source).items()
    ]


def task_choices(source: Sailor) -> list[TaskChoice]:
    """What each planner takes, on every task with nodes of one type."""
    found = []
    for task, (fastest, *_) in measured_tasks(source).items():
        plans = [row for row in runnable_plans(source, fastest) if plan_name(row) != plan_name(fastest)]
        if plans:
            found += [_choice(source, task, name, fastest, plans) for name in PLANNERS]
    return found


def free_plans(source: Sailor) -> list[FreePlan]:
    """PipeDream's own plan for every task with nodes of one type."""
    found = []
    for task, (fastest, *_) in measured_tasks(source).items():
        if not can_be_planned(fastest):
            continue
        _, plan = free_plan(source, fastest)
        runnable = len({stage.replicas for stage in plan.stages}) == 1
        estimates = estimated_bytes(source, fastest), held_bytes(source, fastest)
        found.append(FreePlan(task, plan.configuration, runnable, *(b / fastest.peak_bytes - 1.0 for b in estimates)))
    return found


def _priced(source: Sailor, seconds: Callable[[Sailor, PlanRow], float]) -> dict[str, float]:
    return {row.id: seconds(source, row) for row in source.rows}


def _ranking(task: str, rows: Iterable[PlanRow], name: str, said: Mapping[str, float]) -> TaskRanking:
    measured = np.array([row.iteration_s for row in rows])
    predicted = np.array([said.get(row.id, np.nan) for row in rows])
    lost = measured / measured.min() - 1.0
    floor, slowest = float(lost.mean()), int(measured.argmax())
    if np.isnan(predicted).any():
        return TaskRanking(task, name, len(measured), np.nan, floor, np.nan, float(lost.max()), np.nan)
    first = np.isclose(predicted, predicted.min(), rtol=1e-9)
    order = float(kendalltau(predicted, measured).statistic)
    gap = float(predicted[slowest] / predicted[measured.argmin()] - 1.0)
    return TaskRanking(task, name, len(measured), float(lost[first].mean()), floor, order, float(lost.max()), gap)


def _choice(source: Sailor, task: str, name: str, fastest: PlanRow, plans: list[PlanRow]) -> TaskChoice:
    here = PLANNERS[name](source, fastest)
    priced = [(PLANNERS[name](source, row), row) for row in plans]
    parts, taken = [], fastest
    for among in (priced, [pair for pair in priced if pair[1].microbatch == fastest.microbatch]):
        least, taken = min([(here, fastest), *among], key=lambda pair: pair[0])
        place = 1 + sum(seconds < here for seconds, _ in among)
        parts.append((len(among) + 1, plan_name(taken), place, here / least - 1.0))
    twin = _twin_s(source, taken) / fastest.iteration_s - 1.0
    return TaskChoice(task, name, plan_name(fastest), *parts[0], *parts[1], twin)


def _twin_s(source: Sailor, row: PlanRow) -> float:
    """Least measured seconds of a plan with more pipelines of the same stages and microbatches; or nan."""
    work = _pipeline_work(row)
    more = [
        other.iteration_s for other in source.rows if _pipeline_work(other) == work and other.replicas > row.replicas
    ]
    return min(more, default=float("nan"))


def _pipeline_work(row: PlanRow) -> tuple[object, ...]:
    return row.model, row.cluster, row.tensor_parallel, row.stages, row.microbatch, row.microbatches
