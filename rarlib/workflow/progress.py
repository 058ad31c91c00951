"""How far a run of the pipeline is: share of the predicted work, time left at the pace seen, one line that says it."""

from collections.abc import Iterable
from typing import NamedTuple

PRIOR_S = 30.0
"""Predicted seconds of work that must be done before the pace seen counts as much as the predicted one."""


class Planned(NamedTuple):
    """One job of a run: its number, rule, name within the rule (may be empty) and predicted seconds."""

    number: int
    rule: str
    name: str
    seconds: float


class Progress:
    """What is done, what is running, and what that tells of the rest. Times are seconds of any one clock."""

    def __init__(self, jobs: Iterable[Planned], cores: int) -> None:
        self._jobs = {job.number: job for job in jobs}
        self._cores = max(cores, 1)
        self._began: dict[int, float] = {}
        self._took: dict[int, float] = {}
        self.failed: set[int] = set()

    def start(self, number: int, now: float) -> None:
        """A job begins; one that was not planned is left out."""
        if number in self._jobs and number not in self._took:
            self._began[number] = now

    def end(self, number: int, now: float, failed: bool = False) -> None:
        """A job has ended; one that failed is not done, and says nothing of the pace."""
        began = self._began.pop(number, now)
        if failed:
            self.failed.add(number)
        elif number in self._jobs:
            self._took[number] = now - began

    @property
    def running(self) -> list[int]:
        """Jobs at work, the oldest first."""
        return list(self._began)

    def label(self, number: int) -> str:
        """Rule and name of a job."""
        job = self._jobs.get(number)
        return f"{job.rule} {job.name}".strip() if job else f"job {number}"

    def elapsed(self, number: int, now: float) -> float:
        """Seconds since a running job began; 0 for any other."""
        return now - self._began.get(number, now)

    def pace(self, now: float) -> float:
        """Seconds a job takes per predicted second: 1 before anything is known, then as measured.

        A running job counts once it takes longer than predicted, as if it ended now.
        """
        seen = self._took | {number: self.elapsed(number, now) for number in self._began}
        known = {n: s for n, s in seen.items() if n in self._took or s > self._jobs[n].seconds}
        return (PRIOR_S + sum(known.values())) / (PRIOR_S + sum(self._jobs[number].seconds for number in known))

    def share(self, now: float) -> float:
        """Share of the predicted work that is done, running jobs included for as long as they were to take; 0 to 1."""
        total = sum(job.seconds for job in self._jobs.values())
        return 1.0 - sum(self._open_s(now).values()) / total if total else float(len(self._took) == len(self._jobs))

    def left_s(self, now: float) -> float:
        """Seconds left: the least that any order of the rest can take on the cores, at the pace seen."""
        rest = [seconds for number, seconds in self._open_s(now).items() if number not in self.failed]
        return max(sum(rest) / self._cores, max(rest, default=0.0)) * self.pace(now)

    def _open_s(self, now: float) -> dict[int, float]:
        """Predicted seconds still to come of each job that is not done."""
        pace = self.pace(now)
        return {
            number: max(job.seconds - self.elapsed(number, now) / pace, 0.0)
            for number, job in self._jobs.items()
            if number not in self._took
        }

    def line(self, now: float) -> str:
        """Share, jobs, time left, and what is running for how long, the oldest first."""
        parts = [f"{int(100 * self.share(now) + 1e-9):3d} %", f"{len(self._took)} of {len(self._jobs)} jobs"]
        if self.failed:
            parts.append(f"{len(self.failed)} failed")
        if self._began:
            parts.append(f"about {coarse(self.left_s(now))} left")
            parts.append(", ".join(f"{self.label(n)} {clock(self.elapsed(n, now))}" for n in self.running))
        return " | ".join(parts)


def clock(seconds: float) -> str:
    """Seconds as m:ss or h:mm:ss."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def coarse(seconds: float) -> str:
    """Seconds as one would say them: to 10 s below 90 s, else to a minute."""
    if seconds < 90:
        return f"{max(10, 10 * round(seconds / 10))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
