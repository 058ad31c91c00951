"""How jobs with adaptive batches progress, and what a scheduler may ask about them.

(Signatures; see the methods.)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model.decisions import Placement


class Configurations(NamedTuple):
    """What a job may get: so many GPUs of one type on so many nodes. Arrays of shape (configurations,).

    Attributes:
        kind: GPU type, an index of `GoodputTraining.types`.
        nodes: nodes they are on.
        gpus: GPUs in all.
    """

    kind: NDArray[np.int64]
    nodes: NDArray[np.int64]
    gpus: NDArray[np.int64]


class GoodputTraining:
    """Truth and learning of one run (implements `rarlib.model.training.Training`).

    Read from the scheduler: `learning` (class attribute) and, when it is "by-type", `bootstrap` and `projection`:

    learning = "requested" (default): every job keeps the batch its user asked for.
    learning = "by-type": Sia. Each job fits one model per GPU type and chooses its batch by it.
        bootstrap = "bootstrap": a type on which the job has not run is judged by one on which it has (projection).
            projection = "code": ratio of the one-GPU throughputs at each type's largest batch, from the first type (in the
                cluster's order) on which the job has run; dropped once it has run there at all. Before the first run,
                nothing is known of any type.
            projection = "paper": about ten batches are measured on one GPU of every type before the job first runs; a
                type on which it never ran on more than the fewest GPUs is judged by the ratio of the one-GPU
                throughputs from the type where it has run on most GPUs.
        bootstrap = "none": nothing is known of a type before the job has run there.
        bootstrap = "oracle": models fitted to everything ever measured, from the start; no limits by doubling.
    learning = "merged": Pollux. Each job fits one model to what it has seen on whatever type; the batch limits that
        estimates assume are those of the T4.

    All methods take rows of the job table, shape (rows,), and answer in their order. What they return is read-only and
    holds until the next pass.

    Attributes:
        types: GPU types, in the order of their first node in the cluster.
        room: GPUs of a node of each type, shape (types,).
        nodes: nodes of each type, shape (types,).
        profiled_nodes: most nodes of the type on which the applications were ever measured, shape (types,).
        restart_s: true delay at a start, shape (jobs,).
        believed_restart_s: what Sia takes it to be, shape (jobs,).
        restarts: starts after the first, so far, shape (jobs,).
        pipeline: GPUs of one replica: 1, or those of a pipeline, by job and type, shape (jobs, types); 0: cannot run there.
    """

    types: tuple[str, ...]
    room: NDArray[np.int64]
    nodes: NDArray[np.int64]
    profiled_nodes: NDArray[np.int64]
    restart_s: NDArray[np.float64]
    believed_restart_s: NDArray[np.float64]
    restarts: NDArray[np.int64]
    pipeline: NDArray[np.int64]

    def begin(self, job: int, placement: Placement, variant: int, done: float) -> None:
        """Write the row of a job that is about to start there."""

    def renew(self, job: int, done: float) -> None:
        """Write the row of a running job's next epoch."""

    def progressed(self, jobs: NDArray[np.int64]) -> None:
        """Learn from what these running jobs have shown."""

    def goodputs(
        self, jobs: NDArray[np.int64], options: Configurations, *, shared_limits: bool = True
    ) -> NDArray[np.float64]:
        """Goodput of jobs in every configuration, as each believes by its own models, shape (rows, configurations).

        Throughput times statistical efficiency at the best batch, samples per second that count like those of the
        initial batch. 0 where the job may not run (`limits`; GPUs that are no multiple of its pipeline) or where nothing
        is known of the type (`known`).

        A job's estimates change only when it has progressed; rows are kept until then (for one `options` object).

        Args:
            jobs: rows of the job table.
            options: the configurations.
            shared_limits: whether the largest limit of all types holds for each (implied by projection).
        """

    def known(self, jobs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether estimates exist, by projection or of the type itself, shape (rows, types)."""

    def limits(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Most replicas by type: twice as many as the job ever ran on there, at most 64 and those that the largest batch
        feeds; the requested GPUs for jobs that are not adaptive, shape (rows, types)."""

    def requested_rates(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """True iterations per second on the requested GPUs with the requested batch, as few nodes as possible, without the
        application's slow-down: Gavel's oracle. 0 where the type has too few GPUs, shape (rows, types)."""

    def requested_goodputs(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """True samples per second on the requested GPUs with the requested batch, slow-down included: what Sia knows of
        rigid jobs. 0 where the type has too few GPUs, shape (rows, types)."""

    def iterations_left(
        self, jobs: NDArray[np.int64], done: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Iterations left and in all with the requested batch (finish-time fairness), each of shape (rows,)."""

    def merged_goodputs(
        self, jobs: NDArray[np.int64], nodes: NDArray[np.int64], gpus: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Type-blind goodput by each job's merged model at (nodes, gpus), shape (rows, points); 0 while a job has no
        model. Limits are not applied (`merged_limits`)."""

    def merged_limits(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Twice the GPUs a job ever ran on, at most 64 and those that the largest batch feeds, shape (rows,)."""
