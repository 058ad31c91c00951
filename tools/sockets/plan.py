"""Which trials are run: jobs, phases and queues of a link between two servers."""

from collections.abc import Iterator
from typing import NamedTuple

RATE_MBIT = 100.0
"""Rate of the link each way, Mbit/s, with the headers of packets."""

RANKS = 4
"""Processes of a job: the first half on one server, the others on the other one."""

VALUES = 400_000
"""Values of 4 bytes that a job reduces in an iteration."""

EXCHANGE_BYTES = 4 * VALUES * 2 * (RANKS - 1) // RANKS
"""What a job sends over the link each way in an iteration."""

SEND_S = EXCHANGE_BYTES * 8e-6 / RATE_MBIT * 1514 / 1448
"""Seconds of an exchange that has the link to itself; 1448 bytes of a packet of 1514 are payload."""

QUEUES = ("class", "fifo")
"""A class of the link for each job, or one queue, first in, first out, for all."""

NOISE = 0.2
REPEATS = 3
_SPAN_S = {"alone": 4.0, "fixed": 7.0, "free": 10.0, "equal": 10.0}


class Trial(NamedTuple):
    """One run of some jobs on the link.

    Attributes:
        queue: one of `QUEUES`.
        phases: `alone`, `fixed` (exchanges begin at set times), `free` (computing times vary by `NOISE`) or `equal`
            (free, but all computing times are the same); jobs begin together.
        jobs: how many.
        duty: share of an iteration that a job sends when it is alone; 1: it does nothing else.
        shift: with fixed phases, how long after the job before a job begins, in exchanges alone.
        repeat: 0, 1, ...
    """

    queue: str
    phases: str
    jobs: int
    duty: float
    shift: float
    repeat: int

    @property
    def compute_s(self) -> float:
        """Seconds of computing in an iteration, on the mean."""
        return SEND_S * (1.0 - self.duty) / self.duty

    @property
    def noise(self) -> float:
        """Relative variation of the computing time."""
        return NOISE if self.phases == "free" else 0.0

    @property
    def span_s(self) -> float:
        """Seconds in which iterations are begun."""
        return _SPAN_S[self.phases]

    @property
    def period_s(self) -> float:
        """With fixed phases, seconds between two exchanges of a job: all of them end before the next ones begin."""
        return 1.3 * self.jobs * SEND_S

    def seed(self, job: int) -> int:
        """Of the noise of a job: the same for both queues."""
        return 1000 * self.repeat + 10 * self.jobs + job


def plan() -> list[Trial]:
    """All trials, repeat by repeat, so that a plan that was stopped has tried everything once."""
    cells = [("alone", 1, 1.0, 0.0), *_fixed(), *_free()]
    return [Trial(queue, *cell, repeat) for repeat in range(REPEATS) for cell in cells for queue in QUEUES]


def _fixed() -> Iterator[tuple[str, int, float, float]]:
    for jobs in (2, 3, 4):
        for shift in (0.0, 0.5, 1.0):
            yield "fixed", jobs, 1.0, shift


def _free() -> Iterator[tuple[str, int, float, float]]:
    for jobs in (2, 3, 4):
        for duty in (0.3, 0.6, 1.0):
            yield "free", jobs, duty, 0.0
    for jobs in (2, 3):
        yield "equal", jobs, 0.4, 0.0


def computing(compute_s: float, noise: float, seed: int) -> Iterator[float]:
    """Seconds of one computing phase after the other, drawn as the exact mode draws them (`rarlib.fabric.phases`)."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield compute_s * (1.0 + noise * (2.0 * (state >> 11) / 2**53 - 1.0)) if noise else compute_s
