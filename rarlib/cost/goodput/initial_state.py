"""The initial arrays of a run: true properties of its jobs, and what is known of them before they have run."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.alone import shape_of, share
from rarlib.cost.goodput.applications import APPLICATIONS, Application, gpu_type
from rarlib.cost.goodput.batch import no_batches
from rarlib.cost.goodput.descent import LOCAL, PARAMETERS, REPLICAS, STEP, new_space
from rarlib.cost.goodput.estimates import Belief
from rarlib.cost.goodput.fit import fit
from rarlib.cost.goodput.profiles import single_speed
from rarlib.cost.goodput.progress import JOB, MODEL, TrainingState, no_fits
from rarlib.cost.goodput.step_time import StepTimes
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.offers import MOST_REPLICAS

PROFILED = 10
"""Batches that are measured on one GPU of every type before a job first runs, under the paper's rule."""

BLIND = "t4"
"""GPU type whose batch limits a type-blind scheduler assumes everywhere (Pollux, in Sia's artifact)."""


class RunContext(NamedTuple):
    """Jobs, applications and GPU types of a run, with the true iteration times."""

    jobs: Jobs  # the job table
    apps: tuple[Application, ...]  # the applications of its jobs, each once
    app: NDArray[np.int64]  # application of each job, shape (jobs,)
    types: tuple[str, ...]  # GPU types as the cluster calls them, in the order of their first node
    kinds: tuple[str, ...]  # the same types as the profiles call them
    kind_of: NDArray[np.int64]  # type of each node, shape (nodes,)
    gpus_per_node: NDArray[np.int64]  # GPUs of a node of each type, shape (types,)
    nodes: NDArray[np.int64]  # nodes of each type, shape (types,)
    times: StepTimes  # true iteration times

    @classmethod
    def of(cls, jobs: Jobs, cluster: Cluster, times: StepTimes) -> "RunContext":
        """Collect them from the jobs, the cluster and the true times of a run."""
        names = list(dict.fromkeys(jobs.application.tolist()))
        types = tuple(dict.fromkeys(cluster.gpu_type))
        kind_of = np.array([types.index(name) for name in cluster.gpu_type], dtype=np.int64)
        return cls(
            jobs=jobs,
            apps=tuple(times.application(name) for name in names),
            app=np.array([names.index(name) for name in jobs.application.tolist()], dtype=np.int64),
            types=types,
            kinds=tuple(gpu_type(name) for name in types),
            kind_of=kind_of,
            gpus_per_node=np.array([cluster.gpus[kind_of == k].max() for k in range(len(types))], dtype=np.int64),
            nodes=np.bincount(kind_of, minlength=len(types)).astype(np.int64),
            times=times,
        )

    def per_job(self, values: list[float]) -> NDArray[np.float64]:
        """Values by application, repeated for every job."""
        return np.array(values, dtype=np.float64)[self.app]

    def measured(self, app: Application, kind: str) -> bool:
        """Whether an application was measured on a type."""
        return (app.name, kind) in self.times.profiles.steps


def pipelines(context: RunContext) -> NDArray[np.int64]:
    """GPUs of one replica, 0 where the application was not measured, shape (jobs, types)."""
    table = [
        [app.stages.get(kind, 1) if context.measured(app, kind) else 0 for kind in context.kinds]
        for app in context.apps
    ]
    return np.array(table, dtype=np.int64)[context.app]


def initial_state(context: RunContext, slots: int, *, learns: bool) -> TrainingState:
    """The arrays of a run in which no job has run; each has `slots` models, and `learns` unless its user forbids it."""
    jobs, gradients = context.jobs, [context.times.profiles.gradients[app.name] for app in context.apps]
    shape = max(len(g.batch) for g in gradients), max(g.progress.shape[1] for g in gradients)
    table, sizes = np.zeros((len(gradients), 3, *shape)), np.zeros((len(gradients), shape[0]), np.int64)
    for a, g in enumerate(gradients):
        for q, values in enumerate((g.progress, g.square, g.variance)):
            table[a, q] = np.pad(values, [(0, shape[i] - values.shape[i]) for i in (0, 1)], mode="edge")
        sizes[a] = np.pad(g.batch, (0, shape[0] - len(g.batch)), mode="edge")
    job = np.zeros(len(jobs), JOB).view(np.recarray)
    job["app"], job["slot"], job["stale"] = context.app, -1, 1
    job["epochs"] = context.per_job([app.epochs for app in context.apps])
    job["slowdown"] = context.per_job([app.slowdown for app in context.apps])
    job["first"] = context.per_job([g.batch[0] for g in gradients])
    job["most"] = context.per_job([g.batch[-1] for g in gradients])
    job["requested"] = np.where(jobs.batch_size > 0, jobs.batch_size, job["first"])
    job["pipelined"] = context.per_job([bool(app.stages) for app in context.apps])
    job["tuned"] = ~np.isin(jobs.adaptivity.astype(str), ("scale-gpus", "rigid")) & learns
    return TrainingState(
        job=job,
        curves=context.times.curves.view(np.recarray),
        times=context.times.times,
        batches=sizes,
        gradients=table,
        model=np.zeros((len(jobs), slots), MODEL).view(np.recarray),
        params=np.zeros((len(jobs), slots, PARAMETERS)),
        observed=np.zeros((len(jobs), slots, 16 if learns else 1, 5)),
        fits=no_fits(),
        noted=no_batches(len(context.apps) * slots if learns else 0),
    )


def new_belief(
    context: RunContext,
    kinds: tuple[str, ...],
    pipeline: NDArray[np.int64],
    high: NDArray[np.int64],
) -> Belief:
    """What estimates assume throughout a run.

    `kinds` are the GPU types whose limits each model of a job assumes, `pipeline` the GPUs of one replica (jobs,
    models), `high` the largest global batch considered (jobs,).
    """
    shape = len(context.apps), len(kinds)
    least, largest = np.ones(shape, np.int64), np.ones(shape, np.int64)
    single, seconds = np.zeros(shape), np.zeros((*shape, MOST_REPLICAS + 1))
    for a, app in enumerate(context.apps):
        for k, kind in enumerate(kinds):
            if not context.measured(app, kind):
                continue
            steps = context.times.profiles.of(app.name, kind)
            least[a, k] = steps.local[steps.placed].min()
            largest[a, k] = app.largest_local.get(kind, int(steps.local[steps.placed].max()))
            single[a, k] = single_speed(context.times.profiles, app.name, kind)
            if app.stages:
                seconds[a, k] = _pipelined_s(context, app.name, kind, int(context.gpus_per_node[k]))
    limit = np.ones((len(context.jobs), len(kinds)), dtype=np.int64)
    noted = no_batches(len(context.apps) * len(kinds))
    known = np.full((len(kinds), 2, MOST_REPLICAS + 1), -1.0)
    asked = high.astype(np.int64)
    nodes = context.gpus_per_node
    return Belief(nodes, least, largest, single, pipeline, seconds, asked, limit.copy(), limit, noted, known)


def _pipelined_s(context: RunContext, name: str, kind: str, gpus_per_node: int) -> NDArray[np.float64]:
    out = np.zeros(MOST_REPLICAS + 1)
    for replicas in range(1, MOST_REPLICAS + 1):
        try:
            shape = shape_of(replicas * APPLICATIONS[name].stages[kind], gpus_per_node)
            out[replicas] = share(context.times, name, kind, shape, 0).iteration_s
        except ValueError:
            continue
    return out


def know_beforehand(w: TrainingState, context: RunContext, *, everything: bool) -> None:
    """Fit models before a job first runs: to everything measured, or to some batches on one GPU of each type."""
    w.job["seen"] = 1
    w.job["square"], w.job["variance"] = (w.gradients[context.app, q, 0, 0] for q in (1, 2))
    for a, app in enumerate(context.apps):
        for k, kind in enumerate(context.kinds):
            if context.measured(app, kind) and not app.stages:
                rows = context.times.profiles.of(app.name, kind).observations
                _seed(w, np.flatnonzero(context.app == a), k, rows if everything else _some_alone(rows))
                if everything:
                    w.model["frozen"][context.app == a, k] = 1
                    w.model["replicas"][context.app == a, k] = rows[:, REPLICAS].max()


def know_as_one(w: TrainingState, context: RunContext) -> None:
    """Fit the one model of each job to everything measured on the types of the cluster together."""
    w.job["seen"] = 1
    w.job["square"], w.job["variance"] = (w.gradients[context.app, q, 0, 0] for q in (1, 2))
    for a, app in enumerate(context.apps):
        found = [context.times.profiles.of(app.name, k).observations for k in context.kinds if context.measured(app, k)]
        if not app.stages:
            jobs, rows = np.flatnonzero(context.app == a), np.concatenate(found)
            _seed(w, jobs, 0, rows)
            w.model["frozen"][jobs, 0] = 1
            w.model["replicas"][jobs, 0] = rows[:, REPLICAS].max()


def _some_alone(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """About ten batches on one GPU, spread evenly over those measured."""
    alone = rows[rows[:, REPLICAS] == 1.0]
    _, first = np.unique(alone[:, LOCAL], return_index=True)
    return alone[first][np.unique(np.linspace(0, len(first) - 1, PROFILED).round().astype(int))]


def _seed(w: TrainingState, jobs: NDArray[np.int64], kind: int, rows: NDArray[np.float64]) -> None:
    if len(rows) <= PROFILED:
        w.observed[jobs, kind, : len(rows)] = rows
        w.model["rows"][jobs, kind] = len(rows)
        w.model["known"][jobs, kind] = -2 - kind - w.model.shape[1] * w.job["app"][jobs]
    w.params[jobs, kind] = _fitted(rows.tobytes())
    w.model["fitted"][jobs, kind] = 1


@lru_cache(maxsize=256)
def _fitted(rows: bytes) -> tuple[float, ...]:
    """Parameters for observations, shape (rows, 5): an experiment asks for the same ones in every run."""
    params = np.zeros(PARAMETERS)
    fit(np.frombuffer(rows).reshape(-1, STEP + 1).copy(), new_space(), params)
    return tuple(params.tolist())
