"""What a scheduler sees at every pass, against an account that it keeps of its own decisions."""

import numpy as np
import pytest
from toys import Cost, jobs_of

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Allocation, Start, Stop, Wake
from rarlib.model.forecast import OUTLIVED, Forecast
from rarlib.model.scheduler import Discipline
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate

JOBS, NODES, LEVELS, RESTART_S = 10, (3, 2, 4), (20.0, 60.0), 2.5


class Account:
    """One job's stints, as its scheduler began and ended them."""

    def __init__(self):
        self.placement, self.since_s, self.pause_s, self.past, self.starts = (), 0.0, 0.0, [], 0

    def begin(self, placement, now_s):
        self.placement, self.since_s, self.pause_s = placement, now_s, RESTART_S * (self.starts > 0)
        self.starts += 1

    def end(self, now_s):
        self.past.append((self.since_s, now_s, self.pause_s, self.placement))
        self.placement = ()

    def stints(self, now_s):
        return self.past + ([(self.since_s, now_s, self.pause_s, self.placement)] if self.placement else [])

    def gpu_s(self, now_s):
        return sum((end - begin) * sum(gpus for _, gpus in held) for begin, end, _, held in self.stints(now_s))

    def moving_s(self, now_s, speed):
        """Seconds of progress, those on the fastest GPUs weighted by their speed."""
        return sum(
            max(end - begin - pause, 0.0) * min(speed[node] for node, _ in held)
            for begin, end, pause, held in self.stints(now_s)
        )


class Bookkeeper:
    """Starts, stops and moves jobs at random for a while, then starts whoever fits; looks at the view at each pass."""

    name = label = "bookkeeper"
    paper = ""
    discipline = Discipline("attained", preemptive=True, levels=LEVELS)

    def __init__(self, rng, jobs, forecast, columns):
        self.rng, self.jobs, self.forecast, self.columns = rng, jobs, forecast, columns
        self.accounts, self.passes = [Account() for _ in range(JOBS)], 0

    def done(self, now_s):
        moving = np.array([each.moving_s(now_s, self.columns["node_speed"]) for each in self.accounts])
        return moving * self.columns["unit"] / self.columns["base_s"]

    def decide(self, view):
        self.passes += 1
        work, now_s = self.columns["work"], view.now_s
        done = self.done(now_s)
        for row in np.flatnonzero(done > work - 1e-7):
            if self.accounts[row].placement:  # it has ended at this instant: the view no longer has it
                self.accounts[row].end(now_s)
        ended = done > work - 1e-7
        there = np.flatnonzero((self.jobs.submit_s <= now_s) & ~ended).tolist()
        self.look(view, there, done, now_s)
        yield from self.change(view, there, now_s)
        self.look(view, there, done, now_s)
        if self.passes < 60:
            yield Wake(now_s + float(self.rng.choice([0.5, 1.0, 4.0])))

    def look(self, view, there, done, now_s):
        """Everything that the view says of who runs and who waits, and of what each has done."""
        running = [row for row in there if self.accounts[row].placement]
        waiting = [row for row in there if not self.accounts[row].placement]
        assert (view.running_rows.tolist(), view.waiting_rows.tolist()) == (running, waiting)
        assert [job.row for job in view.waiting] == waiting
        assert [list(rows) for rows in view.first_rows(2)] == [waiting[:2], running[:2]]
        told = [(each.job.row, each.placement, each.since_s) for each in view.running]
        assert told == [(row, self.accounts[row].placement, self.accounts[row].since_s) for row in running]
        assert [view.placement_of(row) for row in running] == [placement for _, placement, _ in told]
        taken = np.zeros(len(NODES), int)
        for _, placement, _ in told:
            for node, gpus in placement:
                taken[node] += gpus
        assert (view.free + taken).tolist() == list(NODES)
        with pytest.raises(ValueError, match="read-only"):
            view.free[0] = 0
        self.look_at_work(view, there, done, now_s)
        arrived = int((self.jobs.submit_s <= now_s).sum())
        assert view.arrivals_left == JOBS - arrived
        assert view.job(arrived - 1).row == arrived - 1
        for row in (-1, arrived):
            with pytest.raises(IndexError):
                view.job(row)

    def look_at_work(self, view, there, done, now_s):
        """Work, service and levels, one by one and for all at once."""
        rows, work, factor = np.array(there, np.int64), self.columns["work"], self.forecast.factor
        attained = [self.accounts[row].gpu_s(now_s) for row in there]
        close = {"rel": 1e-9, "abs": 1e-7}
        assert view.attained_gpu_s(rows) == pytest.approx(np.array(attained), **close)
        assert [view.attained_gpu_s(row) for row in there] == pytest.approx(attained, **close)
        assert view.work_done(rows) == pytest.approx(done[rows], **close)
        left = work - done
        told = np.minimum(np.maximum(left - (1.0 - factor) * work, OUTLIVED * factor * work), factor * work)
        told = np.where(factor == 1.0, left, told)
        assert view.work_left(rows) == pytest.approx(told[rows], **close)
        seconds = told * self.columns["base_s"] / self.columns["unit"]
        assert view.remaining_s(rows) == pytest.approx(seconds[rows], **close)
        assert [view.remaining_s(row) for row in there] == view.remaining_s(rows).tolist()
        assert view.prices.work == pytest.approx(work * factor)
        assert [view.job(row).duration_s for row in there] == pytest.approx(self.jobs.duration_s[rows] * factor[rows])
        moving = [row for row in there if self.accounts[row].placement]
        moving = [row for row in moving if now_s > self.accounts[row].since_s + self.accounts[row].pause_s]
        assert view.progressed().tolist() == moving
        for row, gpu_s in zip(there, attained, strict=True):
            low, high = (sum(level <= gpu_s + slack for level in LEVELS) for slack in (-1e-6, 1e-6))
            assert low <= view.level(row) <= high
        assert view.level(rows).tolist() == [view.level(row) for row in there]

    def change(self, view, there, now_s):
        """Stops and starts, one by one or all at once."""
        free = dict(enumerate(view.free.tolist()))
        restless = self.passes < 60
        stops = [row for row in there if self.accounts[row].placement and restless and self.rng.random() < 0.15]
        for row in stops:
            for node, gpus in self.accounts[row].placement:
                free[node] += gpus
        kept = {row: self.accounts[row].placement for row in there if row not in stops}
        starts = {}
        for row in there:
            if not kept.get(row) and not (restless and self.rng.random() < 0.3):
                placement = self.fit(free, int(self.jobs.gpus[row]))
                starts |= {row: placement} if placement else {}
        for row in stops:
            self.accounts[row].end(now_s)
        if self.rng.random() < 0.3:
            rows, held = np.array(there, np.int64), kept | starts
            gpus = np.zeros((len(there), len(NODES)), np.int64)
            for i, row in enumerate(there):
                for node, count in held.get(row, ()):
                    gpus[i, node] = count
            # One that is stopped and gets the same GPUs again goes on, as an allocation that does not change.
            yield Allocation(rows, gpus)
            for row in set(stops) & set(starts):
                if starts[row] == self.accounts[row].past[-1][3]:
                    begin, _, pause, placement = self.accounts[row].past.pop()
                    self.accounts[row].placement, self.accounts[row].since_s = placement, begin
                    self.accounts[row].pause_s = pause
                    del starts[row]
        else:
            yield from (Stop(row) for row in stops)
            yield from (Start(row, placement) for row, placement in starts.items())
        for row, placement in starts.items():
            self.accounts[row].begin(placement, now_s)

    def fit(self, free, gpus):
        """A gang's GPUs on nodes in random order, ascending; empty if there are too few."""
        if sum(free.values()) < gpus:
            return ()
        found = {}
        for node in self.rng.permutation(len(NODES)).tolist():
            found |= {node: min(free[node], gpus)} if min(free[node], gpus) else {}
            free[node] -= found.get(node, 0)
            gpus -= found.get(node, 0)
        return tuple(sorted(found.items()))


@pytest.mark.parametrize("number", range(8))
def test_the_view_is_what_its_scheduler_has_brought_about(number):
    """Jobs of known speed; half of the runs are told predictions that are wrong, or right for some jobs only."""
    rng = stream(number, "view")
    jobs = jobs_of([(rng.uniform(0, 40), int(rng.integers(1, 6)), rng.uniform(1.0, 40.0)) for _ in range(JOBS)])
    columns = {
        "work": rng.uniform(5.0, 60.0, JOBS), "base_s": rng.uniform(0.5, 2.0, JOBS),
        "unit": rng.uniform(0.5, 2.0, JOBS), "node_speed": rng.uniform(0.5, 2.0, len(NODES)),
    }  # fmt: skip
    forecast = Forecast.exact(JOBS)
    if number % 2:
        factor = np.where(rng.random(JOBS) < 0.3, 1.0, rng.uniform(0.3, 2.0, JOBS))
        forecast = Forecast(factor, rng.random(JOBS) < 0.5)
    keeper = Bookkeeper(rng, jobs, forecast, columns)
    run = simulate(
        jobs, Cluster.of(NODES), keeper, Cost(columns), restart_s=RESTART_S, forecast=forecast, compiled=False
    )
    assert run.finished.all()
    assert keeper.passes > 60
    assert run.restarts.tolist() == [each.starts - 1 for each in keeper.accounts]
    assert run.counters["passes"] == keeper.passes
    levels = sum(level < gpu_s for gpu_s in run.gpu_seconds for level in LEVELS)
    assert run.counters["events"] == 2 * JOBS + levels, "arrivals, ends and levels"
