"""How jobs with adaptive batches progress, and what a scheduler may ask about them.

Source: Jayaram Subramanya et al., SOSP 2023, doi 10.1145/3600006.3613175, sections 3.2 and 3.3, and its artifact. The
rules by which jobs progress and learn are in `rarlib.cost.goodput.progress`, those of estimates in
`rarlib.cost.goodput.estimates`.

Where paper and code differ, `projection` and `batch_limit` of the scheduler choose. The paper does not say what is
known of gradients before a job first runs (projection of the paper, oracle); here it is the statistics of the first
epoch with the initial batch.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput import progress
from rarlib.cost.goodput.alone import shape_of
from rarlib.cost.goodput.descent import new_space
from rarlib.cost.goodput.epochs import FAILED, skip_epochs
from rarlib.cost.goodput.estimates import CODE, NONE, OWN, OWN_PROFILE, PAPER, SHARED, estimate, limit_replicas
from rarlib.cost.goodput.initial_state import (
    BLIND,
    RunContext,
    initial_state,
    know_as_one,
    know_beforehand,
    new_belief,
    pipelines,
)
from rarlib.cost.goodput.profiles import single_speed
from rarlib.cost.goodput.progress import FINE, OUTSIDE
from rarlib.cost.goodput.requested import DurationForecast, RequestedRates
from rarlib.cost.goodput.step_time import StepTimes
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement
from rarlib.model.errors import InputError
from rarlib.model.jit import Repeated
from rarlib.model.jobs import Jobs
from rarlib.model.offers import MOST_REPLICAS, Configurations, Offers
from rarlib.model.prices import Prices
from rarlib.simulator.cost_models import RunLinks
from rarlib.simulator.state import State

_CHOICES = {
    "learning": ("requested", "by-type", "merged"),
    "bootstrap": ("oracle", "bootstrap", "none"),
    "projection": ("code", "paper"),
    "batch_limit": ("largest", "requested"),
    "scaling": ("requested", "fed"),
}


class GoodputTraining:
    """True progress and learned models of the jobs of one run (implements `rarlib.model.training.Training`).

    These choices are those given with the run (`rarlib.cost.goodput.knowledge`), else attributes of the scheduler, else
    the first of each list in `_CHOICES`:

    learning = "requested": every job keeps the batch its user requested.
    learning = "by-type": Sia. Each job fits one model per GPU type and chooses its batch by it.
        bootstrap = "bootstrap": goodput on a type where the job has not run is projected from one where it has.
            projection = "code": ratio of the one-GPU throughputs at each type's largest batch, from the first type (in
                the cluster's order) on which the job has run; dropped once it has run there at all. Before the first
                run, nothing is known of any type.
            projection = "paper": about ten batches are measured on one GPU of every type before the job first runs; a
                type on which it never ran on more than one GPU is projected by the ratio of the one-GPU goodputs from
                the type where it has run on most GPUs.
        bootstrap = "oracle": models fitted to everything ever measured, from the start.
        bootstrap = "none": nothing is known of a type before the job has run there.
        batch_limit = "requested": estimates consider batches up to the one the user requested (as Sia is coded; jobs
            that run choose freely), or "largest": up to the application's largest.
    learning = "merged": Pollux. Each job fits one model to its observations on all types, or has one fitted to
        everything measured on them, where speeds are known to all; the batch limits that estimates assume
        are those of the T4.

    scaling = "requested": a job whose batch is fixed gets at most the requested GPUs (Sia), or "fed": as many as its
        batch feeds (Optimus).

    A gang on GPUs of several types runs as if all were of the slowest of these types, on nodes of that type's size.

    It offers itself as `GoodputEstimates` and `RestartEstimates` (`rarlib.model.offers`), where attributes and methods
    are described; samples include slow-down and size of the data set, and moves that cost nothing are no restarts.

    Attributes:
        requested: rates and iterations of the jobs as their users requested them.
    """

    def __init__(
        self,
        jobs: Jobs,
        cluster: Cluster,
        prices: Prices,
        times: StepTimes,
        scheduler: object,
        durations: DurationForecast,
        given: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        choices = {key: given.get(key) or _choice(scheduler, key) for key in _CHOICES}
        self._learning = choices["learning"]
        self._context = RunContext.of(jobs, cluster, times)
        self._jobs, self._prices, self._times, self._app = jobs, prices, times, self._context.app
        self.types, self.gpus_per_node, self.nodes = (
            self._context.types,
            self._context.gpus_per_node,
            self._context.nodes,
        )
        self.restart_s = self._context.per_job([app.restart_s for app in self._context.apps])
        self.believed_restart_s = self._context.per_job([app.believed_restart_s for app in self._context.apps])
        self.pipeline = pipelines(self._context)
        self._starts = np.zeros(len(jobs), dtype=np.int64)
        self._space, self._skip = new_space(), Repeated(skip_epochs)
        self._begin_job, self._bring_price = Repeated(progress.begin_job), Repeated(progress.bring_price)
        self._learn, self._price = Repeated(progress.progressed), Repeated(progress.bring_prices)
        self._estimate, self._limit = Repeated(estimate), Repeated(limit_replicas)
        by_type, merged = self._learning == "by-type", self._learning == "merged"
        self._state = initial_state(self._context, len(self.types) if by_type else 1, learns=by_type or merged)
        self._state.job["slowdown"] *= durations.scale
        self.requested = RequestedRates(self._context, np.asarray(self._state.job["requested"]), durations)
        self.samples = np.asarray(self._state.job["first"] * self._state.job["slowdown"])
        self._rows_used = np.asarray(self._state.model)["rows"]
        self._rule = OWN_PROFILE
        if by_type and choices["bootstrap"] == "bootstrap":
            self._rule = CODE if choices["projection"] == "code" else PAPER
        most = self._state.job["most"]
        high = self._state.job["requested"] if by_type and choices["batch_limit"] == "requested" else most
        high = np.where(self._state.job["tuned"], high, self._state.job["requested"])
        replica = np.ones((len(jobs), 1), np.int64) if merged else self.pipeline
        kinds = (BLIND,) if merged else self._context.kinds
        self._belief = new_belief(self._context, kinds, replica, high)
        feeds = np.clip(self._state.job["requested"][:, None] // self._belief.least[self._app], 1, MOST_REPLICAS)
        fed = (jobs.adaptivity.astype(str) == "scale-gpus") & (choices["scaling"] == "fed")
        self._belief.fixed[:] = np.where(fed[:, None], feeds, jobs.gpus[:, None])
        self._options: tuple[Configurations, Configurations] | None = None
        self._table = np.zeros((0, 0))
        if merged and given.get("bootstrap") == "oracle":
            know_as_one(self._state, self._context)
        if by_type and (choices["bootstrap"] == "oracle" or self._rule == PAPER):
            know_beforehand(self._state, self._context, everything=choices["bootstrap"] == "oracle")

    # What the simulator asks.

    def begin(self, job: int, placement: Placement, variant: int, done: float) -> None:
        """Write the price row of a job that is about to start on a placement.

        Raises:
            ValueError: no whole number of pipelines, or times or a batch that were not measured.
        """
        if variant:
            raise ValueError("has only one way to run on a placement")
        kind = self._slowest(job, placement)
        gpus_per_node = int(self.gpus_per_node[kind])
        shape = tuple(part for _, gpus in placement for part in shape_of(gpus, gpus_per_node))
        each = int(self.pipeline[job, kind])
        if each == 0 or sum(shape) % each:
            raise ValueError(
                f"needs a multiple of {each} GPUs of type {self.types[kind]}" if each else "needs another GPU type"
            )
        name, our, replicas = self._context.apps[self._app[job]].name, self._context.kinds[kind], sum(shape) // each
        record = self._state.job[job]
        record["kind"], record["nodes"], record["replicas"] = kind, len(shape), replicas
        record["slot"] = {"requested": -1, "by-type": kind, "merged": 0}[self._learning]
        record["curve"] = self._times.curve(name, our, shape)
        record["cap"] = 0 if each > 1 else self._times.most_local(name, our, replicas)
        record["least"] = self._belief.least[self._app[job], 0 if self._learning == "merged" else kind]
        if self._state.times is not self._times.times or self._state.curves.base is not self._times.curves:
            tables = self._times.curves.view(np.recarray), self._times.times
            self._state = self._state._replace(curves=tables[0], times=tables[1])
        self._settled(int(self._begin_job(self._state, job)), job)
        self._starts[job] += 1

    def renew(self, job: int, done: float) -> bool:
        """Write the price row of a running job's next epoch; schedulers need not hear of it at once."""
        self._grow(job)
        self._settled(progress.renew(self._state, job, self._space), job)
        return False

    def skip_epochs(self, state: State, prices: Prices, links: RunLinks | None = None) -> int:
        """See `rarlib.cost.goodput.epochs`.

        Raises:
            ValueError: a job goes on in a way that was not measured.
            AssertionError: a row of prices is not valid for any work.
        """
        shared = None if links is None else links.tables
        happened = int(self._skip(state, prices, self._state, self._space, shared))
        if happened == FAILED:
            job = int(state.run[0].expired)
            self._settled(progress.write_row(self._state, job), job)
            raise AssertionError(f"the new prices of job {job} have expired already")
        return happened

    def progressed(self, jobs: NDArray[np.int64]) -> None:
        """Learn from what these running jobs have shown, and let them choose their batches anew."""
        if self._learning == "requested" or len(jobs) == 0:
            return
        self._grow(jobs)
        unpriced = self._learn(self._state, jobs, self._space)
        if unpriced >= 0:
            self._settled(OUTSIDE, unpriced)
        self._price(self._state, jobs, self._prices)

    @property
    def offers(self) -> Offers:
        """Everything but tasks of parameter servers."""
        return Offers(goodput=self, restarts=self, requested=self.requested)

    @property
    def restarts(self) -> NDArray[np.int64]:
        """Starts after the first, shape (jobs,)."""
        return np.maximum(self._starts - 1, 0)

    @property
    def profiled_nodes(self) -> NDArray[np.int64]:
        """Most nodes of each type on which any application of the run was ever measured, shape (types,)."""
        steps = self._times.profiles.steps
        names = [app.name for app in self._context.apps]
        most = [max([int(steps[n, k].nodes.max()) for n in names if (n, k) in steps]) for k in self._context.kinds]
        return np.array(most, dtype=np.int64)

    def goodputs(
        self, jobs: NDArray[np.int64], options: Configurations, *, shared_limits: bool = True
    ) -> NDArray[np.float64]:
        """Goodput of jobs in every configuration, as each believes by its own models, shape (rows, configurations).

        Throughput times statistical efficiency at the best batch: samples per second that count like those of the
        initial batch. 0 where the job may not run (`limits`; GPUs that are no multiple of its pipeline) or where
        nothing is known of the type. Under learning = "merged" the configurations' types are ignored, and so are
        limits, because a fair share may lie beyond them. With `shared_limits` the largest limit of all types holds for
        each (implied by projection).

        A job's estimates change only when it has learned something; rows are kept until then, for one `options` object.
        """
        merged = self._learning == "merged"
        if self._options is None or options is not self._options[0]:
            seen = options._replace(kind=np.zeros_like(options.kind)) if merged else options
            self._options, self._table = (options, seen), np.zeros((len(self._jobs), len(options.gpus)))
            self._state.job["stale"] = 1
        # Limits change only with what jobs learn, too.
        limits, rows = NONE if merged else SHARED if shared_limits else OWN, np.ascontiguousarray(jobs)
        self._estimate(self._state, self._belief, self._options[1], self._rule, limits, rows, self._table)
        return self._table[jobs]

    def requested_goodputs(self, jobs: NDArray[np.int64]) -> NDArray[np.float64]:
        """True samples per second as requested, with slow-down, shape (rows, types): what Sia knows of rigid jobs."""
        return self.requested.goodputs(jobs)

    def limits(self, jobs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Most replicas by type, shape (rows, types), or (rows, 1) under learning = "merged".

        Twice as many as the job ever ran on there, at least 1, at most 64 and at most as many as the largest batch
        feeds; for jobs that are not adaptive, the requested GPUs, or under scaling = "fed" as many as their batch
        feeds, unless they are rigid.
        """
        limit = np.empty((len(jobs), self._belief.least.shape[1]), np.int64)
        self._limit(self._state, self._belief, np.ascontiguousarray(jobs), limit)
        return limit

    # Inside.

    def _slowest(self, job: int, placement: Placement) -> int:
        """The GPU type of a placement on which the application is slowest."""
        kinds = sorted({int(self._context.kind_of[node]) for node, _ in placement})
        if len(kinds) == 1:
            return kinds[0]
        app = self._context.apps[self._app[job]]
        if not all(self._context.measured(app, self._context.kinds[kind]) for kind in kinds):
            raise ValueError(f"needs GPUs of types on which {app.name} was measured")
        return min(kinds, key=lambda kind: single_speed(self._times.profiles, app.name, self._context.kinds[kind]))

    def _grow(self, jobs: Any) -> None:
        """Make sure that one more observation of these jobs can be stored."""
        if self._learning != "requested" and self._rows_used[jobs].max() + 1 >= self._state.observed.shape[2]:
            observed = self._state.observed
            self._state = self._state._replace(observed=np.concatenate([observed, np.zeros_like(observed)], axis=2))

    def _settled(self, outcome: int, job: int) -> None:
        if outcome != FINE:
            record = self._state.job[job]
            rule = "was not measured" if outcome == OUTSIDE else f"is below the smallest batch, {record['first']}"
            where = f"on {record['replicas']} x {self.types[record['kind']]} over {record['nodes']} nodes"
            raise ValueError(f"{record['local']} samples at once for each replica {where} {rule}")
        self._bring_price(self._state, job, self._prices)


def _choice(scheduler: object, name: str) -> str:
    value: Any = getattr(scheduler, name, _CHOICES[name][0])
    if value not in _CHOICES[name]:
        raise InputError(f"must be one of {', '.join(_CHOICES[name])}, found {value!r}", field=name)
    return str(value)
