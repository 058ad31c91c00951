"""Applications for the jobs of a trace that names none, so that schedulers which need goodput can run it.

The rule is the arena's (`rarlib.cost.goodput.by_gpu_time`): the application follows from the recorded GPU time, as
Sia's authors assign it. A gang larger than its application can use on the cluster's first GPU type is reduced, and the
recorded duration grows in proportion, so that the job asks for as much GPU time as before. It gets the measured batch
that finishes soonest. Its data set is scaled so that it takes its recorded duration when it runs alone as requested.
"""

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rarlib.cost.goodput.by_gpu_time import Requests, by_gpu_time, types_of
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream

ASSIGNMENT = "sia"
"""The one rule there is: by class of GPU time, as Sia's authors assign applications."""

LEAST_S = 1.0
"""Recorded durations below this count as this: a data set cannot be empty."""


class Assigned(NamedTuple):
    """Jobs with applications, and the cost model under which they take their recorded durations.

    Attributes:
        jobs: adaptive jobs with applications, gangs and batches that can run on the cluster.
        cost: the cost model that was given, with recorded durations.
        facts: for the record of a run: rule, seed, jobs by application, gangs that were reduced.
    """

    jobs: Jobs
    cost: GoodputCost
    facts: dict[str, Any]


def assign_applications(jobs: Jobs, cluster: Cluster, cost: GoodputCost, seed: int = 0) -> Assigned:
    """Give every job whose trace names no measured application one by its recorded GPU time.

    A job that names an application with a profile keeps it. Durations hold on the cluster's first GPU type; the draw
    between the two applications of the second class, one per job, is by `seed`.

    Raises:
        InputError: a cost model without applications, jobs that name theirs already or ask for no GPU, a GPU type
            without profile.
    """
    if not isinstance(cost, GoodputCost):
        name = getattr(cost, "name", "of this kind")
        raise InputError(f"cost model {name} knows no applications; use goodput", field="applications")
    named = np.isin(jobs.application.astype(str), list(cost.profiles.gradients))
    if named.all():
        raise InputError("every job names a measured application already; leave the option out", field="applications")
    if (jobs.gpus < 1).any():
        job = jobs.job_id[int(np.argmax(jobs.gpus < 1))]
        raise InputError(f"job {job} asks for no GPU, but an application needs one", field="gpus")
    seconds = np.maximum(jobs.duration_s, LEAST_S)
    drawn = by_gpu_time(jobs.gpus * seconds / 3600.0, stream(seed, "applications"))
    names = np.where(named, jobs.application, drawn).astype(object)
    first = next(iter(types_of(cluster).values()))
    asked = zip(names.tolist(), jobs.gpus.tolist(), (jobs.batch_size * named).tolist(), strict=True)
    found = Requests(replace(cost, network=None, recorded=False, extended=False)).on(first, asked)
    gpus = np.array([each.gpus for each in found], dtype=np.int64)
    made = replace(
        jobs,
        application=names,
        gpus=gpus,
        min_gpus=gpus,
        max_gpus=gpus,
        batch_size=np.array([each.batch_size for each in found], dtype=np.int64),
        duration_s=seconds * (jobs.gpus / gpus),
        adaptivity=np.array(["adaptive"] * len(jobs), dtype=object),
    )
    facts = {
        "rule": ASSIGNMENT,
        "seed": seed,
        "assigned": int((~named).sum()),
        "jobs": dict(sorted(Counter(names.tolist()).items())),
        "reduced": int((gpus < jobs.gpus).sum()),
        "reference": first.gpu_type[0],
    }
    return Assigned(made, replace(cost, recorded=True), facts)
