"""Where jobs stand when a scheduler takes over, from what it is told of each of them."""

from math import inf

import numpy as np
import pytest
from toys import Cost, jobs_of

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Stop, Wake
from rarlib.model.scheduler import Discipline
from rarlib.model.seeds import stream
from rarlib.simulator.state import FINISHED, RUNNING, WAITING
from rarlib.simulator.underway import Underway, take_over

NODES, LEVELS, RESTART_S, NOW_S = (3, 2, 4), (30.0, 100.0, 250.0), 4.0, 100.0


class Later:
    """Stops one job, if it is told to, and asks to be woken."""

    name = label = "later"
    paper = ""
    discipline = Discipline("attained", preemptive=True, levels=LEVELS)

    def __init__(self, wake_s, stops=()):
        self.wake_s, self.stops = wake_s, stops

    def decide(self, view):
        yield from (Stop(row) for row in self.stops)
        if self.wake_s < inf:
            yield Wake(self.wake_s)


def drawn(rng, gpus, submit_s):
    """Where jobs stand: waiting, ended, or on the next free GPUs, some for longer than their work takes."""
    free, there = list(NODES), []
    for wanted, submitted_s in zip(gpus, submit_s, strict=True):
        kind = str(rng.choice(["waits", "runs", "runs", "ended"]))
        ran = bool(rng.random() < 0.5)
        each = Underway(0.0, 0.0, (), 0.0, ran, kind == "ended")
        if ran:
            gpu_s = float(rng.choice([30.0, rng.uniform(0.0, 300.0)]))
            each = each._replace(share=float(rng.choice([0.0, 1.0, rng.random()])), gpu_s=gpu_s)
        if kind == "ended" and rng.random() < 0.3:  # what it held last
            each = each._replace(placement=((0, 1),), since_s=submitted_s)
        if kind == "runs" and sum(free) >= wanted:
            placement, left = [], int(wanted)
            for node in range(len(NODES)):
                taken = min(free[node], left)
                placement += [(node, taken)] if taken else []
                free[node], left = free[node] - taken, left - taken
            since_s = float(rng.choice([0.0, NOW_S - 2.0, rng.uniform(submitted_s, NOW_S)]))
            each = each._replace(placement=tuple(placement), since_s=max(since_s, submitted_s))
        there.append(each)
    return there, free


@pytest.mark.parametrize("number", range(30))
def test_jobs_stand_where_they_are_told_to(number):
    """Work, service, levels and starts by hand: a restart first, then progress at the slowest node's speed."""
    rng = stream(number, "underway")
    rows = [(float(rng.choice([0.0, rng.uniform(0.0, 90.0)])), int(rng.integers(1, 5)), 1.0) for _ in range(8)]
    jobs = jobs_of(rows)
    work, base_s, speed = rng.uniform(10.0, 200.0, 8), rng.uniform(0.5, 2.0, 8), rng.uniform(0.5, 2.0, 3)
    there, free = drawn(rng, jobs.gpus, jobs.submit_s)
    told = [Underway(**{name: value for name, value in each._asdict().items() if value}) for each in there]
    cost = Cost({"work": work, "base_s": base_s, "node_speed": speed, "launch_s": np.full(8, 1.5)})
    runs = [row for row, each in enumerate(there) if each.placement and not each.ended]
    wake_s, stops = float(rng.choice([inf, NOW_S + 5.0])), runs[:1]
    driver = take_over(jobs, Cluster.of(NODES), cost, Later(wake_s, stops), told, NOW_S, rng, restart_s=RESTART_S)
    s, view = driver.state, driver.view
    for row, each in enumerate(there):
        job = s.job[row]
        done, gpu_s, start_s = min(each.share, 1.0 - 1e-9) * work[row], each.gpu_s, np.nan
        if each.ran:
            start_s = jobs.submit_s[row]
        if row in runs:
            pause_s = RESTART_S if each.ran else 1.5
            rate = min(speed[node] for node, _ in each.placement) / base_s[row]
            done = min(done + max(NOW_S - each.since_s - pause_s, 0.0) * rate, (1.0 - 1e-9) * work[row])
            gpu_s += (NOW_S - each.since_s) * sum(gpus for _, gpus in each.placement)
            start_s = start_s if each.ran else each.since_s
            assert view.placement_of(row) == each.placement
            assert job.ready == pytest.approx(each.since_s + pause_s)
        assert job.phase == (FINISHED if each.ended else RUNNING if row in runs else WAITING)
        assert (job.done, job.gpu_seconds) == pytest.approx((done, gpu_s), rel=1e-12)
        assert done == 0.0 or job.done < work[row]
        assert job.level == sum(level <= gpu_s for level in LEVELS)
        assert job.start_s == pytest.approx(start_s, nan_ok=True)
        assert job.restarts == (each.ran and row in runs)
    waits = [row for row, each in enumerate(there) if row not in runs and not each.ended]
    assert (view.running_rows.tolist(), view.waiting_rows.tolist()) == (runs, waits)
    assert (s.run[0].now, view.now_s, view.arrivals_left) == (NOW_S, NOW_S, 0)
    assert (s.run[0].finished, s.run[0].waiting) == (8 - len(runs) - len(waits), len(waits))
    assert s.free.tolist() == free
    assert driver.decide_now() == wake_s
    assert view.running_rows.tolist() == runs[1:]
    assert driver.state.run[0].waiting == len(waits) + len(stops)
