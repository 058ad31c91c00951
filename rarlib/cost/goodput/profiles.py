"""Profiles of the applications: measured iteration times by GPU type, and measured statistics of gradients.

Iterations were timed for placements, written as one digit per node ("44": four GPUs on each of two nodes), and, beyond
four nodes (two on larger nodes), for numbers of nodes and replicas. `step_s` is one iteration without accumulation,
`sync_s` the part of it that exchanges gradients.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.applications import application, gpu_type
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs


@dataclass(frozen=True, eq=False)
class Steps:
    """Measured iterations of one application on one GPU type; arrays of shape (rows,), a row per measurement."""

    # GPUs on each node, for rows measured on a named placement; empty for rows by numbers alone
    shape: tuple[tuple[int, ...], ...]
    nodes: NDArray[np.int64]  # number of nodes
    replicas: NDArray[np.int64]  # number of GPUs
    local: NDArray[np.int64]  # samples per GPU
    step_s: NDArray[np.float64]  # an iteration, seconds
    sync_s: NDArray[np.float64]  # the exchange in it

    @cached_property
    def placed(self) -> NDArray[np.bool_]:
        """Whether a row was measured on a named placement, shape (rows,)."""
        return np.array([len(shape) > 0 for shape in self.shape], dtype=np.bool_)

    @property
    def observations(self) -> NDArray[np.float64]:
        """All rows as a fit takes them (`rarlib.cost.goodput.descent`), shape (rows, 5)."""
        compute = self.step_s - self.sync_s
        return np.column_stack([self.nodes, self.replicas, self.local, compute, self.step_s]).astype(np.float64)

    def take(self, rows: NDArray[np.bool_]) -> "Steps":
        """The rows that a mask selects."""
        shapes = tuple(shape for shape, wanted in zip(self.shape, rows.tolist(), strict=True) if wanted)
        times = self.step_s[rows], self.sync_s[rows]
        return Steps(shapes, self.nodes[rows], self.replicas[rows], self.local[rows], *times)


class Gradients(NamedTuple):
    """Gradients of one application during training, by global batch and epoch; arrays of shape (batches, epochs)."""

    batch: NDArray[np.int64]  # global batches, ascending, shape (batches,)
    progress: NDArray[np.float64]  # work done at the end of each epoch, in iterations with the smallest batch
    iterations: NDArray[np.float64]  # iterations done by then
    square: NDArray[np.float64]  # squared norm of the gradient
    variance: NDArray[np.float64]  # its variance with the smallest batch


@dataclass(frozen=True, eq=False)
class Profiles:
    """Profiles of several applications; equal to itself only."""

    steps: dict[tuple[str, str], Steps]  # by application and GPU type
    gradients: dict[str, Gradients]  # by application
    # where they come from, for provenance; `standin` says whether anything stands in for measurements
    facts: dict[str, Any] = field(default_factory=dict)

    def of(self, application: str, gpu_type: str) -> Steps:
        """Iterations of an application on a GPU type.

        Raises:
            InputError: it was not measured there.
        """
        found = self.steps.get((application, gpu_type))
        if found is None:
            types = [kind for name, kind in self.steps if name == application]
            where = f"it was measured on {', '.join(types)}" if types else "it was measured on no type"
            raise InputError(f"{application} has no profile on GPU type {gpu_type!r}; {where}", field="type")
        return found

    def to_json(self) -> dict[str, Any]:
        """Plain lists; `from_json` reads them."""
        out: dict[str, Any] = {}
        for name, gradients in self.gradients.items():
            types = {kind: _plain(steps) for (app, kind), steps in self.steps.items() if app == name}
            out[name] = {"gradients": _plain(gradients), "types": types}
        return out

    @classmethod
    def from_json(cls, data: dict[str, Any], facts: dict[str, Any] | None = None) -> "Profiles":
        """Profiles from plain lists.

        Raises:
            InputError: something is missing or of another form.
        """
        steps: dict[tuple[str, str], Steps] = {}
        gradients: dict[str, Gradients] = {}
        for name, entry in data.items():
            try:
                g = entry["gradients"]
                curves = (np.array(g[key], np.float64) for key in Gradients._fields[1:])
                gradients[name] = Gradients(np.array(g["batch"], np.int64), *curves)
                for kind, rows in entry["types"].items():
                    steps[name, kind] = _steps(rows)
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(f"not a profile: {error}", file=name) from None
        return cls(steps, gradients, facts or {})


def _steps(rows: dict[str, Any]) -> Steps:
    nodes, replicas, local = (np.array(rows[key], np.int64) for key in ("nodes", "replicas", "local"))
    step_s, sync_s = (np.array(rows[key], np.float64) for key in ("step_s", "sync_s"))
    return Steps(tuple(tuple(shape) for shape in rows["shape"]), nodes, replicas, local, step_s, sync_s)


def _plain(rows: Steps | Gradients) -> dict[str, Any]:
    columns = {name: getattr(rows, name) for name in type(rows).__annotations__}
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else [list(shape) for shape in value]
        for name, value in columns.items()
    }


def single_speed(profiles: Profiles, name: str, kind: str) -> float:
    """Most samples per second measured on the fewest GPUs an application needs of a type."""
    steps = profiles.of(name, kind)
    alone = steps.placed & (steps.replicas == application(name).stages.get(kind, 1))
    return float(steps.local[alone].max() / steps.step_s[alone].max())


def relative_speed(jobs: Jobs, cluster: Cluster, profiles: Profiles) -> NDArray[np.float64]:
    """Speed of each node's GPUs relative to those of the first node, shape (nodes,).

    The geometric mean over jobs of the samples per second of their applications on one GPU at its largest batch, where
    both types were measured.
    """
    names, counts = np.unique(jobs.application.astype(str), return_counts=True)
    kinds = {kind: gpu_type(kind) for kind in dict.fromkeys(cluster.gpu_type)}
    first = kinds[cluster.gpu_type[0]]
    ratio = {}
    for kind, our in kinds.items():
        both = [(name, our) in profiles.steps and (name, first) in profiles.steps for name in names.tolist()]
        logs = [
            np.log(single_speed(profiles, name, our) / single_speed(profiles, name, first))
            for name in names[both].tolist()
        ]
        ratio[kind] = float(np.exp(np.average(logs, weights=counts[both]))) if any(both) else 1.0
    return np.array([ratio[kind] for kind in cluster.gpu_type])
