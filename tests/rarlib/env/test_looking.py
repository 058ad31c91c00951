"""The compiled look at a run says what plain Python says, and what an observer outside of the simulator has noted."""

import numpy as np
import pytest

from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.env.core import SteppedRun
from rarlib.env.looking import JOB_FEATURES
from rarlib.simulator.state import RUNNING
from tests.rarlib.env.test_core import CLUSTER, drawn


def in_python(run):
    """Observation from the records of the state, number by number in double precision, rounded once at the end."""
    state, view = run.driver.state, run.driver.view
    clock, features = state.run[0], []
    for rows in (view.waiting_rows.tolist(), view.running_rows.tolist()):
        shown = rows[: run.slots]
        for row in shown:
            job = state.job[row]
            moving = max(clock.now - max(job.settled, job.ready), 0.0) if job.phase == RUNNING else 0.0
            left = max(job.work - (job.done + moving * job.rate), 0.0)
            features.append((job.gpus, left / job.alone_rate, job.queue_s, job.gpu_seconds))
        features += [(0.0, 0.0, 0.0, 0.0)] * (run.slots - len(shown))
    nodes = [free * (1.0 / gpus) for free, gpus in zip(state.free, CLUSTER.gpus, strict=True)]
    running = clock.arrived - clock.finished - clock.waiting
    counts = (clock.waiting, running, len(state.job) - clock.arrived)
    return [np.array(each, np.float64).astype(np.float32) for each in (features, nodes, counts)]


def mask_in_python(run, changed):
    """What `SteppedRun.mask` promises; `changed` are the jobs that this pass has started or stopped."""
    view = run.driver.view
    waiting, running = view.waiting_rows.tolist(), view.running_rows.tolist()
    more, spare = view.arrivals_left > 0, int(view.free.sum())
    starts = [view.jobs.gpus[job] <= spare and job not in changed for job in waiting[: run.slots]]
    stops = [(len(running) > 1 or more) and job not in changed for job in running[: run.slots]]
    pads = [[False] * (run.slots - len(part)) for part in (starts, stops)]
    return [bool(running) or more or not waiting, *starts, *pads[0], *stops, *pads[1]]


def taken(run, action, changed):
    """The set of changed jobs after an action."""
    if action == 0:
        return set()
    view = run.driver.view
    rows = view.waiting_rows if action <= run.slots else view.running_rows
    return changed | {int(rows[(action - 1) % run.slots])}


@pytest.mark.parametrize("quantum", [0.0, 60.0])
@pytest.mark.parametrize("slots", [2, 6, 64])
@pytest.mark.parametrize("seed", range(3))
def test_observations_and_masks_are_those_of_plain_python_byte_for_byte(seed, slots, quantum):
    """Under contention, with more jobs than slots and with fewer, whatever the agent does."""
    run, rng = SteppedRun(drawn(seed), CLUSTER, RingCost(), slots=slots, quantum=quantum), np.random.default_rng(seed)
    seen, changed, looks = run.reset(), set(), 0
    while not run.over:
        assert [(a.dtype, a.shape, a.tobytes()) for a in seen] == [
            (b.dtype, b.shape, b.tobytes()) for b in in_python(run)
        ]
        allowed = run.mask()
        assert allowed.tolist() == mask_in_python(run, changed)
        action = int(rng.choice(np.flatnonzero(allowed)))
        changed = taken(run, action, changed)
        seen, _, _ = run.step(action)
        looks += 1
    assert looks > 80  # each job arrives and starts
    assert not run.mask().any()


def test_features_are_what_somebody_outside_has_noted():
    """Without contention a job ends when it has held GPUs for its recorded time, so a watch and a list are enough."""
    jobs, rng = drawn(7), np.random.default_rng(7)
    run = SteppedRun(jobs, CLUSTER, TraceCost(), slots=40)
    seen, held_s, since, waited_s = run.reset(), np.zeros(40), jobs.submit_s.copy(), np.zeros(40)
    was, looks = set(), 0
    while not run.over:
        now, view = run.driver.view.now_s, run.driver.view
        waiting, running = view.waiting_rows.tolist(), view.running_rows.tolist()
        for job in set(running) - was:  # started at this instant, in the step before
            waited_s[job] += now - since[job]
            since[job] = now
        for job in was.intersection(waiting):
            held_s[job] += now - since[job]
            since[job] = now
        was = set(running)
        want = [(jobs.gpus[j], jobs.duration_s[j] - held_s[j], waited_s[j], held_s[j] * jobs.gpus[j]) for j in waiting]
        assert seen.jobs[: len(waiting)] == pytest.approx(np.array(want).reshape(-1, 4), rel=1e-5, abs=1e-3)
        so_far = [held_s[j] + now - since[j] for j in running]
        left = [jobs.duration_s[j] - each for j, each in zip(running, so_far, strict=True)]
        want = [(jobs.gpus[j], s, waited_s[j]) for j, s in zip(running, left, strict=True)]
        there = seen.jobs[40 : 40 + len(running)]
        assert there[:, :3] == pytest.approx(np.array(want).reshape(-1, 3), rel=1e-5, abs=1e-3)
        # GPU-seconds of a running job are those of a moment since it started.
        gpus = jobs.gpus[running]
        assert (there[:, 3] >= held_s[running] * gpus - 0.1).all()
        assert (there[:, 3] <= np.array(so_far) * gpus + 0.1).all()
        looks += len(running)
        seen, _, _ = run.step(int(rng.choice(np.flatnonzero(run.mask()))))
    assert looks > 100 and seen.jobs.shape == (80, len(JOB_FEATURES))


def test_what_an_agent_writes_into_its_arrays_changes_nothing():
    run, again = (SteppedRun(drawn(1), CLUSTER, RingCost(), slots=6) for _ in range(2))
    seen, mask = run.reset(), run.mask()
    for each in (*seen, mask):
        each[:] = 0
    fresh = again.reset()
    assert (run.mask() == again.mask()).all() and again.mask().any()
    assert all(np.array_equal(a, b) for a, b in zip(run.observe(), fresh, strict=True))


def test_before_the_first_reset_nothing_is_allowed():
    run = SteppedRun(drawn(1), CLUSTER, RingCost(), slots=6)
    assert run.over and not run.mask().any()
