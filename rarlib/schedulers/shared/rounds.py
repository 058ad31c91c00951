"""Rounds: multiples of a period at which more is decided than at other passes."""

import math


class Rounds:
    """Which passes are rounds.

    Args:
        period_s: rounds begin at its multiples.
    """

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self._next = 0.0

    def due(self, now_s: float) -> bool:
        """Whether a round begins now, or should have begun since the last one (nothing to decide until now)."""
        if now_s < self._next - 1e-9 * self.period_s:
            return False
        self._next = self.next(now_s)
        return True

    def pass_over(self, now_s: float) -> None:
        """Take rounds before now as begun: nobody was there."""
        self._next = max(self._next, math.ceil(now_s / self.period_s - 1e-9) * self.period_s)

    def next(self, now_s: float) -> float:
        """Beginning of the next round after now."""
        return (math.floor(now_s / self.period_s + 1e-9) + 1) * self.period_s
