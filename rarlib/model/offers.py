"""What a scheduler may ask of a cost model beyond its price table, and the error if it needs what is not offered.

Not every cost model can answer everything. `View.offers` has one entry for each kind of question; it is None where the
cost model of the run does not answer that kind. A scheduler that can work without an answer checks the entry itself;
one that needs it calls `needed`, which raises the error that the user sees.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError

MOST_REPLICAS = 64
"""Upper limit on the replicas of a job: Sia's and Pollux's simulators handle no more."""


class Configurations(NamedTuple):
    """Possible allocations: a number of GPUs of one type on a number of nodes. Arrays of shape (configurations,).

    Attributes:
        kind: GPU type, an index of `GoodputEstimates.types`.
        nodes: nodes that the GPUs are on.
        gpus: GPUs in all.
    """

    kind: NDArray[np.int64]
    nodes: NDArray[np.int64]
    gpus: NDArray[np.int64]


class GoodputEstimates(Protocol):
    """The jobs' own speed estimates in every configuration. Methods take rows of the job table, shape (rows,)."""

    @property
    def types(self) -> tuple[str, ...]:
        """GPU types, in the order of their first node in the cluster."""

    @property
    def gpus_per_node(self) -> NDArray[np.int64]:
        """GPUs of a node of each type, shape (types,)."""

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Number of nodes of each type, shape (types,)."""

    @property
    def profiled_nodes(self) -> NDArray[np.int64]:
        """Most nodes of each type on which any application was measured, shape (types,)."""

    @property
    def pipeline(self) -> NDArray[np.int64]:
        """GPUs of one replica, shape (jobs, types); 0: the job cannot run there."""

    @property
    def samples(self) -> NDArray[np.float64]:
        """Samples in a unit of work, shape (jobs,): a job does goodput / samples of its work per second."""

    def goodputs(
        self, jobs: NDArray[np.int64], options: Configurations, *, shared_limits: bool = True
    ) -> NDArray[np.float64]:
        """Goodput in samples per second at the efficiency of the initial batch, shape (rows, configurations).

        It is 0 where a job may not run (`limits`; no whole number of replicas) or has no estimate.
        """

    def requested_goodputs(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same with the GPUs and the batch that the user requested, shape (rows, types)."""

    def limits(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Current maximum of a job's replicas, shape (rows, types), or (rows, 1) if all types are treated alike."""


class RestartEstimates(Protocol):
    """What stopping and starting costs; arrays of shape (jobs,)."""

    @property
    def restarts(self) -> NDArray[np.int64]:
        """Number of starts so far, not counting the first."""

    @property
    def restart_s(self) -> NDArray[np.float64]:
        """True delay at a start, seconds."""

    @property
    def believed_restart_s(self) -> NDArray[np.float64]:
        """Estimated delay at a start, seconds."""


class RequestedSpeeds(Protocol):
    """Speeds of jobs with the GPUs and batch requested. Methods take rows of the job table, shape (rows,)."""

    def rates(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """True iterations per second on the fewest nodes of each GPU type, shape (rows, types); 0: too few GPUs."""

    def iterations(
        self, jobs: NDArray[np.int64], done: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Predicted iterations left and in all, above 0, when `done` of the work is done; each of shape (rows,)."""


class TaskEstimates(Protocol):
    """Estimates for jobs with parameter servers. Methods take rows of the job table, shape (rows,)."""

    @property
    def on_cpu(self) -> NDArray[np.bool_]:
        """Whether a job's workers run on CPU task slots, shape (jobs,)."""

    @property
    def predictable(self) -> NDArray[np.bool_]:
        """Whether a job's length can be predicted yet, shape (jobs,)."""

    @property
    def predicted_step_s(self) -> NDArray[np.float64]:
        """Seconds of a step by job, GPU workers, CPU workers and servers; infinite where the job cannot run."""

    def requested(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """GPU workers, CPU workers and servers that users requested, shape (rows, 3)."""

    def predicted_left(self, jobs: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.float64]:
        """Steps left after `done`, shape (rows,); NaN for jobs that are not predictable."""

    def guessed_left(self, jobs: NDArray[np.int64], done: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same with a guess for jobs that are not predictable."""


@dataclass(frozen=True)
class Offers:
    """The questions that a cost model answers in a run."""

    goodput: GoodputEstimates | None = None
    restarts: RestartEstimates | None = None
    requested: RequestedSpeeds | None = None
    tasks: TaskEstimates | None = None


_MEANING = {
    "goodput": ("the goodput of jobs in every configuration", "goodput"),
    "restarts": ("what restarts cost", "goodput"),
    "requested": ("the speed of jobs on each GPU type as requested", "any but parameter-server"),
    "tasks": ("the step time of jobs with parameter servers", "parameter-server"),
}
"""For each entry of `Offers`, what it is and the cost models that offer it."""

T = TypeVar("T")


def missing(scheduler: str, *names: str) -> InputError:
    """The error for a scheduler that needs one of these entries of `Offers` when the cost model has none of them."""
    needs = " or ".join(f"{_MEANING[name][0]} (cost model: {_MEANING[name][1]})" for name in names)
    return InputError(f"{scheduler} needs {needs}", field="cost")


def needed(offer: T | None, scheduler: str, name: str) -> T:
    """An entry of `Offers` that a scheduler requires.

    Args:
        offer: the entry.
        scheduler: name of the scheduler, for the error.
        name: name of the entry, for the error.

    Raises:
        InputError: naming the scheduler, what it needs and the cost models that offer it.
    """
    if offer is None:
        raise missing(scheduler, name)
    return offer
