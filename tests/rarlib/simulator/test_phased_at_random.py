"""Runs in which every phase is followed, against plain Python: jobs on one pair of servers come, stop and go on."""

import numpy as np
import pytest
from plain_phases import PlainPhases
from test_phased_links import few

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.cost.links import phase_group
from rarlib.cost.links.phase_group import BEGINNING, LinkedJob
from rarlib.cost.ring import RingCost
from rarlib.fabric.shapes import one_switch
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Start, Stop, Wake
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate

JOBS, RESTART_S, BOTH = 5, 1.75, ((0, 1), (1, 1))
PAIR = one_switch(2, 10.0)


class Script:
    """Starts who is submitted, stops and starts jobs at given times, and notes what it did."""

    name = label = "script"
    paper = ""

    def __init__(self, rng):
        self.rng, self.done, self.due_s = rng, [], rng.uniform(1.0, 120.0, 8).tolist()

    def decide(self, view):
        self.due_s = [at_s for at_s in self.due_s if at_s > view.now_s]
        stops = [row for row in view.running_rows.tolist() if self.due_s and self.rng.random() < 0.2]
        starts = [row for row in view.waiting_rows.tolist() if not self.due_s or self.rng.random() < 0.7]
        starts += [row for row in stops if self.rng.random() < 0.5]
        self.done.append((view.now_s, stops, starts))
        yield from (Stop(row) for row in stops)
        yield from (Start(row, BOTH) for row in starts)
        if self.due_s:
            yield Wake(min(self.due_s))


class Unlike(RingCost):
    """Jobs whose computing and sending take times of their own."""

    def price(self, jobs, cluster):
        rng, prices = stream(len(jobs), "unlike"), super().price(jobs, cluster)
        base_s, link_s = (
            prices.base_s * rng.uniform(0.3, 1.5, len(jobs)),
            prices.link_s * rng.uniform(0.3, 1.5, len(jobs)),
        )
        return prices._replace(base_s=base_s, link_s=link_s)


def followed(run, script, alpha, until_s, steady):
    """Finishes, what every link carried, and time spent one way or the other, from the decisions alone."""
    p, plain = run.prices, PlainPhases((), 1.0, alpha, 0.0, steady)
    lap_s = p.base_s + 2 * p.server_s + p.link_s
    left_s, finish_s, ran = p.work * lap_s, np.full(JOBS, np.nan), set()

    def go(time):
        while plain.now < time and plain.jobs:
            plain.go(time)
            for job in [job for job in plain.jobs if job["goal"] <= 1e-9]:
                finish_s[job["row"]] = plain.now
                plain.remove(job["row"])
        plain.now = time

    for now_s, stops, starts in script:
        go(now_s)
        for row in stops:
            left_s[row] = plain.remove(row)
        for row in starts:
            ready_s = now_s + RESTART_S * (row in ran)
            compute_s, send_s = float(lap_s[row] - p.link_s[row]), float(p.link_s[row])
            plain.add(LinkedJob(row, compute_s, send_s, send_s, None, float(left_s[row]), BEGINNING, ready_s))
            ran.add(row)
    go(until_s)
    return finish_s, plain.carried_s, plain.spent_s


@pytest.mark.parametrize("steady", [10**9, 1])
@pytest.mark.parametrize("number", range(16))
def test_ends_and_traffic_follow_from_the_decisions(number, steady, monkeypatch):
    """Work goes on where it was, but a job that starts again begins with a new iteration."""
    monkeypatch.setattr(phase_group, "STEADY_ITERATIONS", steady)
    rng = stream(number, "phased at random")
    alpha, until_s = float(rng.choice([0.0, 0.4])), float(rng.choice([np.inf, np.inf, 90.0]))
    jobs = few([2] * JOBS, rng.uniform(10.0, 40.0, JOBS).tolist(), np.sort(rng.uniform(0.0, 20.0, JOBS)).tolist())
    alone, script = Unlike(share=0.5, overhead=0.05, gbps=10.0), Script(rng)
    cost = on_fabric(alone, PAIR, alpha, 0, "flow")
    cluster = laid_out(Cluster.of([JOBS] * 2), PAIR)
    run = simulate(jobs, cluster, script, cost, restart_s=RESTART_S, until_s=until_s)
    finish_s, carried_s, spent_s = followed(run, script.done, alpha, until_s, steady)
    assert run.finish_s == pytest.approx(finish_s, rel=1e-8, nan_ok=True)
    assert {name: run.counters[name] for name in spent_s} == pytest.approx(spent_s, rel=1e-8)
    assert (spent_s["steady_s"] > 0.0) == (steady == 1)
    # A job that is alone counts as sending evenly, so a stint of it is wrong by one exchange at most.
    stints = [row for _, _, starts in script.done for row in starts]
    assert run.links["carried_s"].tolist() == pytest.approx([carried_s] * 4, abs=run.prices.link_s[stints].sum())
    lap_s, ended = run.prices.base_s + 2 * run.prices.server_s + run.prices.link_s, run.finished
    held_s = run.finish_s - jobs.submit_s - run.queue_s - run.restart_s
    lost_s = (held_s - run.prices.work * lap_s)[ended]
    assert run.contention_s[ended] == pytest.approx(lost_s, rel=1e-8, abs=1e-8)
    assert run.links["contention_s"].sum() == pytest.approx(run.contention_s.sum())
    assert run.contention_s.sum() > 1.0
