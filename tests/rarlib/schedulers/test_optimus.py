"""Optimus: marginal gain by hand."""

from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.schedulers.optimus import Optimus
from rarlib.simulator.engine import simulate


def test_optimus_on_elastic_jobs():
    """Linear speed-up: one more GPU saves W / (g (g + 1)). Works of 100 and 400 s on 4 GPUs: 1 and 3."""
    jobs = Jobs.build(submit_s=[0, 0], gpus=[1, 1], duration_s=[100, 400], max_gpus=[4, 4])
    found = simulate(jobs, Cluster.of([4]), Optimus(), TraceCost())
    assert [int(found.alloc_gpus[(found.alloc_job == j) & (found.alloc_start == 0)].sum()) for j in (0, 1)] == [1, 3]
