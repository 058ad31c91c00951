"""Times beyond the measurements, in plain Python."""

from typing import Any

import numpy as np
import pytest

from rarlib.cost.goodput.profiles import Profiles, Steps
from rarlib.cost.goodput.step_time import StepTimes
from tests.cost.goodput.conftest import GRADIENTS

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
