"""The contract between schedulers and the simulator."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Decision, Placement
from rarlib.model.jobs import Job
from rarlib.model.offers import Offers
from rarlib.model.prices import Prices


class Running(NamedTuple):
    """A job that holds GPUs."""

    job: Job
    placement: Placement
    since_s: float


class View(Protocol):
    """What a scheduler may see, read-only. All values hold at time `now_s`.

    Lengths of jobs (`Job.duration_s`, `prices.work`, `remaining_s`, `work_left`) are predictions, which a run may
    distort on purpose (`rarlib.model.forecast`).

    Attributes:
        now_s: seconds since the first submission.
        cluster: the cluster.
        prices: the price table, with predicted work.
        rng: this scheduler's own random stream.
        offers: what schedulers may ask of the cost model beyond the price table.
        predictable: whether the predicted length of each job can be trusted, shape (jobs,).
    """

    now_s: float
    cluster: Cluster
    prices: Prices
    rng: np.random.Generator
    offers: Offers
    predictable: NDArray[np.bool_]

    @property
    def waiting(self) -> Sequence[Job]:
        """Jobs that hold nothing, in submission order."""

    @property
    def running(self) -> Sequence[Running]:
        """Jobs that hold GPUs, in submission order."""

    @property
    def waiting_rows(self) -> NDArray[np.int64]:
        """Positions of the waiting jobs, ascending: for schedulers that work on whole arrays."""

    @property
    def running_rows(self) -> NDArray[np.int64]:
        """Positions of the running jobs, ascending."""

    def job(self, row: int) -> Job:
        """A job that has been submitted."""

    @property
    def free(self) -> NDArray[np.int64]:
        """Free GPUs of each node, shape (nodes,); read-only."""

    @property
    def arrivals_left(self) -> int:
        """Number of jobs that have not been submitted yet."""

    def remaining_s(self, job: Any) -> Any:
        """Running time left on the requested gang, alone and uncontended, seconds; for an array of jobs, an array."""

    def work_done(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Work the jobs have done so far, in the unit of `prices.work`, shape of `jobs`."""

    def work_left(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Work left to do, in the unit of `prices.work`, shape of `jobs`."""

    def attained_gpu_s(self, job: Any) -> Any:
        """GPU-seconds that the job has held so far; for an array of jobs, an array of the same shape."""

    def level(self, job: Any) -> Any:
        """How many of the declared levels of attained GPU-seconds the job has reached; for an array, an array."""


def in_system(view: View) -> list[Job]:
    """Jobs that wait or run, by row."""
    return sorted([*view.waiting, *(running.job for running in view.running)], key=lambda job: job.row)


class Discipline(NamedTuple):
    """An ordering and a placement rule that the simulator can run compiled, without calling `decide`.

    Attributes:
        order: `submission`, `duration`, `remaining` or `attained`; ties are broken by submission.
        head_blocks: whether no job may overtake the first job that does not fit.
        preemptive: whether a pass may stop running jobs for jobs that come earlier in the order.
        placement: a name from `rarlib.allocate.placement`.
        levels: for `attained`: GPU-seconds at which a job drops to the next queue.
    """

    order: str
    head_blocks: bool = False
    preemptive: bool = False
    placement: str = "any"
    levels: tuple[float, ...] = ()


@runtime_checkable
class Scheduler(Protocol):
    """A scheduler: one class in one file of `rarlib/schedulers/` (or of an installed package).

    Parameters are the fields of a dataclass with defaults; `--param name=value` sets them. One object
    serves one run, so it may keep state between passes.

    Four class attributes are optional: `made_for`, the cost model whose prices the scheduler needs to make sense (runs
    under another one carry a warning), `uses_cpu = True` if the scheduler can place jobs on CPU task slots (other
    schedulers are refused on a cluster that has them), `learning`, a word that tells a training how jobs choose
    their configuration, and `one_type` if a job gets GPUs of one type only: "requested" of them or, under a training,
    "fewest" (runs with a job that no type can hold are refused before they begin).

    Attributes:
        name: as `--scheduler` takes it; no two schedulers share one.
        label: what figures call it.
        paper: key of a reference in CITATION.cff; empty if it has none.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    paper: ClassVar[str]

    def decide(self, view: View) -> Iterable[Decision]:
        """Decisions to carry out now. Called after finished jobs have freed their GPUs and arrivals have joined."""


def discipline_of(scheduler: Scheduler) -> Discipline | None:
    """The discipline that a scheduler declares; None if it declares none and so cannot run compiled."""
    declared: Any = getattr(scheduler, "discipline", None)
    return declared if isinstance(declared, Discipline) else None
