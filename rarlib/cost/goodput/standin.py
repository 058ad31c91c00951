"""Stand-in profiles, for a machine where the measured ones are not available: values of models fitted to them.

`data/standin/sia-profiles.json` holds, for every application and GPU type, the seven parameters of its iterations and
the range they were fitted on, and for every batch a smooth curve of the gradient noise scale over the epochs. It is
made by

    python -m tools.calibrate_profiles
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from rarlib.cost.goodput.profiles import Gradients, Profiles, Steps
from rarlib.cost.goodput.throughput import compute_s, iteration_s
from rarlib.model.errors import InputError
from rarlib.model.files import read_json
from rarlib.traces.places import data_folder

FILE = "sia-profiles.json"
PIPELINES = 16
"""Most nodes of a pipeline-parallel application's rows."""


def profiles(name: str) -> Profiles:
    """Stand-in for an application's profiles.

    Raises:
        InputError: there is no stand-in for it.
    """
    path = data_folder() / "standin" / FILE
    found = _fits(path).get(name)
    if found is None:
        raise InputError(f"no stand-in for {name}", file=path)
    rows = {(name, kind): _steps(entry) for kind, entry in found["types"].items()}
    return Profiles(rows, {name: _gradients(found)}, {"standin": True})


@cache
def _fits(path: Path) -> dict[str, Any]:
    data = read_json(path).get("applications")
    if not isinstance(data, dict):
        raise InputError("not a file of fitted profiles: must be a mapping", file=path, field="applications")
    return data


def _gradients(found: dict[str, Any]) -> Gradients:
    """Only the ratio of variance and square matters, so the square is 1 throughout."""
    batch = np.array(found["batch"], np.int64)
    epochs = np.arange(1, found["epochs"] + 1)
    progress = np.tile(found["work"] * epochs / found["epochs"], (len(batch), 1))
    noise = np.exp([chebyshev.chebval(np.linspace(-1, 1, len(epochs)), row) for row in found["log_noise_scale"]])
    scale = batch[:, None] / batch[0]
    worth = (noise + 1.0) / (noise / scale + 1.0)
    iterations = np.cumsum(np.diff(progress, prepend=0.0, axis=1) / worth, axis=1)
    return Gradients(batch, progress, np.round(iterations), np.ones_like(noise), noise)


def _steps(entry: dict[str, Any]) -> Steps:
    gpus_per_node, nodes = entry["room"], entry["nodes"]
    shapes: list[tuple[int, ...]] = []
    counts: list[tuple[int, int]] = []
    each = entry.get("stages", 1)
    for gpus in range(each, gpus_per_node + 1, each):
        shapes.append((gpus,))
        counts.append((1, gpus))
    for n in range(2, nodes + 1):
        shapes.append((gpus_per_node,) * n)
        counts.append((n, n * gpus_per_node))
        if each == 1:
            some = sorted(
                {n, *(n * gpus_per_node - i * gpus_per_node // 4 for i in range(1, 4 * n)), n * gpus_per_node}
            )
            shapes += [()] * len(some)
            counts += [(n, gpus) for gpus in some if gpus >= n] + [(n, n)] * sum(gpus < n for gpus in some)
    local = _grid(*entry["local"])
    grid = [(shape, n, k, m) for shape, (n, k) in zip(shapes, counts, strict=True) for m in local]
    times = np.array([_times(entry, n, k // each, m) for _, n, k, m in grid])
    numbers = np.array([row[1:] for row in grid], np.int64).T
    return Steps(tuple(row[0] for row in grid), numbers[0], numbers[1], numbers[2], times[:, 0], times[:, 1])


def _times(entry: dict[str, Any], nodes: int, replicas: int, local: int) -> tuple[float, float]:
    if "stages" in entry:  # `step_s` of a pipeline is the forward pass of a microbatch in one stage
        first, more = entry["between_s"] if nodes > 1 else entry["inside_s"]
        return entry["forward_s"] * local, first + more * (nodes - 1 if nodes > 1 else replicas - 1)
    p: NDArray[np.float64] = np.array(entry["parameters"])
    step = iteration_s(p, float(nodes), float(replicas), float(local), 0.0)
    return step, step - compute_s(p, float(local))


def _grid(low: int, high: int) -> list[int]:
    """Samples per GPU that grow by the square root of two, ends included."""
    some = {round(low * 2 ** (i / 2)) for i in range(64)}
    return sorted({m for m in some if m < high} | {high})
