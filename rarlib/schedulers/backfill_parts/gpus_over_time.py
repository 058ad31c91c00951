"""Free GPUs of the cluster from now on, and the earliest time at which a gang fits for as long as it may run.

A gang fits wherever enough GPUs are free, so numbers suffice.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence


class GpusOverTime:
    """A step function of free GPUs, which ends and reservations change.

    Args:
        now_s: present time; nothing is known before it.
        free: GPUs that are free now.
        ends: time at which a running gang is to end, and its GPUs, in any order.
    """

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
