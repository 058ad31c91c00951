"""The goodput model: jobs on several GPU types, with batches that change while they run.

Source: Jayaram Subramanya et al. (Sia), SOSP 2023, doi 10.1145/3600006.3613175; Qiao et al. (Pollux), OSDI 2021.

The work of a job is counted in iterations with its initial batch; the price row of a job holds for one epoch with one
batch (`rarlib.cost.goodput.training`). `base_s` is the computation, `local_s` and `link_s` the exchange of gradients,
as measured for a job alone. Contention is that of a `SpanningNetwork`; without one there is none.

What planners see is a plain price table: every job as requested, with one average iteration for all of its epochs.
"""

import contextlib
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.alone import duration_s, shape_of, share
from rarlib.cost.goodput.applications import AS_IN_SIA, Application, SharedCluster, gpu_type
from rarlib.cost.goodput.knowledge import GIVEN, KNOWLEDGE
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.goodput.profiles import Profiles, relative_speed
from rarlib.cost.goodput.requested import DurationForecast
from rarlib.cost.goodput.step_time import StepTimes
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Job, Jobs
from rarlib.model.offers import MOST_REPLICAS
from rarlib.model.prices import Prices


class _TypeSize(NamedTuple):
    """GPUs per node, and number of nodes, of one type."""

    gpus: int
    nodes: int


_Request = tuple[str, int, int, tuple[tuple[str, _TypeSize], ...]]


class _Terms(NamedTuple):
    """Terms on which a job is admitted: GPUs it may get, its batch, its duration and iteration as requested.

    `packed` and `spread` are what an iteration exchanges on the fewest servers, and on two where one would do.
    """

    fewest: int
    most: int
    batch: int
    duration_s: float
    iteration_s: float
    packed_s: float
    spread_s: float


@dataclass(frozen=True)
class GoodputCost:
    """Prices from measured profiles.

    Attributes:
        profiles: profiles of all applications that jobs name; by default those of the data layer.
        network: slows down gangs that span servers; None: no delay beyond what was measured.
        recorded: whether a job takes as long as the trace says. The application's data set is then scaled so that the
            job takes the recorded duration when it runs alone on the requested GPUs, on the first type that has enough
            of them; else every job trains the whole application, whatever the trace says.
        conditions: slow-down and delay of starts in the shared cluster.
        knowledge: what schedulers know of speeds: `given`, `known` or `learned` (`rarlib.cost.goodput.knowledge`).
        extended: whether placements and batches that were not measured take the times of the nearest measurements
            (`rarlib.cost.goodput.step_time`), so that every scheduler's runs come to their end; else they are refused.
    """

    name: ClassVar[str] = "goodput"
    profiles: Profiles = field(default_factory=load_profiles)
    network: SpanningNetwork | None = None
    recorded: bool = False
    conditions: SharedCluster = AS_IN_SIA
    knowledge: str = GIVEN
    extended: bool = True
    _times: StepTimes = field(init=False, repr=False, compare=False)
    # By application, GPUs, batch and the cluster's types: runs on one cluster ask for the same terms again.
    _known: dict[_Request, _Terms] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.knowledge not in KNOWLEDGE:
            raise InputError(f"must be one of {', '.join(KNOWLEDGE)}, found {self.knowledge!r}", field="knowledge")
        object.__setattr__(self, "_times", StepTimes(self.profiles, extended=self.extended, shared=self.conditions))
        object.__setattr__(self, "_known", {})

    @property
    def times(self) -> StepTimes:
        """True iteration times; tables are shared by all runs under this model."""
        return self._times

    def under(self, network: SpanningNetwork, knowledge: str | None = None) -> "GoodputCost":
        """The same model with another network, and other knowledge; both share their tables of times and terms."""
        other = replace(self, network=network, knowledge=self.knowledge if knowledge is None else knowledge)
        for name in ("_times", "_known"):
            object.__setattr__(other, name, getattr(self, name))
        return other

    def admit(self, jobs: Jobs, cluster: Cluster) -> Jobs:
        """The jobs with their limits, batches and durations under this model.

        A job that is not rigid may get from one replica to 64, as far as its largest batch feeds them and one type has
        them. `duration_s` becomes the time that its request takes alone on the first type with enough GPUs, unless
        durations are as recorded; a request without a batch gets the measured one that finishes soonest, as the
        authors' users tune theirs.

        Raises:
            InputError: an application or a GPU type without profile, a request larger than the cluster or outside of
                the measurements; one line, naming the job.
        """
        low, high, batch, seconds = jobs.gpus.copy(), jobs.gpus.copy(), jobs.batch_size.copy(), np.zeros(len(jobs))
        for job, terms in zip(jobs.rows, self._all_terms(jobs, cluster), strict=True):
            batch[job.row], seconds[job.row] = terms.batch, terms.duration_s
            if job.adaptivity != "rigid":
                low[job.row], high[job.row] = min(terms.fewest, job.gpus), max(terms.most, job.gpus)
        seconds = jobs.duration_s if self.recorded else seconds
        return replace(jobs, min_gpus=low, max_gpus=high, batch_size=batch, duration_s=seconds)

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table before any admitted job has started; iterations are those with the initial batch."""
        ends = {
            name: self.profiles.gradients[name].progress[:, self.times.application(name).epochs - 1].min()
            for name in dict.fromkeys(jobs.application.tolist())
        }
        work = np.array([ends[name] for name in jobs.application.tolist()])
        delay = np.array([self.times.application(name).restart_s for name in jobs.application.tolist()])
        alone = jobs.duration_s / work
        if self.network is None:
            return price_table(jobs, cluster, work=work, base_s=alone, launch_s=delay, restart_s=delay)
        terms = self._all_terms(jobs, cluster)
        fields = ("iteration_s", "packed_s", "spread_s")
        iteration, packed, spread = (np.array([getattr(each, name) for each in terms]) for name in fields)
        worth = alone / iteration  # average seconds per unit of work over seconds per iteration as requested
        node_link, rack_link = self.network.links(cluster)
        return price_table(
            jobs,
            cluster,
            work=work,
            base_s=worth * (iteration - packed),
            local_s=worth * packed,
            link_s=worth * spread,
            server_s=worth * self.network.overhead_s,
            launch_s=delay,
            restart_s=delay,
            sharing=self.network.sharing(cluster),
            node_speed=relative_speed(jobs, cluster, self.profiles),
            node_link=node_link,
            rack_link=rack_link,
        )

    def train(
        self, jobs: Jobs, cluster: Cluster, prices: Prices, scheduler: object, forecast: Forecast
    ) -> GoodputTraining:
        """The training of a run of admitted jobs; it writes into `prices`."""
        prices.server_s[:] = 0.0 if self.network is None else self.network.overhead_s  # per iteration as it is run
        durations = DurationForecast(self.scale(jobs, cluster), forecast)
        return GoodputTraining(jobs, cluster, prices, self.times, scheduler, durations, KNOWLEDGE[self.knowledge])

    def scale(self, jobs: Jobs, cluster: Cluster) -> NDArray[np.float64]:
        """Size of each admitted job's data set relative to its application's, shape (jobs,)."""
        if not self.recorded:
            return np.ones(len(jobs))
        return np.asarray(jobs.duration_s / np.array([terms.duration_s for terms in self._all_terms(jobs, cluster)]))

    def _all_terms(self, jobs: Jobs, cluster: Cluster) -> list[_Terms]:
        sizes, known = _type_sizes(cluster), self._known
        types, found = tuple(sizes.items()), []
        for job in jobs.rows:
            key = job.application, job.gpus, job.batch_size, types
            if key not in known:
                known[key] = self._terms(job, sizes)
            found.append(known[key])
        return found

    def _terms(self, job: Job, sizes: dict[str, _TypeSize]) -> _Terms:
        app = self.times.application(job.application, job.job_id)
        kinds = {kind: gpu_type(kind) for kind in sizes}
        kinds = {kind: ours for kind, ours in kinds.items() if not app.stages or ours in app.stages}
        if not kinds:
            raise InputError(f"job {job.job_id}: {app.name} has no profile on {', '.join(sizes)}", field="type")
        total = sum(size.gpus * size.nodes for size in sizes.values())
        if job.gpus > total:
            raise InputError(f"job {job.job_id} asks for {job.gpus} GPUs, the cluster has {total}", field="gpus")
        most = {kind: self._most(app, ours, sizes[kind]) for kind, ours in kinds.items()}
        fewest = min(app.stages.get(ours, 1) for ours in kinds.values())
        held = min(job.gpus, max(most.values()))
        reason = ""
        for kind, ours in kinds.items():
            if held <= most[kind]:
                try:
                    shape = shape_of(held, sizes[kind].gpus)
                    batch, seconds = self._request(app, ours, shape, job.batch_size)
                    return _Terms(fewest, max(most.values()), batch, seconds, *self._iteration(app, ours, shape, batch))
                except ValueError as error:
                    reason = reason or str(error)
        raise InputError(f"job {job.job_id}: {reason}", field="batch_size")

    def _most(self, app: Application, kind: str, size: _TypeSize) -> int:
        """Most GPUs of a type that a job can use."""
        rows, each = self.profiles.of(app.name, kind), app.stages.get(kind, 1)
        least = app.microbatches if app.stages else int(rows.local[rows.placed].min())
        feeds = int(self.profiles.gradients[app.name].batch[-1]) // least
        return min(size.gpus * size.nodes, each * min(MOST_REPLICAS, feeds))

    def _request(self, app: Application, kind: str, shape: tuple[int, ...], batch: int) -> tuple[int, float]:
        """Batch and duration on a placement; a batch of 0 stands for the fastest measured one.

        Raises:
            ValueError: the placement or the batch was not measured.
        """
        if batch or app.stages:
            return batch, duration_s(self.times, app.name, kind, shape, batch)
        found = []
        for choice in self.profiles.gradients[app.name].batch.tolist():
            with contextlib.suppress(ValueError):
                found.append((duration_s(self.times, app.name, kind, shape, choice), choice))
        if not found:
            raise ValueError(f"{app.name} was measured with no batch on GPUs {shape} of type {kind}")
        seconds, choice = min(found)
        return choice, seconds

    def _iteration(self, app: Application, kind: str, shape: tuple[int, ...], batch: int) -> tuple[float, float, float]:
        """Seconds of an iteration, and of its exchange on the fewest servers and on two or more."""
        found = share(self.times, app.name, kind, shape, batch)
        spread = found.sync_s
        if len(shape) == 1 and shape[0] > 1 and not app.stages:
            halves = (shape[0] - shape[0] // 2, shape[0] // 2)
            with contextlib.suppress(ValueError):
                spread = max(spread, share(self.times, app.name, kind, halves, batch).sync_s)
        return found.iteration_s, found.sync_s, spread


def _type_sizes(cluster: Cluster) -> dict[str, _TypeSize]:
    """GPUs per node and number of nodes of each type, in the cluster's order."""
    kinds = np.array(cluster.gpu_type)
    sizes = {}
    for kind in dict.fromkeys(cluster.gpu_type):
        gpus: NDArray[np.int64] = cluster.gpus[kinds == kind]
        sizes[kind] = _TypeSize(int(gpus.max()), len(gpus))
    return sizes
