"""When the next round is due: at multiples of a period, or a period after the last one."""

import math


class Rounds:
    """Rounds at multiples of a period, whoever is there.

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


class SpacedRounds:
    """Rounds that follow each other at a distance, from the first pass on.

    Args:
        period_s: the distance.

    Attributes:
        next_s: beginning of the next round.
    """

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self.next_s = -math.inf

    def due(self, now_s: float) -> bool:
        """Whether a round begins now; the next one then is a period away."""
        if now_s < self.next_s - 1e-6 * self.period_s:
            return False
        self.next_s = now_s + self.period_s
        return True

    def restart(self) -> None:
        """Let the next pass be a round."""
        self.next_s = -math.inf
