"""True iteration times and durations: by hand, and against the authors' table of single jobs."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.interpolate import LinearNDInterpolator

from rarlib.cost.goodput.alone import duration_s, shape_of, share
from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.goodput.step_time import StepTimes, _Mesh

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
    """An error in interpolation, accumulation, gradient statistics or slow-down would show in one of 48 cells."""
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
        for name in ("cifar10", "bert", "imagenet"):
            times, mesh = StepTimes(profiles), _Mesh(profiles.of(name, kind))
            theirs = LinearNDInterpolator(mesh._points, mesh._times)
            curve = times.curves[times.curve(name, kind, shape)]
            for local in np.linspace(curve["first"], curve["last"], 6).astype(int).tolist():
                ours = times.times[curve["offset"] + local - curve["first"]]
                np.testing.assert_allclose(ours, theirs([len(shape), sum(shape), local])[0], rtol=1e-9)
