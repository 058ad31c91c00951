"""Sia's decision, fast and proven: a dual bound, exact search where it is small, counts of alike jobs elsewhere.

1. The dual gives prices and with them a bound.
2. All decisions within a small distance of the bound are searched at once (`labels`). If there are any, the best is the
   optimum, with ties settled; if there are none, the distance grows. Mostly nothing more is needed.
3. When there are too many of them (hundreds of jobs), few classes of jobs that are alike make a small integer program,
   which CP-SAT solves to the optimum (`counts`).
4. If there are many classes, a decision is repaired from the prices, and jobs whose next best choice costs least at
   these prices are decided again, together, by the search. Similar jobs are indifferent at the same prices, so weights
   are perturbed slightly for this step.
5. A decision that is still not proven within `GAP` is improved by the program of counts, whatever its size.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.sia.counts import best_counts, classes_of
from rarlib.ilp.sia.exact import exact
from rarlib.ilp.sia.labels import FOUND, FULL, MOST_LABELS, NOTHING, Labels, Stages, Task, search_by_size, search_labels
from rarlib.ilp.sia.lagrangian import dual
from rarlib.ilp.sia.problem import MUST_RUN, SCALE, Choices, RoundDecision, RoundProblem, choices
from rarlib.ilp.sia.repair import repaired
from rarlib.model.jit import hot_kernel

GAP = 1e-4
"""Largest relative distance from the bound that needs no further effort; the authors' solver stops there, too."""

_NEAR, _FARTHEST = 0.5 * SCALE, float(MUST_RUN * SCALE)  # allowance of the first search; no decision is further
_CORES = (24, 36, 54, 81, 120)  # jobs decided again together
_VARIABLES = 500  # of a program of counts that is small
_SHAKE = 0.004 * SCALE  # largest noise
_SHAKES = 5  # tries
_GOLDEN = 0.6180339887498949


class Decider:
    """Decides round after round with at most `most` labels; keeps its memory, and the last round if it comes again."""

    def __init__(self, most: int = MOST_LABELS) -> None:
        self._labels, self._most = Labels.empty(), most
        self._last: tuple[RoundProblem, float, RoundDecision] | None = None

    def decide(self, problem: RoundProblem, *, effort: float = 0.1) -> RoundDecision:
        """A decision within `GAP` of the optimum, mostly the optimum itself.

        Args:
            problem: the round.
            effort: limit of each program, should one be needed, in deterministic time of CP-SAT, roughly seconds.

        Raises:
            ArithmeticError: when jobs that must run do not fit.
        """
        if self._last is not None:
            before, spent, found = self._last
            if spent == effort and all(map(np.array_equal, before, problem)):
                return found
        found = _Round(problem, self._labels, self._most).decide(effort)
        # Copies: a caller may go on to write into its arrays.
        self._last = RoundProblem(*map(np.copy, problem)), effort, found
        return found


class _Round:
    """One problem with its prices."""

    def __init__(self, problem: RoundProblem, labels: Labels, most: int) -> None:
        self.problem, self.labels, self.most = problem, labels, most
        self.choices = choices(problem)
        self.dual = dual(self.choices, problem.capacity)
        scratch = np.empty(len(self.dual.slack), np.bool_), np.empty(len(problem.skip), np.int64)
        self.task = Task(self.choices, *scratch, problem.capacity, self.dual)
        self.stages = Stages.of(len(problem.skip), len(problem.capacity))
        self.proven = int(np.ceil(self.dual.bound[0] - 0.01))

    def decide(self, effort: float) -> RoundDecision:
        best = np.empty(len(self.problem.skip), np.int64)
        state, without = _nearest(self.task, self.most, self.labels, self.stages, best)
        if state == FOUND:
            return self._settled(best, "search")
        if state == NOTHING:
            raise ArithmeticError("jobs that must keep their GPUs do not fit")
        self.proven = max(self.proven, int(np.floor(self.dual.bound[0] + without)) + 1)
        counted = self._count(None, effort, _VARIABLES)
        answer = self._better(counted, self._improve()) if self._is_open(counted) else counted
        if self._is_open(answer):
            answer = counted = self._count(answer, effort, len(self.dual.slack))
        if answer is None:
            result = exact(self.problem, effort=effort)
            bound = max(result.bound, min(result.value, self._bound()))
            return result._replace(bound=bound, settled=False)
        method = "counts" if answer is counted else "repair"
        return self._settled(answer, method) if self._weight(answer) <= self.proven else self._decision(answer, method)

    def _is_open(self, answer: NDArray[np.int64] | None) -> bool:
        """Whether a decision is further than `GAP` from what is proven."""
        return answer is None or self._decision(answer, "").gap > GAP

    def _better(self, one: NDArray[np.int64] | None, other: NDArray[np.int64] | None) -> NDArray[np.int64] | None:
        """The lighter one of two decisions, the first one if they are equal."""
        if one is None or other is None:
            return other if one is None else one
        return other if self._weight(other) < self._weight(one) else one

    def _weight(self, answer: NDArray[np.int64]) -> int:
        return int(self.choices.weight[answer].sum())

    def _target(self) -> float:
        """The distance from the bound that needs no further effort."""
        return max(GAP * float(self.dual.bound[0]), _NEAR)

    def _settled(self, answer: NDArray[np.int64], method: str) -> RoundDecision:
        """An optimum, with ties settled where that is not too many labels."""
        excess, best = self._excess(answer), np.empty_like(answer)
        self.task.keep[:], self.task.order[:] = self.dual.slack <= excess, np.arange(len(answer))
        settled = search_labels(self.task, excess, self.most, self.labels, self.stages, best) == FOUND
        return self._decision(best if settled else answer, method, optimal=True, settled=settled)

    def _count(self, answer: NDArray[np.int64] | None, effort: float, most: int) -> NDArray[np.int64] | None:
        """The best of a decision and those by counts; the distance grows until an optimum or the gap is proven.

        It ends early if the program has more than `most` variables or is not solved; raises `proven` otherwise.
        """
        allowed = self._target()
        while self._is_open(answer):
            groups = classes_of(self.choices, self.dual.slack <= allowed)
            if groups.variables > most:
                break
            found, solved = best_counts(self.choices, groups, self.problem.capacity, self.dual.slack, allowed, effort)
            answer = self._better(answer, found)
            if not solved:
                break
            self.proven = max(self.proven, int(np.floor(self.dual.bound[0] + allowed)) + 1)
            if answer is not None:
                self.proven = min(self.proven, self._weight(answer))
            elif allowed > _FARTHEST:
                raise ArithmeticError("jobs that must keep their GPUs do not fit")
            allowed = 4.0 * allowed if answer is None else min(4.0 * allowed, self._excess(answer))
        return answer

    def _improve(self) -> NDArray[np.int64] | None:
        """Repair, then decide the jobs with the least regrets again, more and more of them."""
        target = self._target()
        best, cheapest, ranked = self._repaired(0)
        for shake in range(1, _SHAKES):
            if best is not None and self._excess(best) <= 0.9 * target:
                return best
            other = self._repaired(shake)
            if other[0] is not None and (best is None or self._excess(other[0]) < self._excess(best)):
                best, cheapest, ranked = other
        for allowed in (0.9 * target, 2.0 * target, 4.0 * target, 8.0 * target):
            for size in _CORES:
                if best is not None and self._excess(best) <= allowed:
                    return best
                keep = np.repeat(np.isin(np.arange(len(cheapest)), ranked[:size]), np.diff(self.choices.first))
                keep &= self.dual.slack <= allowed
                keep[cheapest] = True
                self.task.keep[:], found = keep, np.empty_like(cheapest)
                state = search_by_size(self.task, allowed, self.most, self.labels, self.stages, found)
                if state == FOUND:
                    best = found
                elif state == FULL:
                    break
        return best

    def _repaired(self, shake: int) -> tuple[NDArray[np.int64] | None, NDArray[np.int64], NDArray[np.int64]]:
        """A repaired decision, each job's cheapest choice, and the jobs by regret, all at prices of shaken weights."""
        c = self.choices
        noise = np.floor((np.arange(1, len(c.weight) + 1) * _GOLDEN + shake / _SHAKES) % 1.0 * _SHAKE)
        shaken = c._replace(weight=c.weight + noise.astype(np.int64))
        prices = dual(shaken, self.problem.capacity, 1.0)
        cheapest, regrets = _regrets(shaken, prices.slack)
        return repaired(shaken, self.problem.capacity, prices), cheapest, np.argsort(regrets, kind="stable")

    def _excess(self, answer: NDArray[np.int64]) -> float:
        """How far a decision is above the bound; weights are whole numbers, so half of one more costs nothing."""
        return float(self.choices.weight[answer].sum() - self.dual.bound[0]) + 0.5

    def _decision(
        self, answer: NDArray[np.int64], method: str, *, optimal: bool = False, settled: bool = False
    ) -> RoundDecision:
        column = self.choices.column[answer]
        value = self.problem.value(column)
        bound = value if optimal else min(value, self._bound())
        return RoundDecision(column, value, bound, settled, method)

    def _bound(self) -> int:
        """Costs are whole, and weights exceed them by the number of changes at most."""
        return -((int(np.count_nonzero(self.problem.current >= 0)) - self.proven) // SCALE)


@hot_kernel
def _nearest(task: Task, most: int, labels: Labels, s: Stages, answer: NDArray[np.int64]) -> tuple[int, float]:
    """Search all decisions within a small distance of the bound, which grows until there are some.

    Returns:
        What `search_by_size` does, and a distance within which there is none.
    """
    allowed, without = _NEAR, 0.0
    while True:
        for at in range(len(task.keep)):
            task.keep[at] = task.dual.slack[at] <= allowed
        state = search_by_size(task, allowed, most, labels, s, answer)
        if state != NOTHING or allowed > _FARTHEST:
            return state, without
        without, allowed = allowed, 1.5 * allowed


def _regrets(c: Choices, slack: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each job's cheapest choice at the prices, and how much more the next one costs."""
    jobs = len(c.first) - 1
    order = np.lexsort((slack, np.repeat(np.arange(jobs), np.diff(c.first))))
    several = np.diff(c.first) > 1
    regret = np.full(jobs, np.inf)
    regret[several] = slack[order[c.first[:-1][several] + 1]]
    return order[c.first[:-1]], regret
