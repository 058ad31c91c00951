"""When the next round is due: at multiples of a period, or a period after the last one."""

import math


class Rounds:
    """Rounds at multiples of a period, whether or not there are jobs.

    Args:
        period_s: rounds begin at its multiples.
    """

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self._next = 0.0

    def due(self, now_s: float) -> bool:
        """Whether a round begins now, or has become due since the last one without a pass."""
        if now_s < self._next - 1e-9 * self.period_s:
            return False
        self._next = self.next(now_s)
        return True

    def pass_over(self, now_s: float) -> None:
        """Skip all rounds before now, in which there were no jobs."""
        self._next = max(self._next, math.ceil(now_s / self.period_s - 1e-9) * self.period_s)

    def next(self, now_s: float) -> float:
        """Beginning of the next round after now."""
        return (math.floor(now_s / self.period_s + 1e-9) + 1) * self.period_s


class SpacedRounds:
    """Rounds at least a period apart, beginning with the first pass.

    Args:
        period_s: the period.

    Attributes:
        next_s: beginning of the next round.
    """

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self.next_s = -math.inf

    def due(self, now_s: float) -> bool:
        """Whether a round begins now; if so, the next one is due a period later."""
        if now_s < self.next_s - 1e-6 * self.period_s:
            return False
        self.next_s = now_s + self.period_s
        return True

    def restart(self) -> None:
        """Make the next pass a round."""
        self.next_s = -math.inf
