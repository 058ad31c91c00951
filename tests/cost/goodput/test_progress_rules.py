"""Batches, price rows and observations of a job, computed once more in plain Python on drawn states of a run."""

import math
from typing import Any

import numpy as np
import pytest

from rarlib.cost.goodput import progress
from rarlib.cost.goodput.batch import no_batches
from rarlib.cost.goodput.descent import new_space
from rarlib.cost.goodput.estimates import CODE, OWN_PROFILE, PAPER, _source
from rarlib.cost.goodput.progress import FINE, JOB, MODEL, OUTSIDE, TOO_SMALL, TrainingState
from rarlib.cost.goodput.step_time import CURVE
from rarlib.model.prices import Prices

BATCHES = np.array([12, 24, 48, 96])
EPOCHS = 3


def drawn(seed: int) -> TrainingState:
    """Two jobs of two applications, two placements' times, of which the last one has a gap."""
    rng = np.random.default_rng(seed)
    curves = np.zeros(2, CURVE).view(np.recarray)
    curves[0], curves[1] = (3, 4, 20, 16, 4, 15), (20, 2, 31, 24, 0, -1)
    sync = rng.uniform(0.01, 0.1, 50)
    times = np.column_stack([sync + rng.uniform(0.1, 1.0, 50), sync])
    times[40] = math.nan
    steps = rng.uniform(10.0, 20.0, (2, len(BATCHES), EPOCHS))
    gradients = np.stack([steps.cumsum(axis=2), *rng.uniform(0.1, 5.0, (2, 2, len(BATCHES), EPOCHS))], axis=1)
    jobs = np.zeros(2, JOB).view(np.recarray)
    for j in range(2):
        job: Any = jobs[j]
        job.app, job.curve = j, int(rng.integers(2))
        job.nodes, job.replicas = int(rng.integers(1, 3)), int(rng.integers(1, 4))
        job.replicas += job.nodes - 1
        job.epoch, job.epochs = int(rng.integers(EPOCHS)), EPOCHS
        job.first, job.most, job.slowdown = 12, 96, rng.uniform(1.0, 2.0)
        job.requested, job.least = int(rng.integers(1, 100)), int(rng.integers(1, 9))
        job.cap, job.tuned = int(rng.choice([0, 5, 50])), int(rng.integers(2))
        job.slot, job.local, job.steps = -1, int(rng.integers(1, 33)), int(rng.integers(3))
    model, observed = np.zeros((2, 2), MODEL).view(np.recarray), np.zeros((2, 2, 4, 5))
    sizes = np.array([BATCHES, BATCHES])
    return TrainingState(
        jobs, curves, times, sizes, gradients, model, np.zeros((2, 2, 7)), observed, no_batches(4)
    )  # fmt: skip


def statistic(w: TrainingState, job: Any, quantity: int, batch: float) -> float:
    """Linear between the measured batches, the nearest one beyond them."""
    return float(np.interp(batch, BATCHES, w.gradients[job.app, quantity, :, job.epoch]))


@pytest.mark.parametrize("seed", range(60))
def test_rows_are_priced_by_the_measured_times(seed: int) -> None:
    """Refused outside of the curve, in its gap, and below the initial batch; until the least end of the epoch."""
    w = drawn(seed)
    for j in range(2):
        job, curve = w.job[j], w.curves[w.job[j].curve]
        batch = job.replicas * job.local * (job.steps + 1)
        at = curve.offset + job.local - curve.first
        measured = curve.first <= job.local <= curve.last and not math.isnan(w.times[at, 0])
        expected = OUTSIDE if not measured else TOO_SMALL if batch < 12 else FINE
        assert progress.write_row(w, j) == expected
        if expected != FINE:
            assert (w.job[j].base_s, w.job[j].sync_s, w.job[j].unit, w.job[j].until) == (0.0, 0.0, 0.0, 0.0)
            continue
        step, sync = w.times[at]
        square, variance = (statistic(w, job, quantity, batch) for quantity in (1, 2))
        worth = (variance + square) / (variance * 12 / batch + square)
        assert w.job[j].base_s == pytest.approx((step - sync) * (job.steps + 1))
        assert w.job[j].sync_s == sync
        assert w.job[j].unit == pytest.approx(worth / job.slowdown)
        end = w.gradients[job.app, 0, :, job.epoch].min()
        assert w.job[j].until == (end if job.epoch < EPOCHS - 1 else math.inf)
        columns: Any = [np.full(2, -1.0) for _ in Prices._fields[:18]]
        table = Prices(*columns, unmeasured=np.zeros(2, np.bool_))
        progress.bring_prices(w, np.array([j]), table)
        assert table.unmeasured.tolist() == [i == j and (job.curve == 1 or job.local > 15) for i in range(2)]
        row = {
            "base_s": w.job[j].base_s,
            "unit": w.job[j].unit,
            "until": w.job[j].until,
            "local_s": sync,
            "link_s": sync,
        }
        for name in Prices._fields[:18]:
            assert getattr(table, name)[j] == row.get(name, -1.0), name
            assert getattr(table, name)[1 - j] == -1.0, name


@pytest.mark.parametrize("seed", range(60))
def test_batches_that_nothing_is_known_for(seed: int) -> None:
    """The requested one, or the smallest that feeds every replica; in parts that fit, no more than was measured."""
    w = drawn(seed)
    for j in range(2):
        job, largest = w.job[j], int(w.curves[w.job[j].curve].largest)
        batch = max(12, job.least * job.replicas) if job.tuned else job.requested
        each = math.ceil(batch / job.replicas)
        steps = math.ceil(each / largest) - 1
        steps = max(steps, 1) if job.replicas == 1 and each > 12 else steps
        local = math.ceil(each / (steps + 1))
        local = min(local, job.cap or local, 96 // (job.replicas * (steps + 1)))
        progress.choose_batch(w, j)
        assert (w.job[j].local, w.job[j].steps) == (local, steps)
        w.job[j].pipelined = 1
        progress.choose_batch(w, j)
        assert (w.job[j].local, w.job[j].steps) == (w.curves[w.job[j].curve].first, 0)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_observed_is_noted_once(seed: int) -> None:
    """Nodes, replicas, samples and times; statistics of the batch as it runs; a model is fitted when there is more."""
    w, space = drawn(seed), new_space()
    job = w.job[0]
    job.local, job.curve, job.slot = 6, 0, 1
    progress.observe(w, 0, space)
    batch = job.replicas * 6 * (job.steps + 1)
    step, sync = w.times[3 + 6 - 4]
    row = [job.nodes, job.replicas, 6, step - sync, step]
    assert w.observed[0, 1, 0].tolist() == pytest.approx(row) and not w.observed[0, 1, 1:].any()
    assert not w.observed[0, 0].any() and not w.observed[1].any()
    assert (job.seen, job.stale) == (1, 1)
    assert (job.square, job.variance) == pytest.approx([statistic(w, job, quantity, batch) for quantity in (1, 2)])
    assert w.model[0, 1].tolist() == (1, 0, 1, job.replicas) and w.params[0, 1].all()
    job.stale = 0
    progress.observe(w, 0, space)
    assert job.stale == 0 and w.model[0, 1].rows == 1, "nothing new"
    for name, value in (("local", 7), ("replicas", job.replicas + 1), ("nodes", job.nodes + 1)):
        job[name], job.stale = value, 0
        rows = int(w.model[0, 1].rows)
        assert progress.has_space(w, 0) == (rows < 3)
        progress.observe(w, 0, space)
        assert job.stale == 1 and w.model[0, 1].rows == rows + 1
        assert w.observed[0, 1, rows, :3].tolist() == [job.nodes, job.replicas, job.local]
    assert not progress.has_space(w, 0)
    job.slot = -1
    assert progress.has_space(w, 0)
    before = w.observed.copy()
    progress.observe(w, 0, space)
    job.slot, w.model["frozen"][0, 1], job.nodes = 1, 1, 9
    progress.observe(w, 0, space)
    assert (w.observed == before).all(), "no model, or a final one"


@pytest.mark.parametrize("seed", range(20))
def test_an_epoch_ends(seed: int) -> None:
    """The next one's row; only a job that has a model is observed, and only a free batch is chosen anew."""
    w, space = drawn(seed), new_space()
    for j in range(2):
        job = w.job[j]
        job.epoch, job.curve, job.local, job.steps, job.cap = 0, 0, 12, 0, 0
        kept = (int(job.local), int(job.steps))
        outcome = progress.renew(w, j, space)
        assert job.epoch == 1 and job.seen == 0 and not w.model["rows"][j].any()
        assert (job.local, job.steps) == kept or job.tuned
        assert outcome == progress.write_row(w, j)
        job.slot = 0
        progress.renew(w, j, space)
        assert job.epoch == 2 and job.seen == 1 and w.model["rows"][j].tolist() == [1, 0]


@pytest.mark.parametrize("seed", range(10))
def test_jobs_that_cannot_be_priced_are_named(seed: int) -> None:
    """The first of them; those before it are observed and priced."""
    w, space = drawn(seed), new_space()
    for j in range(2):
        w.job[j].slot, w.job[j].curve, w.job[j].local, w.job[j].cap, w.job[j].steps = 0, 0, 12, 0, 0
        w.job[j].requested, w.job[j].tuned, w.job[j].replicas = 24, 0, 2
    assert progress.progressed(w, np.array([1, 0]), space) == -1
    assert w.model["rows"][:, 0].tolist() == [1, 1] and (w.job["base_s"] > 0.0).all()
    w.job[0].requested = 4
    assert progress.progressed(w, np.array([1, 0]), space) == 0
    assert progress.begin_job(w, 0) == OUTSIDE and progress.begin_job(w, 1) == FINE


def test_the_model_that_an_estimate_starts_from() -> None:
    """Every state of three types: the type's own, the first fitted one, or the one with the most replicas."""
    w = drawn(0)._replace(model=np.zeros((1, 3), MODEL).view(np.recarray))
    for state in np.ndindex(4, 4, 4):
        for slot, each in enumerate(state):  # nothing, fitted on one replica, on two, on three
            w.model[0, slot].fitted, w.model[0, slot].replicas = int(each > 0), each
        fitted = [slot for slot in range(3) if state[slot]]
        for kind in range(3):
            own = state[kind] > 0
            assert _source(w, 0, kind, OWN_PROFILE) == (kind if own else -1)
            assert _source(w, 0, kind, CODE) == (kind if own else fitted[0] if fitted else -1)
            most = max(fitted, key=lambda slot: state[slot]) if fitted else -1
            paper = kind if own and (state[kind] > 1 or max(state) <= 1) else most
            assert _source(w, 0, kind, PAPER) == paper, (state, kind)
