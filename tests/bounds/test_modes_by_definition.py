"""In which modes jobs hold GPUs, for how long, and which of many jobs are counted together."""

import numpy as np
import pytest

from rarlib.bounds import job_groups
from rarlib.bounds.job_groups import group
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from tests.bounds.test_needs_by_definition import crowded, time_in, venues_by_definition


def modes_by_definition(jobs, cluster, prices, job):
    """Local time, spread time and spread GPU-seconds by speed, the fastest first; inf where there is none."""
    speeds = sorted(set(prices.node_speed.tolist()), reverse=True)
    local, spread, area = (np.full(len(speeds), np.inf) for _ in range(3))
    rigid = jobs.min_gpus[job] == jobs.max_gpus[job]
    for gang in range(jobs.min_gpus[job], min(jobs.max_gpus[job], cluster.total_gpus) + 1):
        for v, speed in enumerate(speeds):
            if rigid and any(cluster.gpus[prices.node_speed == speed] >= gang):
                local[v] = time_in(prices, job, gang, (1, 1.0, speed))
            for venue in venues_by_definition(gang, cluster, prices):
                if venue[2] == speed and (venue[0] > 1 or not rigid):
                    held = time_in(prices, job, gang, venue)
                    spread[v], area[v] = min(spread[v], held), min(area[v], held * gang)
    return np.where(local < spread, local, np.inf), spread, area


@pytest.mark.parametrize("slot_s", [0.0, 2.0])
def test_modes_of_single_jobs(slot_s):
    """Few jobs form groups of one; local work counts only where it is faster than spread work of its speed."""
    kinds = set()
    for seed in range(40):
        jobs, cluster, prices = crowded(seed)
        rows = np.flatnonzero(np.random.default_rng(seed).random(4) < 0.8)
        found = group(jobs, cluster, prices, rows, slot_s)
        rows = rows[prices.work[rows] > 0]
        assert len(found.gang) == len(rows)
        assert found.jobs.tolist() == [1] * len(rows)
        assert found.digits == 12
        for at, job in enumerate(rows):
            local, spread, area = modes_by_definition(jobs, cluster, prices, job)
            rigid = jobs.min_gpus[job] == jobs.max_gpus[job]
            assert found.gang[at] == (jobs.gpus[job] if rigid else 0)
            np.testing.assert_allclose(found.local_s[at], local, rtol=1e-12)
            np.testing.assert_allclose(found.spread_s[at], spread, rtol=1e-12)
            np.testing.assert_allclose(found.spread_area[at], area, rtol=1e-12)
            least = min(local.min(), spread.min())
            if rigid and slot_s:
                least = next(2.0 * k for k in range(200) if 2.0 * k >= least - 1e-9)
            assert found.least_s[at] == pytest.approx(least)
            kinds.add((bool(rigid), bool(np.isfinite(local).any()), bool(np.isfinite(spread).any())))
    assert len(kinds) == 4


def twins(n):
    """Gangs of 2 and 3 on servers of 2; those of one size are slowed down by links alike, half of each 2 and 4 s."""
    gang = np.tile([2, 3], n // 2)
    duration = 2.0 * (1 + (np.arange(n) // 2) % 2)
    jobs = Jobs.build(submit_s=np.zeros(n), gpus=gang, duration_s=duration)
    cluster = Cluster.of([2, 2])
    return jobs, cluster, price_table(jobs, cluster, work=duration, link_s=0.5)


def test_jobs_in_proportion_form_one_group(monkeypatch):
    """Eight jobs of two kinds: a gang of 2 takes 2 or 4 s, spread half as much again, a gang of 3 is spread always."""
    jobs, cluster, prices = twins(8)
    monkeypatch.setattr(job_groups, "_MOST_GROUPS", 7)
    found = group(jobs, cluster, prices, np.arange(8), 4.0)
    assert found.digits == 12
    assert found.gang.tolist() == [2, 3]
    assert found.jobs.tolist() == [4, 4]
    assert found.local_s.ravel().tolist() == [12.0, np.inf]
    assert found.spread_s.ravel().tolist() == [18.0, 18.0]
    assert found.spread_area.ravel().tolist() == [36.0, 54.0]
    # Slots of 4 s: 2 s become 4, 3 s become 4, and 6 s become 8.
    assert found.least_s.tolist() == [4 * 4.0, 2 * 4.0 + 2 * 8.0]
    assert group(jobs, cluster, prices, np.arange(8), 0.0).least_s.tolist() == [12.0, 18.0]


def test_groups_are_formed_beyond_the_limit_only(monkeypatch):
    jobs, cluster, prices = twins(8)
    monkeypatch.setattr(job_groups, "_MOST_GROUPS", 8)
    assert group(jobs, cluster, prices, np.arange(8), 0.0).jobs.tolist() == [1] * 8
    monkeypatch.setattr(job_groups, "_MOST_GROUPS", 2)
    # As many as allowed are not too many: no decimal is given up.
    assert group(jobs, cluster, prices, np.arange(8), 0.0).digits == 12


def test_decimals_are_given_up_one_after_the_other(monkeypatch):
    """Gangs of 2 whose spread time is 1.x times their local one: so many are different in so many decimals."""
    more = np.array([1.2311, 1.2312, 1.234, 1.24, 1.4])
    jobs, cluster = Jobs.build(submit_s=np.zeros(5), gpus=[2] * 5, duration_s=np.ones(5)), Cluster.of([2, 2])
    prices = price_table(jobs, cluster, work=np.ones(5), link_s=more - 1.0)
    # All in 12 decimals; the first two are the same in 3, three in 2, four in 1; without decimals, all.
    for most, digits, groups in ((4, 3, 4), (3, 2, 3), (2, 1, 2), (1, 0, 1)):
        monkeypatch.setattr(job_groups, "_MOST_GROUPS", most)
        found = group(jobs, cluster, prices, np.arange(5), 0.0)
        assert (found.digits, len(found.jobs)) == (digits, groups)
        cut = sorted((np.floor(more * 10**digits) / 10**digits).tolist())
        assert found.spread_s.sum() == pytest.approx(sum(each if each > 1.0 else 1.0 for each in cut))
