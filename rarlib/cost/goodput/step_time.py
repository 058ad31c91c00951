"""True iteration times: measured points, and straight lines between them.

As in Sia's simulator (SOSP 2023, artifact). A placement stands for all its rotations. If it was measured, times are
linear in the samples per GPU between the measured numbers; if not, they are linear over the tetrahedra of a Delaunay
triangulation of (nodes, replicas, samples per GPU), whose points are the measured placements, averaged, and the rows by
numbers alone; beyond 16 nodes the times of 16 hold. A placement outside of the measurements is an error here; the
authors' code goes on with a time of -1 s.

Schedulers that know nothing of measurements need a time everywhere. Where times are extended, a placement outside takes
as long as the measured one nearest in replicas, then in nodes (the mean of equally near ones); fewer samples than
measured take as long as the fewest, and more compute longer in proportion. A run counts the seconds that rest on this.

Pipelines (as in Sia's simulator, and GPipe): 3 t (P - 1 + m) seconds for m microbatches through P stages, t
being the forward pass of one microbatch in one stage, and the exchange of gradients between the pipelines.
"""

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.applications import AS_IN_SIA, Application, SharedCluster, application
from rarlib.cost.goodput.profiles import Profiles, Steps
from rarlib.model.later import Later

_spatial = Later("scipy.spatial")

CURVE = np.dtype([(name, "i8") for name in ("offset", "first", "last", "largest", "low", "high")])
"""A placement's times: where they start in `StepTimes.times`, the samples per GPU that they cover, the most samples per
GPU that a batch is cut into, and the samples, `low` to `high`, whose times are not extended (0, -1: all are)."""

_Times = tuple[int, int, NDArray[np.float64]]
"""First number of samples, most samples that a batch is cut into, times from the first on."""

_MOST_NODES = 16

_FLAT = 1e-10
"""Volume of a tetrahedron, relative to its edges, below which it is flat and left out."""

_EDGE = 1e-9
"""How far outside of a tetrahedron, relative to its size, a point on its face may fall by rounding."""


class StepTimes:
    """Times by application, GPU type and placement, tabulated for every number of samples when first asked for.

    Attributes:
        curves: one `CURVE` per placement asked for so far, then spare ones, shape (curves and spare ones,).
        times: iteration without accumulation and the exchange in it, seconds; NaN: not measured; shape (entries, 2).
    """

    def __init__(self, profiles: Profiles, *, extended: bool = False, shared: SharedCluster = AS_IN_SIA) -> None:
        self.profiles, self.extended, self._shared = profiles, extended, shared
        self.curves = np.zeros(64, CURVE)
        self.times = np.zeros((4096, 2))
        self._known: dict[tuple[str, str, tuple[int, ...]], int] = {}
        self._used = 0
        self._measured: dict[tuple[str, str], dict[tuple[int, ...], Steps]] = {}
        self._meshes: dict[tuple[str, str], _Mesh | None] = {}
        self._most: dict[tuple[str, str, int], int] = {}

    def application(self, name: str, job: object = None) -> Application:
        """The application as it runs in the shared cluster.

        Raises:
            InputError: as `rarlib.cost.goodput.applications.application`.
        """
        return self._shared.within(application(name, job))

    def curve(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> int:
        """Row of `curves` for GPUs by node (in the order of the nodes).

        Raises:
            ValueError: that placement lies outside of what was measured.
        """
        key = (name, gpu_type, min(shape[i:] + shape[:i] for i in range(len(shape))))
        if key not in self._known:
            if application(name).stages:
                found = self._pipelines(*key)
                self._known[key] = self._add(*found, low=found[0], high=found[0])
            else:
                self._known[key] = self._everywhere(*key) if self.extended else self._measured_only(*key)
        return self._known[key]

    def most_local(self, name: str, gpu_type: str, replicas: int) -> int:
        """Most samples per GPU measured with that many replicas on named placements; 0: none was."""
        key = name, gpu_type, replicas
        if key not in self._most:
            steps = self.profiles.of(name, gpu_type)
            here = steps.local[steps.placed & (steps.replicas == replicas)]
            self._most[key] = int(here.max(initial=0))
        return self._most[key]

    def _add(self, first: int, largest: int, times: NDArray[np.float64], *, low: int, high: int) -> int:
        row, end = len(self._known), self._used + len(times)
        if row == len(self.curves):
            self.curves = np.concatenate([self.curves, np.zeros(len(self.curves), CURVE)])
        if end > len(self.times):
            grown = np.zeros((max(end, 2 * len(self.times)), 2))
            grown[: self._used] = self.times[: self._used]
            self.times = grown
        self.times[self._used : end] = times
        self.curves[row] = (self._used, first, first + len(times) - 1, largest, low, high)
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

    def _data_parallel(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> _Times:
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
        times = mesh.along(min(len(shape), _MOST_NODES), sum(shape), local)
        if np.isnan(times).all():
            raise ValueError(f"{name} was not measured on GPUs {shape} of type {gpu_type}, nor around them")
        return int(local[0]), int(steps.local[large].max()), times

    def _measured_only(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> int:
        first, largest, times = self._data_parallel(name, gpu_type, shape)
        return self._add(first, largest, times, low=first, high=first + len(times) - 1)

    def _everywhere(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> int:
        inside = True
        try:
            first, largest, times = self._data_parallel(name, gpu_type, shape)
        except ValueError:
            inside = False
            first, largest, times = self._nearest(name, gpu_type, shape)
        known = np.flatnonzero(~np.isnan(times[:, 0]))
        local = np.arange(1, int(self.profiles.gradients[name].batch[-1]) + 1)
        held = np.clip(local, first + known[0], first + known[-1])
        columns = [np.interp(held, first + known, times[known, c]) for c in (0, 1)]
        beyond = local / held
        beyond[local < held] = 1.0
        columns[0] = columns[1] + (columns[0] - columns[1]) * beyond
        low, high = (first + int(known[0]), first + int(known[-1])) if inside else (0, -1)
        return self._add(1, min(largest, int(local[-1])), np.column_stack(columns), low=low, high=high)

    def _nearest(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> _Times:
        steps = self.profiles.of(name, gpu_type)
        far = np.abs(steps.replicas - sum(shape)) * (_MOST_NODES + 1) + np.abs(steps.nodes - len(shape))
        rows = steps.take(far == far.min())
        local = np.unique(rows.local)
        means = [[times[rows.local == each].mean() for each in local.tolist()] for times in (rows.step_s, rows.sync_s)]
        full = np.arange(local[0], local[-1] + 1)
        return int(full[0]), int(full[-1]), np.column_stack([np.interp(full, local, mean) for mean in means])

    def _mesh(self, name: str, gpu_type: str) -> "_Mesh | None":
        """Interpolation over (nodes, replicas, samples); None where the points do not span a space."""
        key = (name, gpu_type)
        if key not in self._meshes:
            try:
                self._meshes[key] = _Mesh(self.profiles.of(name, gpu_type))
            except (RuntimeError, ValueError):  # RuntimeError: QhullError is one
                self._meshes[key] = None
        return self._meshes[key]

    def _pipelines(self, name: str, gpu_type: str, shape: tuple[int, ...]) -> _Times:
        app = application(name)
        rows = self._by_shape(name, gpu_type).get(shape)
        if rows is None:
            raise ValueError(f"pipelines of {name} were not measured on GPUs {shape} of type {gpu_type}")
        one = int(np.argmin(rows.local))
        compute = 3.0 * rows.step_s[one] * (app.stages[gpu_type] - 1 + app.microbatches)
        times = np.array([[compute + rows.sync_s[one], rows.sync_s[one]]])
        return app.microbatches, app.microbatches, times


class _Mesh:
    """Tetrahedra over (nodes, replicas, samples per GPU), and the times at their corners."""

    def __init__(self, steps: Steps) -> None:
        points = np.column_stack([steps.nodes, steps.replicas, steps.local]).astype(np.float64)
        times = np.column_stack([steps.step_s, steps.sync_s])
        alike, which = np.unique(points[steps.placed], axis=0, return_inverse=True)
        sums = np.zeros((len(alike), 2))
        np.add.at(sums, which, times[steps.placed])
        # Of equal points the triangulation keeps one: the order decides which, as in the authors' code.
        self._points = np.concatenate([alike, points[~steps.placed]])
        self._times = np.concatenate([sums / np.bincount(which)[:, None], times[~steps.placed]])
        cells = _spatial.Delaunay(self._points).simplices
        origin = self._points[cells[:, 3]]
        edges = np.swapaxes(self._points[cells[:, :3]] - origin[:, None], 1, 2)
        solid = np.abs(np.linalg.det(edges)) > _FLAT * np.linalg.norm(edges, axis=1).prod(axis=1)
        self._cells, self._origin, self._inverse = cells[solid], origin[solid], np.linalg.inv(edges[solid])
        corners = self._points[self._cells][:, :, :2]
        self._low, self._high = corners.min(axis=1), corners.max(axis=1)

    def along(self, nodes: int, replicas: int, local: NDArray[np.int64]) -> NDArray[np.float64]:
        """Times at ascending numbers of samples on given nodes and replicas, shape (numbers, 2); NaN: outside.

        Along the line of one placement every corner's weight in a tetrahedron is linear in the samples, so each
        tetrahedron covers one interval of the line. Where two of them meet they agree, unless they are flat: then the
        one in which the point lies deepest counts.
        """
        out, depth = np.full((len(local), 2), np.nan), np.full(len(local), -np.inf)
        place = np.array([nodes, replicas], dtype=np.float64)
        near = np.flatnonzero(((self._low <= place) & (place <= self._high)).all(axis=1))
        origin, inverse = self._origin[near], self._inverse[near]
        offset = np.concatenate([np.broadcast_to(place, (len(near), 2)), np.zeros((len(near), 1))], axis=1) - origin
        first = np.einsum("cij,cj->ci", inverse, offset)
        first = np.column_stack([first, 1.0 - first.sum(axis=1)])
        slope = np.column_stack([inverse[:, :, 2], -inverse[:, :, 2].sum(axis=1)])
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (-_EDGE - first) / slope
        begin = np.where(slope > 0, ends, np.where((slope == 0) & (first < -_EDGE), np.inf, -np.inf)).max(axis=1)
        end = np.where(slope < 0, ends, np.inf).min(axis=1)
        lower, upper = np.searchsorted(local, begin, "left"), np.searchsorted(local, end, "right")
        for cell in np.flatnonzero(lower < upper).tolist():
            span = slice(int(lower[cell]), int(upper[cell]))
            weights = first[cell] + slope[cell] * local[span, None]
            inside = weights.min(axis=1)
            deeper = inside > depth[span]
            out[span][deeper] = weights[deeper] @ self._times[self._cells[near[cell]]]
            depth[span] = np.maximum(depth[span], inside)
        return out
