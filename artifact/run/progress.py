"""Progress of a run of the pipeline: share of the predicted work, time left at the measured pace, one line of text."""

from collections.abc import Iterable
from typing import NamedTuple

PRIOR_S = 30.0
"""Predicted seconds of work after which the measured pace counts as much as the predicted one."""


class Planned(NamedTuple):
    """One job of a run: its number, rule, name within the rule (may be empty) and predicted seconds."""

    number: int
    rule: str
    name: str
    seconds: float


class Progress:
    """Finished and running jobs, and what they tell about the rest. Times are seconds of any one clock."""

    def __init__(self, jobs: Iterable[Planned], cores: int) -> None:
        self._jobs = {job.number: job for job in jobs}
        self._cores = max(cores, 1)
        self._began: dict[int, float] = {}
        self._took: dict[int, float] = {}
        self.failed: set[int] = set()

    def start(self, number: int, now: float) -> None:
        """Record the start of a job; a job that was not planned is ignored."""
        if number in self._jobs and number not in self._took:
            self._began[number] = now

    def end(self, number: int, now: float, failed: bool = False) -> None:
        """Record the end of a job; a failed job does not count as done and says nothing about the pace."""
        began = self._began.pop(number, now)
        if failed:
            self.failed.add(number)
        elif number in self._jobs:
            self._took[number] = now - began

    def knows(self, number: int) -> bool:
        """Whether a job was planned."""
        return number in self._jobs

    def renew(self, jobs: Iterable[Planned]) -> None:
        """Replace the jobs that have not begun: what a checkpoint finds asks for others."""
        begun = {*self._began, *self._took, *self.failed}
        kept = {number: job for number, job in self._jobs.items() if number in begun}
        self._jobs = {job.number: job for job in jobs} | kept

    @property
    def running(self) -> list[int]:
        """Running jobs, oldest first."""
        return list(self._began)

    def label(self, number: int) -> str:
        """Rule and name of a job."""
        job = self._jobs.get(number)
        return f"{job.rule} {job.name}".strip() if job else f"job {number}"

    def elapsed(self, number: int, now: float) -> float:
        """Seconds since a running job began; 0 for any other."""
        return now - self._began.get(number, now)

    def pace(self) -> float:
        """Seconds a job takes per predicted second: 1 at first, then as measured."""
        predicted = sum(self._jobs[number].seconds for number in self._took)
        return (PRIOR_S + sum(self._took.values())) / (PRIOR_S + predicted)

    def share(self, now: float) -> float:
        """Share of the predicted work that is done, 0 to 1; running jobs count up to their predicted time."""
        total = sum(job.seconds for job in self._jobs.values())
        return 1.0 - sum(self._open_s(now).values()) / total if total else float(len(self._took) == len(self._jobs))

    def left_s(self, now: float) -> float:
        """Seconds left at the measured pace: a lower bound for any order of the remaining jobs on the cores."""
        rest = [seconds for number, seconds in self._open_s(now).items() if number not in self.failed]
        return max(sum(rest) / self._cores, max(rest, default=0.0)) * self.pace()

    def _open_s(self, now: float) -> dict[int, float]:
        """Predicted seconds still to come of each job that is not done."""
        pace = self.pace()
        return {
            number: max(job.seconds - self.elapsed(number, now) / pace, 0.0)
            for number, job in self._jobs.items()
            if number not in self._took
        }

    def line(self, now: float) -> str:
        """Share, jobs, time left, and the running jobs with their times, oldest first."""
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
    """Seconds in rounded form: to 10 s below 90 s, else to a minute."""
    if seconds < 90:
        return f"{max(10, 10 * round(seconds / 10))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"
