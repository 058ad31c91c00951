"""Free GPUs from now on: of the whole cluster, or of servers that are reserved as Slurm does it.

In Slurm (`sched/backfill` with `select/cons_tres`) a reservation names servers. Until it ends no later job may use a
GPU of them, even where the reserved gang leaves some free. To find out when a gang fits, running gangs are taken away
in the order of their ends; those that end within a window are taken away together, and the reservation begins at the
end of the last of them, so it may begin later than necessary. The first window begins at a multiple of its length and
every further one is wider.

Source: SchedMD, Slurm 22.05, the manual of slurm.conf (SchedulerParameters: bf_*) and the plugins that are named above.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement

Placing = Callable[[NDArray[np.int64], int, NDArray[np.bool_]], Placement | None]
"""Placement of a gang, given free GPUs by node, its size and the usable nodes; None if it does not fit."""


class RunningGang(NamedTuple):
    """A running gang and the time at which it is to end."""

    end_s: float
    placement: Placement


class Reserved(NamedTuple):
    """Servers that are reserved from one time to another, shape (nodes,)."""

    begin_s: float
    end_s: float
    nodes: NDArray[np.bool_]


class EndWindows(NamedTuple):
    """Width of the first window, and by how much each further one is wider (0: it is twice as wide), seconds."""

    first_s: float
    wider_s: float


class ServersOverTime:
    """Running gangs and reservations of servers.

    Free GPUs by node, shape (nodes,), are read at every question, so they may change with starts.
    """

    def __init__(
        self, now_s: float, free: NDArray[np.int64], endings: Sequence[RunningGang], place: Placing, windows: EndWindows
    ) -> None:
        self._now_s, self._free, self._place, self._windows = now_s, free, place, windows
        self._endings = sorted(endings, key=lambda each: each.end_s)
        self._reserved: list[Reserved] = []

    def earliest(self, gpus: int, length_s: float) -> tuple[float, Placement] | None:
        """When and where a gang fits for so long without a reserved server; None if never."""
        from_s = self._now_s
        while True:
            until_s = from_s + length_s
            usable = np.ones(len(self._free), np.bool_)
            for each in self._reserved:
                if each.end_s > from_s and each.begin_s <= until_s:
                    usable &= ~each.nodes
            edges = [time for each in self._reserved for time in (each.begin_s, each.end_s) if time > from_s]
            later_s = min(edges, default=math.inf)
            found = self._fits(gpus, usable)
            at_s = math.inf if found is None else max(found[0], from_s)
            if found is not None and at_s <= later_s and not self._overlaps(found[1], at_s, at_s + length_s):
                return at_s, found[1]
            if math.isinf(later_s):
                if found is None:
                    return None
                later_s = at_s
            from_s = later_s

    def start(self, placement: Placement, end_s: float) -> None:
        """A gang has started; its GPUs have been taken from `free` already."""
        self._endings = sorted([*self._endings, RunningGang(end_s, placement)], key=lambda each: each.end_s)

    def reserve(self, placement: Placement, begin_s: float, end_s: float) -> None:
        """Reserve the servers of a placement."""
        nodes = np.zeros(len(self._free), np.bool_)
        nodes[[node for node, _ in placement]] = True
        self._reserved.append(Reserved(begin_s, end_s, nodes))

    def _overlaps(self, placement: Placement, begin_s: float, end_s: float) -> bool:
        used = [node for node, _ in placement]
        return any(each.end_s > begin_s and each.begin_s < end_s and each.nodes[used].any() for each in self._reserved)

    def _fits(self, gpus: int, usable: NDArray[np.bool_]) -> tuple[float, Placement] | None:
        """When and where a gang fits on usable nodes if nothing else starts."""
        free = self._free.copy()
        placement = self._place(free, gpus, usable)
        if placement is not None:
            return self._now_s, placement
        on_them = [each for each in self._endings if any(usable[node] for node, _ in each.placement)]
        width_s, taken = self._windows.first_s, 0
        aligned_s = _next_multiple(on_them[0].end_s, width_s) if on_them else 0.0
        while taken < len(on_them):
            last = on_them[taken]
            while True:
                last = on_them[taken]
                for node, count in last.placement:
                    free[node] += count
                taken += 1
                if taken == len(on_them) or not self._together(on_them[taken].end_s, last.end_s, aligned_s + width_s):
                    break
            if width_s > 0 and taken < len(on_them):
                width_s = self._widened(width_s, on_them[taken].end_s - aligned_s)
            placement = self._place(free.copy(), gpus, usable)
            if placement is not None:
                return last.end_s, placement
        return None

    def _widened(self, width_s: float, needed_s: float) -> float:
        """Width of the next window that is at least as wide as needed."""
        wider_s = self._windows.wider_s
        if wider_s > 0:
            return width_s + max(math.ceil((needed_s - width_s) / wider_s), 0) * wider_s
        while width_s < needed_s:
            width_s *= 2.0
        return width_s

    def _together(self, next_s: float, last_s: float, window_end_s: float) -> bool:
        return next_s <= window_end_s if self._windows.first_s > 0 else next_s <= last_s


def _next_multiple(time_s: float, step_s: float) -> float:
    """The first multiple above a time; the time itself if there is no step."""
    return (math.floor(time_s / step_s) + 1) * step_s if step_s > 0 else time_s


class GpusOverTime:
    """A step function of free GPUs, which ends (time, GPUs) and reservations change; nothing is known before now."""

    def __init__(self, now_s: float, free: int, ends: Iterable[tuple[float, int]]) -> None:
        self._time_s, self._free = [now_s], [free]
        for end_s, gpus in sorted(ends):
            if end_s <= self._time_s[-1]:
                self._free[-1] += gpus
            else:
                self._time_s.append(end_s)
                self._free.append(self._free[-1] + gpus)

    @property
    def steps(self) -> Sequence[tuple[float, int]]:
        """Beginning of each step and the GPUs that are free from then on."""
        return list(zip(self._time_s, self._free, strict=True))

    def earliest(self, gpus: int, length_s: float) -> float:
        """Earliest time from now on at which so many GPUs are free for so long; inf if there is none."""
        begin = 0
        while True:
            while self._free[begin] < gpus:
                begin += 1
                if begin == len(self._free):
                    return math.inf
            last = max(bisect_left(self._time_s, self._time_s[begin] + length_s), begin + 1)
            short = next((step for step in range(begin, last) if self._free[step] < gpus), None)
            if short is None:
                return self._time_s[begin]
            begin = short

    def take(self, begin_s: float, end_s: float, gpus: int) -> None:
        """Reserve GPUs, which must be free, from one time to another."""
        for time_s in (begin_s, end_s):
            self._split(time_s)
        for step in range(bisect_left(self._time_s, begin_s), bisect_left(self._time_s, end_s)):
            self._free[step] -= gpus

    def _split(self, time_s: float) -> None:
        step = bisect_right(self._time_s, time_s) - 1
        if self._time_s[step] != time_s and not math.isinf(time_s):
            self._free.insert(step + 1, self._free[step])
            insort(self._time_s, time_s)
