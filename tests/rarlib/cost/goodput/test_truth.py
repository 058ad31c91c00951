"""True iteration times: by hand, beyond the measurements, and against the authors' table of single jobs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import LinearNDInterpolator

from rarlib.cost.goodput.alone import duration_s, shape_of, share
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles, Steps
from rarlib.cost.goodput.step_time import StepTimes, _Mesh
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.errors import DecisionError
from rarlib.simulator.engine import simulate
from tests.rarlib.cost.goodput.conftest import GRADIENTS
from tests.rarlib.cost.goodput.test_contention import LAUNCH_S, SLOWDOWN, Follower, iterations, rigid

HOURS = {
    "cifar10": ((1.98, 0.584, 0.239), (0.978, 0.192, 0.147), (0.397, 0.075, 0.052)),
    "bert": ((4.54, 1.11, 0.441), (2.20, 0.340, 0.229), (0.426, 0.055, 0.037)),
    "deepspeech2": ((5.74, 1.67, 0.685), (3.39, 0.717, 0.458), (3.83, 0.694, 0.430)),
    "yolov3": ((10.85, 4.05, 3.21), (20.4, 3.60, 2.65), (4.18, 2.06, 1.56)),
    "imagenet": ((177.5, 50.5, 14.9), (89.0, 13.6, 7.93), (40.6, 7.02, 4.75)),
    "ncf": ((0.019,), (0.025,), (0.014,)),
}
"""Fastest training with a fixed batch on 1, 4, 16 T4; 1, 8, 16 RTX 2080Ti; 1, 8, 16 A100; by the authors' code."""
PLACES = {"t4": (4, (1, 4, 16)), "rtx": (8, (1, 8, 16)), "a100": (8, (1, 8, 16))}
CELLS = [
    (name, kind, room, gpus, hours)
    for name, table in HOURS.items()
    for (kind, (room, counts)), row in zip(PLACES.items(), table, strict=True)
    for gpus, hours in zip(counts, row, strict=False)
]


@pytest.mark.real
def test_single_jobs_take_the_authors_times(measured: Callable[[], Profiles]) -> None:
    profiles = measured()
    times = StepTimes(profiles)
    for name, kind, room, gpus, hours in CELLS:
        fastest = np.inf
        for batch in profiles.gradients[name].batch.tolist():
            try:
                fastest = min(fastest, duration_s(times, name, kind, shape_of(gpus, room), batch) / 3600)
            except ValueError:
                continue
        # Half a unit in the last digit that the table prints, at most two percent.
        slack = min(0.02 * hours, 0.0005 if hours < 1 else 0.005 if hours < 10 else 0.05)
        assert fastest == pytest.approx(hours, abs=1.01 * slack), (name, kind, gpus)


@pytest.mark.parametrize("shape", [(9,), (4, 4, 4, 4), (5,)])
def test_outside_of_the_measurements_is_an_error(toy: Profiles, shape: tuple[int, ...]) -> None:
    """The authors' code goes on with a negative time there."""
    with pytest.raises(ValueError, match="not measured"):
        StepTimes(toy).curve("bert", "t4", shape)


def test_pipelines_by_hand(toy: Profiles) -> None:
    """3 t (P - 1 + m) seconds, and the exchange: 3 x 0.1 x (7 + 48) = 16.5 and 3 x 0.2 x (1 + 48) = 29.4."""
    times = StepTimes(toy)
    assert share(times, "gpt_pmp", "rtx", (8,), 0).iteration_s == pytest.approx(16.5)
    assert share(times, "gpt_pmp", "rtx", (8, 8), 0).iteration_s == pytest.approx(17.0)
    assert share(times, "gpt_pmp", "a100", (2,), 0).iteration_s == pytest.approx(29.4)


def test_duration_by_hand(toy: Profiles) -> None:
    """Batch 12 on one T4: gain 1, 200 iterations of 0.22 s, 1.2 times slower. Batch 24 on two, in 0.27 s: gain with
    v = 1 is 2 / 1.5, with v = 3 it is 4 / 2.5."""
    times = StepTimes(toy)
    assert duration_s(times, "bert", "t4", (1,), 12) == pytest.approx(200 * 0.22 * 1.2)
    worth = 100 / (2 / 1.5) + 100 / (4 / 2.5)
    assert duration_s(times, "bert", "t4", (2,), 24) == pytest.approx(worth * 0.27 * 1.2)


def test_a_batch_outside_of_the_measured_is_an_error(toy: Profiles) -> None:
    """Statistics of gradients are known for batches of 12 to 48; the toy's two GPUs could run 8 and 64."""
    times = StepTimes(toy)
    with pytest.raises(ValueError, match=r"^bert was measured with batches 12 to 48, not 8$"):
        duration_s(times, "bert", "t4", (2,), 8)
    assert duration_s(times, "bert", "t4", (4,), 48) > 0.0
    assert duration_s(times, "bert", "t4", (1,), 12) > 0.0
    # Accumulation caps what a GPU takes, so that no batch above the largest is run: 64 on two is 24 each.
    assert share(times, "bert", "t4", (2,), 64)[:2] == (24, 0)


@pytest.mark.real
def test_unmeasured_placements_as_interpolated_by_scipy(measured: Callable[[], Profiles]) -> None:
    """The authors' interpolation, point by point; ours reads a whole line of them off the tetrahedra."""
    profiles = measured()
    for kind, shape in (("t4", (4,) * 5), ("t4", (1, 2, 3, 4, 4)), ("rtx", (8, 8, 8)), ("rtx", (2, 3, 4))):
        times, mesh = StepTimes(profiles), _Mesh(profiles.of("bert", kind))
        theirs = LinearNDInterpolator(mesh._points, mesh._times)
        curve = times.curves[times.curve("bert", kind, shape)]
        for local in np.linspace(curve["first"], curve["last"], 4).astype(int).tolist():
            ours = times.times[curve["offset"] + local - curve["first"]]
            np.testing.assert_allclose(ours, theirs([len(shape), sum(shape), local])[0], rtol=1e-9)


FOUR = Cluster.parse("t4:8x4")
APART: Placement = ((0, 1), (1, 1), (2, 1), (3, 1))
PAIRS: Placement = ((4, 2), (5, 2))


def test_a_gang_on_four_servers_takes_as_long_as_on_two(toy: Profiles) -> None:
    """Four GPUs were measured as (4) and (2, 2); of these, two servers are nearer to four. 24/4 = 6 samples each.

    (2, 2): 0.1 + 0.06 to compute, 0.05 x 3 + 0.2 to exchange. The other gang runs on (2, 2) itself.
    """
    run = simulate(rigid(2), FOUR, Follower([APART, PAIRS]), GoodputCost(toy))
    took = SLOWDOWN * iterations(24) * (0.1 + 0.06 + 0.05 * 3 + 0.2)
    assert run.finish_s == pytest.approx(LAUNCH_S + took, rel=1e-12)
    assert run.counters["unmeasured_s"] == pytest.approx(took, rel=1e-9)


def test_without_the_rule_the_run_ends_there(toy: Profiles) -> None:
    strict = replace(GoodputCost(toy), extended=False)
    with pytest.raises(DecisionError, match=r"bert was not measured on GPUs \(1, 1, 1, 1\) of type t4"):
        simulate(rigid(), FOUR, Follower([APART]), strict)


LARGEST = int(GRADIENTS.batch[-1])


def profile(rows: list[tuple[tuple[int, ...], int, float, float]]) -> Profiles:
    """bert on T4: rows of placement, samples per GPU, seconds of an iteration and of its exchange."""
    shapes, local, step, sync = zip(*rows, strict=True)
    nodes, replicas = np.array([len(each) for each in shapes]), np.array([sum(each) for each in shapes])
    steps = Steps(shapes, nodes, replicas, np.array(local), np.array(step), np.array(sync))
    return Profiles({("bert", "t4"): steps}, {"bert": GRADIENTS})


def rows_of(times: StepTimes, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The entry of a placement, and its times by number of samples."""
    entry = times.curves[times.curve("bert", "t4", shape)]
    return entry, times.times[entry["offset"] :][: entry["last"] - entry["first"] + 1]


def drawn(seed: int) -> list[tuple[tuple[int, ...], int, float, float]]:
    """Two to four numbers of samples for each of some placements, in any order, up to beyond the largest batch."""
    rng = np.random.default_rng(seed)
    shapes = [(1,), (2,), (4,), (1, 1), (2, 2), (1, 1, 2), (4, 4)]
    some = [shapes[k] for k in np.sort(rng.choice(len(shapes), 4, replace=False))]
    rows = []
    for shape in some:
        for local in rng.choice(np.arange(2, 60), int(rng.integers(2, 5)), replace=False).tolist():
            sync = float(rng.uniform(0.1, 0.5))
            rows.append((shape, local, sync + float(rng.uniform(0.1, 2.0)), sync))
    return rows


def between(points: dict[int, list[float]], at: int) -> float:
    """The mean of each number of samples, and straight lines in between."""
    known = sorted(points)
    return float(np.interp(at, known, [sum(points[each]) / len(points[each]) for each in known]))


@pytest.mark.parametrize("seed", range(30))
def test_extended_times_are_those_of_the_nearest_placement(seed: int) -> None:
    """Nearest in GPUs, then in nodes, all that are equally near; fewer samples as the fewest, more in proportion."""
    rows = drawn(seed)
    times = StepTimes(profile(rows), extended=True)
    for shape in ((1,), (3,), (2, 1), (1, 1), (2, 2, 2), (4, 4), (1, 1, 1, 1, 1), (4,) * 5):
        turned = {shape[i:] + shape[:i] for i in range(len(shape))}
        near = [row for row in rows if row[0] in turned]
        if not near:
            far = [(abs(sum(row[0]) - sum(shape)), abs(len(row[0]) - len(shape))) for row in rows]
            near = [row for row, each in zip(rows, far, strict=True) if each == min(far)]
        step: dict[int, list[float]] = {}
        sync: dict[int, list[float]] = {}
        for _, local, one, other in near:
            step.setdefault(local, []).append(one)
            sync.setdefault(local, []).append(other)
        entry, found = rows_of(times, shape)
        assert (entry["first"], entry["last"]) == (1, LARGEST)
        held_out = {shape[i:] + shape[:i] for i in range(len(shape))}.isdisjoint({row[0] for row in rows})
        assert (entry["low"], entry["high"]) == (
            (0, -1) if held_out else (min(row[1] for row in near), max(row[1] for row in near))
        )
        assert entry["largest"] == min(max(step), LARGEST)
        for local in range(1, LARGEST + 1):
            held = min(max(local, min(step)), max(step))
            exchange = between(sync, held)
            longer = max(1.0, local / held)
            assert found[local - 1] == pytest.approx([exchange + (between(step, held) - exchange) * longer, exchange])
