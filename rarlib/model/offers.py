"""What a scheduler may ask a cost model beside its price table, and how it says that it cannot do without.

Not every cost model can answer everything. `View.offers` has one entry for each kind of question; it is None where the
cost model of the run does not answer that kind. A scheduler that has another way looks at the entry; one that needs it
asks `needed`, which raises the one error a user sees.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError

MOST_REPLICAS = 64
"""More replicas than a job ever gets: Sia's and Pollux's simulators handle no more."""


class Configurations(NamedTuple):
    """What a job may get: so many GPUs of one type on so many nodes. Arrays of shape (configurations,).

    Attributes:
        kind: GPU type, an index of `GoodputEstimates.types`.
        nodes: nodes they are on.
        gpus: GPUs in all.
    """

    kind: NDArray[np.int64]
    nodes: NDArray[np.int64]
    gpus: NDArray[np.int64]


class GoodputEstimates(Protocol):
    """What jobs believe of their speed in every configuration. Methods take rows of the job table, shape (rows,)."""

    @property
    def types(self) -> tuple[str, ...]:
        """GPU types, in the order of their first node in the cluster."""

    @property
    def gpus_per_node(self) -> NDArray[np.int64]:
        """GPUs of a node of each type, shape (types,)."""

    @property
    def nodes(self) -> NDArray[np.int64]:
        """Nodes of each type, shape (types,)."""

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
        """Samples per second that count like those of the initial batch, shape (rows, configurations).

        0 where a job may not run (`limits`; no whole number of replicas) or knows nothing.
        """

    def requested_goodputs(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same with the GPUs and the batch that the user asked for, shape (rows, types)."""

    def limits(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Most replicas of a job for now, shape (rows, types), or (rows, 1) where types are not told apart."""


class RestartEstimates(Protocol):
    """What stopping and starting costs; arrays of shape (jobs,)."""

    @property
    def restarts(self) -> NDArray[np.int64]:
        """Starts after the first so far."""

    @property
    def restart_s(self) -> NDArray[np.float64]:
        """True delay at a start, seconds."""

    @property
    def believed_restart_s(self) -> NDArray[np.float64]:
        """What it is believed to be, seconds."""


class RequestedSpeeds(Protocol):
    """How fast jobs are as their users asked for them. Methods take rows of the job table, shape (rows,)."""

    def rates(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """True iterations per second on the fewest nodes of each GPU type, shape (rows, types); 0: too few GPUs."""

    def iterations(
        self, jobs: NDArray[np.int64], done: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Iterations left and in all, as predicted, after so much work is `done`; each of shape (rows,)."""


class TaskEstimates(Protocol):
    """What is believed of jobs with parameter servers. Methods take rows of the job table, shape (rows,)."""

    @property
    def on_cpu(self) -> NDArray[np.bool_]:
        """Whether a job's workers run on CPU task slots, shape (jobs,)."""

    @property
    def predictable(self) -> NDArray[np.bool_]:
        """Whether a job's length can be predicted by now, shape (jobs,)."""

    @property
    def predicted_step_s(self) -> NDArray[np.float64]:
        """Seconds of a step by job, GPU workers, CPU workers and servers; infinite where the job cannot run."""

    def requested(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """GPU workers, CPU workers and servers that users asked for, shape (rows, 3)."""

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
"""Of each entry of `Offers`, what it is and the cost models that have it."""

T = TypeVar("T")


def missing(scheduler: str, *names: str) -> InputError:
    """The error of a scheduler that needs one of these entries of `Offers`, where the cost model has none of them."""
    needs = " or ".join(f"{_MEANING[name][0]} (cost model: {_MEANING[name][1]})" for name in names)
    return InputError(f"{scheduler} needs {needs}", field="cost")


def needed(offer: T | None, scheduler: str, name: str) -> T:
    """An entry of `Offers` that a scheduler cannot do without.

    Args:
        offer: the entry.
        scheduler: name of the scheduler, for the error.
        name: of the entry, for the error.

    Raises:
        InputError: naming the scheduler, what it needs and the cost models that offer it.
    """
    if offer is None:
        raise missing(scheduler, name)
    return offer
