"""SJF-BCO's model, slot by slot, as its equations stand on paper, against what the simulator says of the same plans.

Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 4. Placements and start slots are read off the run; the
completion slots must follow from eq. 1 to 9 alone.
"""

from math import floor

import numpy as np
import pytest

from rarlib.cost.ring import SlottedRingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from rarlib.schedulers.fifo import Fifo
from rarlib.schedulers.first_fit import FirstFit
from rarlib.schedulers.list_scheduling import ListScheduling
from rarlib.schedulers.random_fit import RandomFit
from rarlib.schedulers.sjf_bco import SjfBco
from rarlib.simulator.engine import simulate

SCHEDULERS = {
    "fifo-spread": lambda: Fifo(placement="spread"),
    "first-fit": FirstFit,
    "list-scheduling": ListScheduling,
    "random": RandomFit,
    "sjf-bco-idle": SjfBco,
    "sjf-bco-queue": lambda: SjfBco(availability="queue", fa_ffp="literal", lambda_=2.0),
}
EXTRA, CAP, ALPHA, XI = 0.06, 0.05, 0.4, 0.8


def batch(number):
    """40 jobs that wait at slot 0, on servers of unlike sizes."""
    rng = stream(2, "equations", number)
    servers = rng.choice([2, 4, 8], 6).astype(int)
    gang = rng.choice([1, 2, 3, 4, 8], 40)
    jobs = Jobs.build(submit_s=np.zeros(40), gpus=gang, duration_s=rng.integers(10, 60, 40))
    return servers, jobs, np.ceil(rng.uniform(200, 2_000, 40)), rng.uniform(0.01, 0.05, 40)


def completion_slots(y, gang, first, iterations, tau0):
    """T_j of every job: y[j, s] workers of job j on server s from slot `first[j]` on (eq. 6 to 9)."""
    done, finish = np.zeros(len(gang)), np.full(len(gang), -1)
    t = 0
    while (finish < 0).any():
        active = (first <= t) & (finish < 0)
        partly = (y > 0) & (y < gang[:, None]) & active[:, None]  # indicator of eq. 6
        for j in np.flatnonzero(active):
            p = max((partly[j, s] * partly[:, s].sum() for s in range(y.shape[1])), default=0)
            tau = tau0[j]
            if p > 0:
                k = max(1.0, XI * p)
                f = k + ALPHA * (k - 1)
                tau = min(CAP, tau * (1 + EXTRA * (f + np.count_nonzero(y[j]))))
            done[j] += floor(1 / tau + 1e-9)
        t += 1
        finish[active & (done >= iterations)] = t
    return finish


@pytest.mark.parametrize("name", list(SCHEDULERS))
@pytest.mark.parametrize("number", range(4))
def test_completion_slots(name, number):
    """A difference means that contention, overhead, whole iterations or whole slots are counted against eq. 6 to 9."""
    servers, jobs, iterations, tau0 = batch(number)
    cost = SlottedRingCost(iterations, tau0, EXTRA, CAP, ALPHA, XI)
    run = simulate(jobs, Cluster.of(servers), SCHEDULERS[name](), cost, quantum=1, whole_slots=True)
    y = np.zeros((len(jobs), len(servers)), int)
    np.add.at(y, (run.alloc_job, run.alloc_node), run.alloc_gpus)
    assert (y.sum(axis=1) == jobs.gpus).all()  # eq. 1
    expected = completion_slots(y, jobs.gpus, run.start_s, iterations, tau0)
    assert run.finish_s.tolist() == expected.tolist()


def test_these_batches_contend():
    """Without a job on a shared link the comparison above would show nothing of eq. 6."""
    servers, jobs, iterations, tau0 = batch(0)
    cost = SlottedRingCost(iterations, tau0, EXTRA, CAP, ALPHA, XI)
    for name in ("fifo-spread", "first-fit", "list-scheduling", "sjf-bco-idle", "sjf-bco-queue"):
        run = simulate(jobs, Cluster.of(servers), SCHEDULERS[name](), cost, quantum=1, whole_slots=True)
        assert (run.contention_s > 0).any(), name
