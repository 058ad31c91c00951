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

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.ilp.sia.counts import best_counts, classes_of
from rarlib.ilp.sia.exact import exact
from rarlib.ilp.sia.labels import FOUND, FULL, MOST_LABELS, NOTHING, Labels, Stages, Task, search_labels
from rarlib.ilp.sia.lagrangian import around, dual
from rarlib.ilp.sia.problem import SCALE, Choices, RoundProblem, choices
from rarlib.ilp.sia.repair import excesses, repaired

GAP = 1e-4
"""Largest relative distance from the bound that needs no further effort; the authors' solver stops there, too."""

_NEAR = 0.5 * SCALE  # allowance of the first search
_CORES = (24, 36, 54, 81, 120)  # jobs decided again together
_VARIABLES = 500  # of a program of counts that is small
_SHAKE = 0.004 * SCALE  # largest noise
_SHAKES = 5  # tries
_GOLDEN = 0.6180339887498949


class RoundDecision(NamedTuple):
    """The decision of a round."""

    column: NDArray[np.int64]  # column of each job, or -1, shape (jobs,)
    value: int  # cost, hundredths
    bound: int  # no decision has a lower value, hundredths
    settled: bool  # ties are settled as `problem` states (they may not be if there are very many optima)
    method: str  # what found it: `search`, `counts`, `repair` or `exact`
    relaxed: float  # value of the linear relaxation, hundredths (less at most a fiftieth); weights of changes included

    @property
    def gap(self) -> float:
        """Distance to the bound relative to it."""
        return (self.value - self.bound) / max(abs(self.bound), 1)


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
    """One problem with its prices; `slack` is what each choice costs at these beyond the job's best."""

    def __init__(self, problem: RoundProblem, labels: Labels, most: int) -> None:
        self.problem, self.labels, self.most = problem, labels, most
        self.choices = choices(problem)
        self.dual = dual(self.choices, problem.capacity)
        self.slack = excesses(self.choices, self.dual)
        self.around = around(self.dual.price)
        self.stages = Stages.of(len(problem.skip), len(problem.capacity))
        self.changes = int(np.count_nonzero(problem.current >= 0))
        self.proven = int(np.ceil(self.dual.bound[0] - 0.01))

    def decide(self, effort: float) -> RoundDecision:
        answer = self._grow()
        if answer is not None:
            return self._settled(answer, "search")
        counted = self._count(None, effort, _VARIABLES)
        answer = self._better(counted, self._improve()) if self._is_open(counted) else counted
        if self._is_open(answer):
            answer = counted = self._count(answer, effort, len(self.slack))
        if answer is None:
            result = exact(self.problem, effort=effort)
            bound = max(result.bound, min(result.value, self._bound()))
            return RoundDecision(result.column, result.value, bound, False, "exact", float(self.dual.bound[0]) / SCALE)
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

    def _farthest(self) -> float:
        """No decision is further from the bound."""
        return float(2.0 * self.slack.sum() + self.dual.price @ self.problem.capacity) + 0.5 * SCALE

    def _all_within(self, allowed: float) -> NDArray[np.int64] | int:
        """The best decision whose excess is at most `allowed`, or why there is none; raises `proven` if none exists."""
        found = self._search(self.slack <= allowed, allowed)
        if isinstance(found, int) and found == NOTHING:
            self.proven = max(self.proven, int(np.floor(self.dual.bound[0] + allowed)) + 1)
        return found

    def _search(self, keep: NDArray[np.bool_], allowed: float, *, in_order: bool = False) -> NDArray[np.int64] | int:
        """The best of all decisions within a distance of the bound, or why there is none.

        Jobs that can take many GPUs are decided first and small ones fill what is left, which keeps the labels few.
        """
        c, answer = self.choices, np.zeros(len(self.problem.skip), np.int64)
        order = np.arange(len(answer))
        if not in_order:
            order = np.argsort(np.maximum.reduceat(np.where(keep, c.size[: len(keep)], 0), c.first[:-1]), kind="stable")
        task = Task(c, keep, order, self.problem.capacity, self.dual, self.around)
        state = search_labels(task, allowed, self.most, self.labels, self.stages, answer)
        return answer if state == FOUND else state

    def _grow(self) -> NDArray[np.int64] | None:
        allowed = _NEAR
        while allowed <= 2.0 * self._farthest():
            found = self._all_within(allowed)
            if isinstance(found, np.ndarray):
                return found
            if found == FULL:
                return None
            allowed *= 1.5
        raise ArithmeticError("jobs that must keep their GPUs do not fit")

    def _settled(self, answer: NDArray[np.int64], method: str) -> RoundDecision:
        """An optimum, with ties settled where that is not too many labels."""
        excess = self._excess(answer)
        found = self._search(self.slack <= excess, excess, in_order=True)
        settled = isinstance(found, np.ndarray)
        best = found if isinstance(found, np.ndarray) else answer
        return self._decision(best, method, optimal=True, settled=settled)

    def _count(self, answer: NDArray[np.int64] | None, effort: float, most: int) -> NDArray[np.int64] | None:
        """The best of a decision and those by counts; the distance grows until an optimum or the gap is proven.

        It ends early if the program has more than `most` variables or is not solved; raises `proven` otherwise.
        """
        allowed = self._target()
        while self._is_open(answer):
            groups = classes_of(self.choices, self.slack <= allowed)
            if groups.variables > most:
                break
            found, solved = best_counts(self.choices, groups, self.problem.capacity, self.slack, allowed, effort)
            answer = self._better(answer, found)
            if not solved:
                break
            self.proven = max(self.proven, int(np.floor(self.dual.bound[0] + allowed)) + 1)
            if answer is not None:
                self.proven = min(self.proven, self._weight(answer))
            elif allowed > 2.0 * self._farthest():
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
                keep &= self.slack <= allowed
                keep[cheapest] = True
                found = self._search(keep, allowed)
                if isinstance(found, np.ndarray):
                    best = found
                elif found == FULL:
                    break
        return best

    def _repaired(self, shake: int) -> tuple[NDArray[np.int64] | None, NDArray[np.int64], NDArray[np.int64]]:
        """A repaired decision, each job's cheapest choice, and the jobs by regret, all at prices of shaken weights."""
        c = self.choices
        noise = np.floor((np.arange(1, len(c.weight) + 1) * _GOLDEN + shake / _SHAKES) % 1.0 * _SHAKE)
        shaken = c._replace(weight=c.weight + noise.astype(np.int64))
        prices = dual(shaken, self.problem.capacity, 1.0)
        cheapest, regrets = _regrets(shaken, excesses(shaken, prices))
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
        return RoundDecision(column, value, bound, settled, method, float(self.dual.bound[0]) / SCALE)

    def _bound(self) -> int:
        """Costs are whole, and weights exceed them by the number of changes at most."""
        return -((self.changes - self.proven) // SCALE)


def _regrets(c: Choices, slack: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each job's cheapest choice at the prices, and how much more the next one costs."""
    jobs = len(c.first) - 1
    order = np.lexsort((slack, np.repeat(np.arange(jobs), np.diff(c.first))))
    several = np.diff(c.first) > 1
    regret = np.full(jobs, np.inf)
    regret[several] = slack[order[c.first[:-1][several] + 1]]
    return order[c.first[:-1]], regret
