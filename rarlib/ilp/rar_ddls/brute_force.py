"""The least makespan of RAR-DDLS by trying everything: which jobs start in a slot, and where.

Source: problem RAR-DDLS of Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 4, eq. 1-9, in whole slots.

Depth-first search, slot by slot. With contention, starting at the ends of other jobs only is not enough (a gang may
rather wait in the middle of another one, see the tests), so every slot is a candidate. The rules below cut branches and
say why the optimum survives. Let "better" mean a smaller makespan, or the same with a smaller sum of starts.

1. Early starts. If job j starts in slot t > 0 with a placement that was free in slot t - 1 and that would have lowered
   no other rate there, starting it one slot earlier is better: in slot t - 1 the others do what they did, j does at
   least nothing, and from slot t on every job has at most as much work left (`slotted`: fewer competitors never
   hurt). So such starts are not tried, and no job waits while nothing runs.
2. Seen before. State A was searched, and state B is met later; the same jobs wait, running jobs have the same
   placements up to renaming equal servers, A is no later in time, its starts sum to no more, and no running job has
   more work left in A. Any continuation of B continues A and is no worse there, so B is dropped. (A is no ancestor of
   B: if nothing starts in between, some job's work left has fallen.) Replacing a schedule by a better one (1) or by
   one no worse that was searched earlier (2) cannot go in circles, so some best schedule is never cut.
3. Symmetry. Servers of equal size that hold the same counts of the same jobs are filled in one order only; of equal
   jobs the first starts first.
4. Bounds. Nothing below a state can end before: the longest job left at its best rate; the GPU-slots left over all
   GPUs; the jobs that take more than half of all GPUs, one after the other.
"""

from collections.abc import Iterator
from typing import NamedTuple

from rarlib.ilp.rar_ddls.slotted import Counts, Slotted, SlottedSchedule, each_from_others, rates


class _Running(NamedTuple):
    job: int
    left: int
    counts: Counts


class _State(NamedTuple):
    time: int
    waiting: Counts
    running: tuple[_Running, ...]
    starts: tuple[tuple[int, int, Counts], ...]
    """Job, slot and placement of every job started so far."""


def least_makespan(problem: Slotted) -> SlottedSchedule:
    """An optimal schedule. Meant for about six jobs; the effort grows exponentially with jobs and waiting slots."""
    search = _Search(problem)
    search.visit(_State(0, tuple(range(len(problem.gang))), (), ()), ())
    return search.best


class _Search:
    def __init__(self, problem: Slotted) -> None:
        self._p = problem
        n = len(problem.gang)
        self._total = sum(problem.capacity)
        self._shortest = [int(problem.shortest(j)) for j in range(n)]
        kinds = [problem.kind(j) for j in range(n)]
        self._equal_before = [[i for i in range(j) if kinds[i] == kinds[j]] for j in range(n)]
        self._seen: dict[object, list[tuple[int, ...]]] = {}
        self.best = each_from_others(problem)

    def visit(self, state: _State, before: tuple[_Running, ...]) -> None:
        """Search below a state; `before` ran in the slot that has just ended."""
        if self._bound(state) >= self.best.makespan or self._known(state):
            return
        if not state.waiting and not state.running:
            by_job = sorted(state.starts)
            self.best = SlottedSchedule(
                tuple(s for _, s, _ in by_job), tuple(counts for *_, counts in by_job), state.time
            )
            return
        for begun in self._choices(state, before, 0):
            if begun.running:
                self._advance(begun)

    def _bound(self, state: _State) -> int:
        p = self._p
        spread = [sum(c > 0 for c in r.counts) for r in state.running]
        left = [(r.job, -(-r.left // p.rate[r.job, s, 1])) for r, s in zip(state.running, spread, strict=True)]
        left += [(j, self._shortest[j]) for j in state.waiting]
        area = sum(p.gang[j] * slots for j, slots in left)
        wide = sum(slots for j, slots in left if 2 * p.gang[j] > self._total)
        longest = max((slots for _, slots in left), default=0)
        return state.time + int(max(longest, -(-area // self._total), wide))

    def _known(self, state: _State) -> bool:
        """Rule 2; remembers the state otherwise."""
        order = sorted(state.running)
        columns = sorted((o, *(r.counts[s] for r in order)) for s, o in enumerate(self._p.capacity))
        key = (state.waiting, tuple(r.job for r in order), tuple(columns))
        mark = (state.time, sum(s for _, s, _ in state.starts), *(r.left for r in order))
        marks = self._seen.setdefault(key, [])
        if any(all(a <= b for a, b in zip(old, mark, strict=True)) for old in marks):
            return True
        marks.append(mark)
        return False

    def _choices(self, state: _State, before: tuple[_Running, ...], at: int) -> Iterator[_State]:
        """Every set of starts in this slot among the waiting jobs from position `at` on, most starts first."""
        for position in range(at, len(state.waiting)):
            job = state.waiting[position]
            if any(i in state.waiting for i in self._equal_before[job]):
                continue
            for counts in self._placements(state, job):
                if state.time == 0 or not self._could_be_earlier(job, counts, before):
                    rest = state.waiting[:position] + state.waiting[position + 1 :]
                    running = (*state.running, _Running(job, self._p.work[job], counts))
                    starts = (*state.starts, (job, state.time, counts))
                    yield from self._choices(_State(state.time, rest, running, starts), before, position)
        yield state

    def _placements(self, state: _State, job: int) -> Iterator[Counts]:
        """Placements on free GPUs; servers that look alike are filled in descending order (rule 3)."""
        held = [tuple(r.counts[s] for r in state.running) for s in range(len(self._p.capacity))]
        free = [o - sum(h) for o, h in zip(self._p.capacity, held, strict=True)]
        looks = list(zip(self._p.capacity, held, strict=True))
        twin = [next((i for i in range(s - 1, -1, -1) if looks[i] == looks[s]), -1) for s in range(len(free))]

        def fill(s: int, chosen: Counts, need: int) -> Iterator[Counts]:
            if s == len(free):
                if self._p.rate[job, sum(count > 0 for count in chosen), 1]:
                    yield chosen
                return
            most = min(free[s], need, chosen[twin[s]] if twin[s] >= 0 else need)
            least = max(0, need - sum(free[s + 1 :]))
            for count in range(most, least - 1, -1):
                yield from fill(s + 1, (*chosen, count), need - count)

        return fill(0, (), self._p.gang[job])

    def _could_be_earlier(self, job: int, counts: Counts, before: tuple[_Running, ...]) -> bool:
        """Rule 1: whether the job would have fitted into the slot before and slowed no other job there."""
        others = list(before)
        held = [sum(r.counts[s] for r in others) for s in range(len(counts))]
        if any(h + c > o for h, c, o in zip(held, counts, self._p.capacity, strict=True)):
            return False
        active = [r.job for r in others]
        where = {r.job: r.counts for r in others} | {job: counts}
        return rates(self._p, active, where) == rates(self._p, [*active, job], where)[:-1]

    def _advance(self, state: _State) -> None:
        """Let time pass: to the next end, or by one slot if a start that slows another job may come sooner."""
        speed = rates(self._p, [r.job for r in state.running], {r.job: r.counts for r in state.running})
        if not any(speed):
            return
        ends = [-(-r.left // rate) for r, rate in zip(state.running, speed, strict=True) if rate]
        step = 1 if self._may_hurt(state) else min(ends)
        after = [r._replace(left=r.left - rate * step) for r, rate in zip(state.running, speed, strict=True)]
        running = tuple(r for r in after if r.left > 0)
        self.visit(_State(state.time + step, state.waiting, running, state.starts), state.running)

    def _may_hurt(self, state: _State) -> bool:
        return any(
            not self._could_be_earlier(job, counts, state.running)
            for job in state.waiting
            for counts in self._placements(state, job)
        )
