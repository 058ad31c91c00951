"""The primitives that change a run's state, each against its rule in plain Python: all columns after every step."""

import numpy as np
import pytest
from plain_progress import SUMS, PlainRun
from toys import Cost

from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator import progress, share
from rarlib.simulator.state import FINISHED, RUNNING, WAITING, new_state, with_capacity

CLUSTER = Cluster.parse("gpu:4x3,cpu:1x2")
JOBS, LEVELS = 6, (15.0, 60.0)
PHASES = {"waiting": WAITING, "running": RUNNING, "finished": FINISHED}
HELD = ("held", "servers", "speed", "link", "sharers", "factor", "rate", "ready")
STEPS = ("stop", "finish", "move", "settle", "slow", "pace", "level", "level", "expire")
DUE = ("due", "finish_due", "expiry_due")
CLOCKS = {
    "by server": {},
    "on links": {"linked": 1},
    "ticks": {"tick_s": 3.0, "origin_s": 1.25},
    "whole slots": {"whole_slots": 1, "quantum": 5.0, "origin_s": 1.25},
    "whole iterations": {"slot_s": 5.0},
}


def drawn_prices(rng, slot_s, linked):
    """A price table in which no column is idle."""
    work = rng.uniform(20.0, 200.0, JOBS)
    return {
        "work": work, "base_s": rng.uniform(0.5, 2.0, JOBS), "local_s": rng.uniform(0.1, 0.5, JOBS),
        "link_s": rng.uniform(0.3, 2.0, JOBS), "server_s": rng.uniform(0.01, 0.2, JOBS),
        "cap_s": np.where((rng.random(JOBS) < 0.3) & (not linked), 2.5, np.inf), "unit": rng.uniform(0.5, 3.0, JOBS),
        "until": work * np.where(rng.random(JOBS) < 0.5, rng.choice([1.0, np.inf], JOBS), rng.uniform(0.2, 0.9, JOBS)),
        "launch_s": rng.uniform(0.0, 6.0, JOBS), "restart_s": rng.uniform(0.0, 9.0, JOBS),
        "sharing": np.array([1.0, 1.0, 2.2, 3.4]), "slot_s": slot_s, "node_speed": rng.uniform(0.5, 2.0, 5),
        "node_link": rng.uniform(0.5, 2.0, 5), "rack": np.array([0, 0, 1, 1, 2]),
        "rack_link": np.array([0.5, 3.0, 1.0]), "curve": rng.integers(-1, 2, JOBS),
        "speedup": np.sort(rng.uniform(0.5, 3.0, (2, 15)), axis=1),
    }  # fmt: skip


class Both:
    """A state of the engine and the plain one, to which the same happens."""

    def __init__(self, rng, slot_s=0.0, **clock):
        jobs = Jobs.build(submit_s=np.zeros(JOBS), gpus=np.ones(JOBS, int), duration_s=np.ones(JOBS))
        columns = drawn_prices(rng, slot_s, clock.get("linked", 0))
        self.prices = Cost(columns).price(jobs, CLUSTER)
        self.state = new_state(jobs, CLUSTER, self.prices, levels=LEVELS)
        for name, value in clock.items():
            self.state.run[name] = value
        self.state.run["arrived"] = self.state.run["waiting"] = JOBS
        self.state.job["phase"], self.state.job["gpus"] = WAITING, rng.integers(0, 4, JOBS)
        lists = {name: each.tolist() if isinstance(each, np.ndarray) else each for name, each in columns.items()}
        defaults = {"linked": 0, "tick_s": 0.0, "origin_s": 0.0, "whole_slots": 0, "quantum": 0.0}
        self.plain = PlainRun(lists, CLUSTER.is_gpu.tolist(), LEVELS, defaults | clock)
        self.rng, self.now = rng, 0.0

    def step(self):
        """One thing happens to one job."""
        self.now += float(self.rng.choice([0.0, self.rng.uniform(0.0, 12.0)]))
        row = int(self.rng.integers(JOBS))
        job = self.plain.jobs[row]
        if job["phase"] == "running":
            getattr(self, str(self.rng.choice(STEPS)))(row, job)
        elif job["phase"] == "waiting":
            self.start(row, self.place())

    def place(self):
        """Some free GPUs and task slots."""
        free, place = self.state.free, {}
        for node in self.rng.permutation(5)[: self.rng.integers(1, 4)].tolist():
            if free[node]:
                place[node] = int(self.rng.integers(1, free[node] + 1))
        return place

    def start(self, row, place):
        if place:
            counts = np.array([place.get(node, 0) for node in range(5)])
            self.state = with_capacity(self.state, len(place))
            progress.start(self.state, self.prices, row, counts, self.now)
            self.plain.start(row, place, self.now)

    def stop(self, row, job):
        progress.stop(self.state, self.prices, row, self.now)
        self.plain.release(row, "waiting", self.now)

    def finish(self, row, job):
        progress.finish_job(self.state, self.prices, row, self.now)
        self.plain.release(row, "finished", self.now)
        job["finish_s"] = self.now
        if self.plain.clock["tick_s"]:
            job["done"] = self.plain.p["work"][row]

    def move(self, row, job):
        place = dict(job["place"])
        self.stop(row, job)
        self.start(row, place)
        ready = self.now + float(self.rng.uniform(0.0, 3.0))
        progress.keep_going(self.state, self.prices, row, ready)
        job["restarts"], job["moves"], job["ready"] = job["restarts"] - 1, job["moves"] + 1, ready
        self.plain.plan(row)

    def settle(self, row, job):
        rows = np.array([each for each, other in enumerate(self.plain.jobs) if other["phase"] == "running"])
        progress.settle_each(self.state, self.prices, rows, self.now)
        for each in rows.tolist():
            self.plain.close(each, self.now)

    def slow(self, row, job):
        factor = float(self.rng.uniform(1.0, 3.0))
        progress.set_factor(self.state, self.prices, row, factor, self.now)
        self.plain.set_speed(row, self.now, factor)

    def pace(self, row, job):
        if self.plain.clock["linked"] and len(job["place"]) > 1:
            pace, due = (
                float(self.rng.choice([0.25, 1.0, self.rng.random()])),
                self.now + float(self.rng.uniform(0, 20)),
            )
            progress.set_pace(self.state, self.prices, row, pace, due, self.now)
            self.plain.set_pace(row, self.now, pace, due)

    def level(self, row, job):
        progress.settle(self.state, self.prices, row, self.now)
        self.state.job[row].level += 1
        progress.plan_event(self.state, self.prices, row)
        self.plain.close(row, self.now)
        job["level"] += 1
        self.plain.plan(row)

    def expire(self, row, job):
        if self.prices.until[row] >= self.prices.work[row]:
            return
        progress.expire(self.state, self.prices, row, self.now)
        assert self.state.run[0].expired == row
        assert self.state.job[row].heap_at == -1
        self.plain.close(row, self.now)
        job["done"] = self.plain.p["until"][row]
        self.prices.until[row], self.prices.unit[row] = np.inf, self.rng.uniform(0.5, 3.0)
        self.plain.p["until"][row], self.plain.p["unit"][row] = np.inf, float(self.prices.unit[row])
        progress.reprice(self.state, self.prices, row, self.now)
        self.plain.note(row)
        self.plain.set_speed(row, self.now, job["factor"])

    def share(self):
        """Share of all work that is done, in GPU-seconds on the requested gang, alone on one server."""
        done = total = 0.0
        for row, job in enumerate(self.plain.jobs):
            weight = max(int(self.state.job["gpus"][row]), 1) / self.state.job["alone_rate"][row]
            since_s = max(job["settled"], job.get("ready", 0.0))
            more = max(self.now - since_s, 0.0) * job["rate"] if job["phase"] == "running" else 0.0
            done += weight * min(job["done"] + more, self.plain.p["work"][row])
            total += weight * self.plain.p["work"][row]
        return done / total

    def compare(self):
        """All columns of all jobs, and what is kept by node and for the run."""
        s, jobs, run = self.state, self.plain.jobs, self.state.run[0]
        running = [row for row, job in enumerate(jobs) if job["phase"] == "running"]
        s.run["now"] = self.now
        assert share.done_share(s) == pytest.approx(self.share())
        assert s.job["phase"].tolist() == [PHASES[job["phase"]] for job in jobs]
        for name in (*SUMS, "settled", "start_s", "finish_s"):
            expected = [job[name] for job in jobs]
            assert s.job[name].tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True), name
        for row in running:
            job = jobs[row]
            expected = {name: job.get(name) for name in (*HELD, *DUE)}
            expected |= {
                "servers": len(job["place"]),
                "speed": min(self.plain.p["node_speed"][n] for n in job["place"]),
            }
            assert {name: s.job[name][row] for name in expected} == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert {int(row) for row in s.heap[: run.heap]} == set(running)
        if running:
            assert s.job["due"][s.heap[0]] == min(s.job["due"][running])
        assert (run.waiting, run.finished) == tuple(sum(j["phase"] == p for j in jobs) for p in ("waiting", "finished"))
        assert run.busy == sum(job["held"] for job in jobs if job["phase"] == "running")
        taken = [sum(job["place"].get(node, 0) for job in jobs) for node in range(5)]
        assert (s.free + taken).tolist() == CLUSTER.gpus.tolist()
        for node in range(5):
            assert sorted(s.tenants[node, : s.spanning[node]].tolist()) == self.plain.spanning(node)
        rows = [list(each) for each in s.rows[: run.rows].tolist()]
        assert rows == [[*each[:4], 0.0 if each[4] is None else each[4]] for each in self.plain.rows]
        assert s.changed[: run.changed].tolist() == self.plain.changed
        assert np.flatnonzero(s.job["noted"]).tolist() == sorted(self.plain.changed)


@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS)
def test_every_step_is_the_rule_in_plain_python(clock):
    """Starts, stops, moves, ends, new rows of prices and new speeds of six jobs that meet on five nodes, at random."""
    for number in range(10):
        both = Both(stream(number, "progress"), **clock)
        p, slot_s = both.prices, clock.get("slot_s", 0.0)
        tau = np.minimum(p.base_s + p.local_s, p.cap_s)
        assert both.state.job["alone_rate"] == pytest.approx(p.unit * (slot_s // tau / slot_s if slot_s else 1.0 / tau))
        for _ in range(40):
            both.step()
            both.compare()


def test_the_share_is_told_now_and_then(monkeypatch):
    """At the first call, then at most every 0.2 s by the clock, and at the end whatever the clock says."""
    clock, told = iter([10.0, 10.1, 10.2, 10.25, 10.45, 10.5, 10.5, 10.9]), []
    monkeypatch.setattr(share.time, "monotonic", lambda: next(clock))
    shares = iter([0.1, 0.2, 0.3, 0.4])
    report = share.reporter(told.append, lambda: next(shares), 9)
    counts = []
    for finished in (0, 1, 2, 3, 4, 5, 9, 8):
        report(finished)
        counts.append(len(told))
    assert counts == [1, 1, 1, 2, 2, 3, 4, 5]
    assert told == [0.1, 0.2, 0.3, 1.0, 0.4]
