"""The goodput model: jobs on several GPU types, with batches that change while they run.

Source: Jayaram Subramanya et al. (Sia), SOSP 2023, doi 10.1145/3600006.3613175; Qiao et al. (Pollux), OSDI 2021.

The work of a job is counted in iterations with its initial batch; the price row of a job holds for one epoch with one
batch (`rarlib.cost.goodput.training`). Computing is `base_s`, exchanging gradients `local_s` and `link_s`: as measured,
alone, without contention.
"""

import contextlib
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.alone import duration_s, shape_of
from rarlib.cost.goodput.applications import Application, application, gpu_type
from rarlib.cost.goodput.measured import load_profiles
from rarlib.cost.goodput.profiles import Profiles
from rarlib.cost.goodput.step_time import StepTimes
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.cost.goodput.world import MOST_REPLICAS
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Job, Jobs
from rarlib.model.prices import Prices


class _Room(NamedTuple):
    """GPUs of a node, and nodes, of one type."""

    gpus: int
    nodes: int


class _Terms(NamedTuple):
    """On which a job is admitted: GPUs it may get, its batch, its duration as requested."""

    fewest: int
    most: int
    batch: int
    duration_s: float


@dataclass(frozen=True)
class GoodputCost:
    """Prices by measured profiles.

    Attributes:
        profiles: of all applications that jobs name; by default those of the data layer.
    """

    name: ClassVar[str] = "goodput"
    profiles: Profiles = field(default_factory=load_profiles)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_times", StepTimes(self.profiles))

    @property
    def times(self) -> StepTimes:
        """True iteration times; tables are shared by all runs under this model."""
        found: StepTimes = self._times  # type: ignore[attr-defined]
        return found

    def admit(self, jobs: Jobs, cluster: Cluster) -> Jobs:
        """The jobs as this model takes them.

        A job that is not rigid may get from one replica to 64, as far as its largest batch feeds them and one type has
        them. `duration_s` becomes that of its request, alone, on the first type with room for it; a request without a
        batch gets the measured one with which it is done soonest, as the authors' users tune theirs.

        Raises:
            InputError: an application or a GPU type without profile, a request larger than the cluster or outside of
                the measurements; one line, naming the job.
        """
        rooms = _rooms(cluster)
        low, high, batch, seconds = jobs.gpus.copy(), jobs.gpus.copy(), jobs.batch_size.copy(), np.zeros(len(jobs))
        known: dict[tuple[str, int, int], _Terms] = {}
        for job in jobs.rows:
            key = job.application, job.gpus, job.batch_size
            if key not in known:
                known[key] = self._terms(job, rooms)
            terms = known[key]
            batch[job.row], seconds[job.row] = terms.batch, terms.duration_s
            if job.adaptivity != "rigid":
                low[job.row], high[job.row] = min(terms.fewest, job.gpus), max(terms.most, job.gpus)
        return replace(jobs, min_gpus=low, max_gpus=high, batch_size=batch, duration_s=seconds)

    def price(self, jobs: Jobs, cluster: Cluster) -> Prices:
        """Price table before any job has started; iterations are those with the initial batch."""
        ends = {
            name: self.profiles.gradients[name].progress[:, application(name).epochs - 1].min()
            for name in dict.fromkeys(jobs.application.tolist())
        }
        work = np.array([ends[name] for name in jobs.application.tolist()])
        delay = np.array([application(name).restart_s for name in jobs.application.tolist()])
        return price_table(jobs, cluster, work=work, base_s=jobs.duration_s / work, launch_s=delay, restart_s=delay)

    def train(self, jobs: Jobs, cluster: Cluster, prices: Prices, scheduler: object) -> GoodputTraining:
        """The training of a run; it writes into `prices`."""
        return GoodputTraining(jobs, cluster, prices, self.times, scheduler)

    def _terms(self, job: Job, rooms: dict[str, _Room]) -> _Terms:
        app = application(job.application, job.job_id)
        kinds = {kind: gpu_type(kind) for kind in rooms}
        kinds = {kind: ours for kind, ours in kinds.items() if not app.stages or ours in app.stages}
        if not kinds:
            raise InputError(f"job {job.job_id}: {app.name} has no profile on {', '.join(rooms)}", field="type")
        total = sum(room.gpus * room.nodes for room in rooms.values())
        if job.gpus > total:
            raise InputError(f"job {job.job_id} asks for {job.gpus} GPUs, the cluster has {total}", field="gpus")
        most = {kind: self._most(app, ours, rooms[kind]) for kind, ours in kinds.items()}
        fewest = min(app.stages.get(ours, 1) for ours in kinds.values())
        held = min(job.gpus, max(most.values()))
        reason = ""
        for kind, ours in kinds.items():
            if held <= most[kind]:
                try:
                    batch, seconds = self._request(app, ours, shape_of(held, rooms[kind].gpus), job.batch_size)
                    return _Terms(fewest, max(most.values()), batch, seconds)
                except ValueError as error:
                    reason = reason or str(error)
        raise InputError(f"job {job.job_id}: {reason}", field="batch_size")

    def _most(self, app: Application, kind: str, room: _Room) -> int:
        """Most GPUs of a type that a job can use."""
        rows, each = self.profiles.of(app.name, kind), app.stages.get(kind, 1)
        least = app.microbatches if app.stages else int(rows.local[rows.placed].min())
        feeds = int(self.profiles.gradients[app.name].batch[-1]) // least
        return min(room.gpus * room.nodes, each * min(MOST_REPLICAS, feeds))

    def _request(self, app: Application, kind: str, shape: tuple[int, ...], batch: int) -> tuple[int, float]:
        """Batch and duration on a placement; a batch of 0 stands for the fastest measured one.

        Raises:
            ValueError: that was not measured.
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


def _rooms(cluster: Cluster) -> dict[str, _Room]:
    """What the cluster has of each type, in its order."""
    kinds = np.array(cluster.gpu_type)
    rooms = {}
    for kind in dict.fromkeys(cluster.gpu_type):
        gpus: NDArray[np.int64] = cluster.gpus[kinds == kind]
        rooms[kind] = _Room(int(gpus.max()), len(gpus))
    return rooms
