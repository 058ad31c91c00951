"""When a scheduler has asked for too many passes: drawn presents of a run, and the three rules on lists."""

from math import inf

import numpy as np
import pytest
from toys import Cost, jobs_of

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.limits import FRUITLESS, IDLE, PASSES
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator import heap, waking
from rarlib.simulator.state import FINISHED, RUNNING, WAITING, new_state

JOBS, SAMPLE = 3, 4


class Presents:
    """A run whose jobs restart, make progress, end and arrive as drawn, with the passes that are asked for."""

    def __init__(self, rng):
        jobs, cluster = jobs_of([(0, 1, 1)] * 2 + [(1e4, 1, 1)] * (JOBS - 2)), Cluster.of([JOBS])
        self.state, self.rng = new_state(jobs, cluster, Cost().price(jobs, cluster)), rng
        self.state.run["arrived"] = int(rng.choice([2, JOBS, JOBS]))
        self.state.job["phase"] = WAITING
        self.now, self.restless, self.step_s = 0.0, rng.random() < 0.7, float(rng.choice([0.125, 1.0, 3.0]))

    def go_on(self):
        """The next pass: something happens to one job, or nothing."""
        s, rng = self.state, self.rng
        row, what = int(rng.integers(2)), rng.random()
        if s.job["phase"][row] == RUNNING and what < 0.02:
            heap.remove(s, row)
            s.job["phase"][row], s.job["done"][row] = FINISHED, s.job["done"][row] + 1.0
            s.run["finished"] += 1
            s.run["events"] += 1
        elif s.job["phase"][row] == RUNNING and what < (0.9 if self.restless else 0.02):
            s.job["restarts"][row] += 1
            s.job["done"][row] += s.job["rate"][row] * max(
                self.now - max(s.job["settled"][row], s.job["ready"][row]), 0.0
            )
            s.job["settled"][row], s.job["ready"][row] = self.now, self.now + 2.5 * self.step_s
        elif s.job["phase"][row] == WAITING and what < 0.1:
            s.job["phase"][row], s.job["rate"][row] = RUNNING, float(rng.choice([0.5, 2.0]))
            s.job["settled"][row], s.job["ready"][row] = self.now, self.now + float(rng.choice([0.0, 1e3]))
            heap.set_event(s, row, self.now + float(rng.choice([5.0, 500.0])))
        elif what > 0.97:
            s.run["events"] += 1
        self.now += self.step_s
        s.run["now"] = self.now

    def done(self):
        """Work of all jobs up to now."""
        total = 0.0
        for job in self.state.job:
            since = max(job.settled, job.ready)
            total += job.done + (job.rate * (self.now - since) if job.phase == RUNNING and self.now > since else 0.0)
        return total

    def upcoming(self):
        """Next end of a job, or arrival."""
        ends = [float(job.due) for job in self.state.job if job.phase == RUNNING]
        arrivals = [float(job.submit_s) for job in self.state.job[self.state.run[0].arrived :]]
        return min(ends + arrivals, default=inf)


class Rules:
    """The three rules, from a list of all presents so far: (now, events, upcoming, done, restarts, finished)."""

    def __init__(self, passes, fruitless, idle):
        self.passes, self.fruitless, self.idle, self.seen = passes, fruitless, idle, []

    def broken(self, present):
        """The word by which the message of the first broken rule is known, or nothing."""
        self.seen.append(present)
        n = len(self.seen)
        if n % self.fruitless == 0:
            before = self.seen[n - self.fruitless - 1] if n > self.fruitless else (0.0, 0, 0.0, -1.0, 0, 0)
            exchanged = present[4] - before[4] > self.fruitless / 2
            if exchanged and (present[3], present[5]) == (before[3], before[5]):
                return "restarts jobs"
        if n > self.idle and all(upcoming == inf for _, _, upcoming, *_ in self.seen[-self.idle - 1 :]):
            return "leaves all GPUs idle"
        first = next(i for i in range(n) if all(each[1] == present[1] for each in self.seen[i:]))
        row, span = n - first, present[0] - self.seen[first][0]
        ahead = (present[2] - present[0]) * row / span if row % SAMPLE == 0 and present[2] < inf else 0.0
        return "asks for more than" if n + ahead > self.passes else ""


def test_the_three_rules_on_drawn_presents(monkeypatch):
    """Small limits; every present that breaks a rule is refused for it, and no other one is."""
    monkeypatch.setattr(waking, "_SAMPLE", SAMPLE)
    told = []
    for number in range(150):
        rng = stream(number, "passes")
        passes, fruitless, idle = int(rng.choice([90, 400])), int(rng.choice([3, 6, 7])), int(rng.choice([5, 12]))
        for name, cap, most in (("PASSES", PASSES, passes), ("FRUITLESS", FRUITLESS, fruitless), ("IDLE", IDLE, idle)):
            monkeypatch.setattr(waking, name, cap._replace(most=most))
        presents, rules, counted = Presents(rng), Rules(passes, fruitless, idle), waking.Waking(Fifo())
        rule = ""
        while not rule:
            presents.go_on()
            s = presents.state
            present = (presents.now, int(s.run[0].events), presents.upcoming(), presents.done())
            rule = rules.broken((*present, int(s.job["restarts"].sum()), int(s.run[0].finished)))
            if rule:
                with pytest.raises(InputError, match=f"scheduler fifo {rule}"):
                    counted.ask(s)
            else:
                counted.ask(s)
        told.append((rule, len(rules.seen) < passes))
    for rule in ("restarts jobs", "leaves all GPUs idle", "asks for more than"):
        assert np.count_nonzero([each == rule for each, _ in told]) >= 10, "each rule must be broken in some runs"
    assert ("asks for more than", True) in told, "some must be foreseen"
    assert ("asks for more than", False) in told, "and others not"
