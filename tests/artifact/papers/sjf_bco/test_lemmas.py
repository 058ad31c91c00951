"""Lemmas 2 to 4 and Theorem 5 of SJF-BCO: where they hold, and the smallest instances found where they do not.

In the instances solved by hand estimates are exact and nothing contends, so phi = u = l = 1: Lemma 4 promises
theta~ <= theta*, and Theorem 5 a makespan of at most n_g times the optimum. Drawings: one row per GPU, one column per
slot, letters are jobs in planning order.
"""

import numpy as np
import pytest

from artifact.papers.sjf_bco.instance import Instance, instance, part
from artifact.papers.sjf_bco.lemmas import check_lemmas
from rarlib.cost.ring import SlottedRingCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from tests.artifact.papers.sjf_bco.setups import SETUPS

READINGS = {
    "pack": {},
    "literal": {"fa_ffp": "literal"},
    "first": {"fa_ffp": "first"},
    "limit on finish": {"limit": "finish"},
    "per kappa": {"bisection": "per-kappa", "lambda": 8},
    "queue": {"availability": "queue"},
    "queue, literal": {"availability": "queue", "fa_ffp": "literal"},
    "queue, first": {"availability": "queue", "fa_ffp": "first"},
}
IDLE = ["pack", "literal", "first", "limit on finish", "per kappa"]
"""Readings in which gangs take idle GPUs only; the headline is one of them."""


def by_hand(gangs, durations, servers, tau0=0.05):
    """Jobs of so many slots each; estimates (tau_hat 0.05) are exact unless iterations are faster."""
    n, slots = len(gangs), np.array(durations, float)
    jobs = Jobs.build(submit_s=np.zeros(n), gpus=gangs, duration_s=slots)
    tau = np.broadcast_to(np.array(tau0, float), (n,)).copy()
    return Instance(jobs, Cluster.of(servers), SlottedRingCost(np.round(slots / tau), tau, 0.0, 0.05))


def check(case, reading, **more):
    return check_lemmas(case, {"tau_hat": 0.05, **READINGS[reading], **more})


@pytest.mark.parametrize("reading", list(READINGS))
def test_lemma_2_fails_because_the_search_asks_for_improvement(reading):
    """One job of 1 slot, one GPU, T = 3: theta = 2 is tried first and serves; theta = 1 serves, too, but the makespan,
    1 slot, is no better (Alg. 1, l. 19), so theta~ = 2 while What_max = theta* = 1. Lemma 4 fails with it.
    """
    found = check(by_hand([1], [1], [1]), reading, horizon=3)
    assert (found["theta"], found["busiest"], found["least_theta"]) == (2.0, 1.0, 1.0)
    assert (found["lemma2"], found["lemma4"], found["lemma4_tight"]) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize("reading", [r for r in READINGS if r != "queue, first"])
def test_theorem_5_fails_for_single_gpus(reading):
    """n_g = 1 promises the optimum, yet jobs of 1, 1 and 2 slots are served in this order:

    slot   0 1 2        optimum   0 1
    GPU 0  a c c        GPU 0     a b
    GPU 1  b            GPU 1     c c

    Makespan 3 against 2, and What_max = 3 against theta* = 2: theta = 2 admits no schedule in this order, since both
    GPUs have served 1 slot when c comes. No reading can be right unless P = NP: the least makespan of single-GPU jobs
    is NP-hard (Garey, Johnson 1979, multiprocessor scheduling), and Alg. 1 is polynomial. (First fit puts a and b onto
    one GPU under theta = 2; it takes 4 jobs to fool it.)
    """
    found = check(by_hand([1, 1, 1], [1, 1, 2], [2]), reading)
    assert found["guarantee"] == 1.0
    assert (found["makespan"], found["optimum"], found["theorem5"]) == (3.0, 2.0, 0.0)
    assert (found["busiest"], found["least_theta"], found["lemma4_tight"]) == (3.0, 2.0, 0.0)


def test_theorem_5_fails_for_pairs_when_gangs_queue():
    """n_g = 2, GPUs 0 and 1 on one server; jobs of 1, 1 GPUs and 2, 2, of 1, 1, 1, 2 slots, first fit:

    slot   0 1 2 3 4     optimum   0 1
    GPU 0  a b c         GPU 0     a c
    GPU 1      c d d     GPU 1     b c
    GPU 2        d d     GPU 2     d d
    GPU 3                GPU 3     d d

    theta = 3 is tried first (T = 5) and gives 5 slots; theta = 1 is too small, theta = 2 gives no fewer, so the search
    stays with 5, more than twice the optimum.
    """
    found = check(by_hand([1, 1, 2, 2], [1, 1, 1, 2], [2, 1, 1]), "queue, first")
    assert (found["makespan"], found["optimum"], found["guarantee"]) == (5.0, 2.0, 2.0)
    assert found["theorem5"] == 0.0


def test_lemma_3_fails_when_gangs_queue():
    """n_g = 2 on two servers of 2 GPUs; a chain of pairs in which each waits for the one before it:

    slot   0 1 2 3 4 5 6 7 8 9 . . .
    GPU 0  a a a a b b
    GPU 1          b b c c d d
    GPU 2              c c     e e e
    GPU 3                  d d e e e

    What_max = 6 (GPUs 0 and 1), so Lemma 3 promises 12, but nothing overlaps: 4 + 2 + 2 + 2 + 3 = 13. Its proof bounds
    what a worker waits by the loads of its own gang's GPUs; here gangs wait for gangs that wait for others.
    """
    found = check(by_hand([1, 2, 2, 2, 2], [4, 2, 2, 2, 3], [2, 2]), "queue")
    assert (found["makespan"], found["busiest"], found["lemma3"]) == (13.0, 6.0, 0.0)


def test_lemma_3_fails_in_the_units_of_equation_15():
    """One GPU, jobs of 1 slot each, estimated as 1 and 4 slots, so u = 4: What_max = (1 + 4) / 4, makespan 2 slots.

    In units of rho-hat it holds: 2 <= 5.
    """
    found = check(by_hand([1, 1], [1, 1], [1], tau0=[0.05, 0.0125]), "pack")
    assert (found["busiest"], found["u_over_l"], found["makespan"]) == (5.0, 4.0, 2.0)
    assert (found["lemma3"], found["lemma3_printed"]) == (1.0, 0.0)


@pytest.mark.parametrize("reading", IDLE)
def test_what_holds_when_gangs_wait_for_idle_gpus(reading):
    """Lemma 3, and Theorem 5 for gangs of several GPUs, on random instances without slack (phi = u = l = 1)."""
    for seed in range(25):
        rng = stream(seed, "test-lemmas", reading)
        largest = int(rng.integers(2, 4))
        gangs = np.append(np.sort(rng.integers(1, largest + 1, 5)), largest)
        case = by_hand(gangs, rng.integers(1, 8, 6), rng.integers(1, 4, 3) + 1)
        found = check(case, reading)
        assert found["guarantee"] == largest
        assert found["lemma3"] == found["theorem5"] == 1.0
        assert found["makespan"] >= found["optimum"]
        assert found["busiest"] >= found["least_theta"] - 1.0


def test_on_parts_of_the_evaluation():
    """With contention and the paper's estimates the guarantee is loose, and Lemma 4 and Theorem 5 hold."""
    for seed in range(6):
        rng = stream(seed, "test-lemmas", "part")
        whole = instance(seed, 20, SETUPS["P200"])
        rows = rng.choice(np.flatnonzero(whole.jobs.gpus <= 8), 6, replace=False)
        found = check(part(whole, np.sort(rows), Cluster.of([4, 2, 2])), "per kappa")
        assert found["lemma3"] == found["lemma4"] == found["lemma4_tight"] == found["theorem5"] == 1.0
        assert found["guarantee"] > 4.0 * found["theorem5_ratio"] >= 4.0
