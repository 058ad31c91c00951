"""True iteration times: measured points, and straight lines between them.

As in Sia's simulator (SOSP 2023, artifact). A placement stands for all its rotations. If it was measured, times are
linear in the samples per GPU between the measured numbers; if not, they are linear over the tetrahedra of a Delaunay
triangulation of (nodes, replicas, samples per GPU), whose points are the measured placements, averaged, and the rows by
numbers alone; beyond 16 nodes those of 16 hold. What lies outside of the measurements is an error here; the authors'
code goes on with a time of -1 s.

Pipelines (Sia, section 5.6 of our note on it; GPipe): 3 t (P - 1 + m) seconds for m microbatches through P stages, t
being the forward pass of one microbatch in one stage, and the exchange of gradients between the pipelines.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial import QhullError

from rarlib.cost.goodput.applications import application
from rarlib.cost.goodput.profiles import Profiles, Steps

CURVE = np.dtype([("offset", "i8"), ("first", "i8"), ("last", "i8"), ("largest", "i8")])
"""A placement's times: where they start in `StepTimes.times`, the samples per GPU they are for, and the most that a
batch is cut into."""

MOST_NODES = 16


class StepTimes:
    """Times by application, GPU type and placement, tabulated for every number of samples when first asked for.

    Attributes:
        curves: one `CURVE` per placement asked for so far, shape (curves,) and more.
        times: iteration without accumulation and the exchange in it, seconds; NaN: not measured; shape (entries, 2).
    """

    def __init__(self, profiles: Profiles) -> None:
        self.profiles = profiles
        self.curves = np.zeros(64, CURVE)
        self.times = np.zeros((4096, 2))
        self._known: dict[tuple[str, str, tuple[int, ...]], int] = {}
        self._used = 0
        self._measured: dict[tuple[str, str], dict[tuple[int, ...], Steps]] = {}
        self._meshes: dict[tuple[str, str], LinearNDInterpolator | None] = {}

    def curve(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> int:
        """Row of `curves` for GPUs by node (in the order of the nodes).

        Raises:
            ValueError: that placement lies outside of what was measured.
        """
        key = (name, gpu_type, min(shape[i:] + shape[:i] for i in range(len(shape))))
        if key not in self._known:
            first, largest, times = self._pipelines(*key) if application(name).stages else self._data_parallel(*key)
            self._known[key] = self._add(first, largest, times)
        return self._known[key]

    def most_local(self, name: str, gpu_type: str, replicas: int) -> int:
        """Most samples per GPU measured with that many replicas on named placements; 0: none was."""
        steps = self.profiles.of(name, gpu_type)
        here = steps.placed & (steps.replicas == replicas)
        return int(steps.local[here].max()) if here.any() else 0

    def _add(self, first: int, largest: int, times: NDArray[np.float64]) -> int:
        row, end = len(self._known), self._used + len(times)
        if row == len(self.curves):
            self.curves = np.concatenate([self.curves, np.zeros(len(self.curves), CURVE)])
        if end > len(self.times):
            grown = np.zeros((max(end, 2 * len(self.times)), 2))
            grown[: self._used] = self.times[: self._used]
            self.times = grown
        self.times[self._used : end] = times
        self.curves[row] = (self._used, first, first + len(times) - 1, largest)
        self._used = end
        return row

    def _by_shape(self, name: str, gpu_type: str) -> dict[tuple[int, ...], Steps]:
        if (name, gpu_type) not in self._measured:
            steps = self.profiles.of(name, gpu_type)
            self._measured[name, gpu_type] = {
                shape: steps.take(np.array([each == shape for each in steps.shape]))
                for shape in dict.fromkeys(steps.shape)
                if shape
            }
        return self._measured[name, gpu_type]

    def _data_parallel(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> tuple[int, int, NDArray[np.float64]]:
        rows = self._by_shape(name, gpu_type).get(shape)
        if rows is not None:
            order = np.argsort(rows.local, kind="stable")
            local = np.arange(rows.local.min(), rows.local.max() + 1)
            columns = [np.interp(local, rows.local[order], times[order]) for times in (rows.step_s, rows.sync_s)]
            return int(local[0]), int(local[-1]), np.column_stack(columns)
        steps = self.profiles.of(name, gpu_type)
        large = ~steps.placed & (steps.nodes >= len(shape)) & (steps.replicas >= sum(shape))
        mesh = self._mesh(name, gpu_type)
        if mesh is None or not large.any():
            raise ValueError(f"{name} was not measured on GPUs {shape} of type {gpu_type}, nor around them")
        local = np.arange(steps.local.min(), steps.local.max() + 1)
        at = np.column_stack([np.full(len(local), min(len(shape), MOST_NODES)), np.full(len(local), sum(shape)), local])
        times = mesh(at)
        if np.isnan(times).all():
            raise ValueError(f"{name} was not measured on GPUs {shape} of type {gpu_type}, nor around them")
        return int(local[0]), int(steps.local[large].max()), times

    def _mesh(self, name: str, gpu_type: str) -> Any:
        """Interpolation over (nodes, replicas, samples); None where the points do not span a space."""
        key = (name, gpu_type)
        if key not in self._meshes:
            steps = self.profiles.of(name, gpu_type)
            points = np.column_stack([steps.nodes, steps.replicas, steps.local]).astype(np.float64)
            times = np.column_stack([steps.step_s, steps.sync_s])
            alike, which = np.unique(points[steps.placed], axis=0, return_inverse=True)
            sums = np.zeros((len(alike), 2))
            np.add.at(sums, which, times[steps.placed])
            means = sums / np.bincount(which)[:, None]
            try:
                # Of equal points the triangulation keeps one: the order decides which, as in the authors' code.
                self._meshes[key] = LinearNDInterpolator(
                    np.concatenate([alike, points[~steps.placed]]), np.concatenate([means, times[~steps.placed]])
                )
            except (QhullError, ValueError):
                self._meshes[key] = None
        return self._meshes[key]

    def _pipelines(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> tuple[int, int, NDArray[np.float64]]:
        app = application(name)
        rows = self._by_shape(name, gpu_type).get(shape)
        if rows is None:
            raise ValueError(f"pipelines of {name} were not measured on GPUs {shape} of type {gpu_type}")
        one = int(np.argmin(rows.local))
        compute = 3.0 * rows.step_s[one] * (app.stages[gpu_type] - 1 + app.microbatches)
        times = np.array([[compute + rows.sync_s[one], rows.sync_s[one]]])
        return app.microbatches, app.microbatches, times
