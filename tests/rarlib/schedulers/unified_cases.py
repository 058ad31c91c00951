"""Jobs with parameter servers and rigid jobs, and what became of them."""

import numpy as np

from rarlib.cost.parameter_server.cost import ParameterServerCost
from rarlib.cost.parameter_server.workload import NO_SWITCH, PsJobs
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate

CLUSTER = Cluster.parse("gpu:2x2,cpu:2x4")
NAMES = ("vgg11", "resnet50", "resnet152", "googlenet", "alexnet", "inception4")


def random_jobs(seed, n, *, unpredictable=0.5, on_cpu=0.2):
    rng = stream(seed, "test-unified")
    own = PsJobs.build(
        rng.choice(NAMES, n).tolist(),
        1.0,
        rng.integers(1, 4, n),
        rng.integers(1, 4, n),
        on_cpu=rng.random(n) < on_cpu,
        switch=np.where(rng.random(n) < unpredictable, rng.choice([0.4, NO_SWITCH], n), 0.0),
    )
    own = own.lasting(rng.exponential(2000.0, n) + 60.0).mispredicted(rng, 0.1)
    return own, np.sort(rng.uniform(0, 4000.0, n))


def run(scheduler, own, submit_s, *, cluster=CLUSTER, **options):
    return simulate(own.table(submit_s), cluster, scheduler, ParameterServerCost(own), **options)


def allocations(found, job):
    """(GPUs, CPU task slots) over time."""
    is_gpu = found.cluster.is_gpu[found.alloc_node]
    times = sorted(set(found.alloc_start[found.alloc_job == job].tolist()))
    mine = [(found.alloc_job == job) & (found.alloc_start == t) for t in times]
    return [(int(found.alloc_gpus[m & is_gpu].sum()), int(found.alloc_gpus[m & ~is_gpu].sum())) for m in mine]


def rigid(gpus, durations, submit_s=None):
    submit = np.zeros(len(gpus)) if submit_s is None else submit_s
    return Jobs.build(submit_s=submit, gpus=gpus, duration_s=durations)


def intervals(found, job):
    mine = found.alloc_job == job
    return sorted(zip(found.alloc_start[mine].tolist(), found.alloc_end[mine].tolist(), strict=True))
