"""How bounds are put together: which jobs each program gets, what counts of several values, and what the text says."""

import numpy as np
import pytest

from rarlib.bounds import completion
from rarlib.bounds.area import longest_job, released_area
from rarlib.bounds.dual_feasible import gangs_that_stay
from rarlib.bounds.job_groups import group
from rarlib.bounds.lower_bounds import MAKESPAN, MEAN_JCT, Bound, largest_bound, lower_bounds
from rarlib.bounds.one_machine import serve
from rarlib.bounds.packing import gang_packing
from rarlib.bounds.processing import demands
from rarlib.bounds.server_classes import ServerClasses
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from tests.ilp.instances import random_case

METHODS = [
    (MAKESPAN, "longest job"),
    (MAKESPAN, "area"),
    (MAKESPAN, "gang packing"),
    (MAKESPAN, "server classes"),
    (MEAN_JCT, "every job alone"),
    (MEAN_JCT, "squashed areas"),
    (MEAN_JCT, "mean busy times"),
    (MEAN_JCT, "priced GPU time"),
]


def by_release(need, value_of):
    """The largest of the releases that count, each plus the value of the jobs from then on, less their slack."""
    found = []
    for since in {need.release[0], released_area(need)[1], longest_job(need)[1]}:
        late = need.release >= since
        part = need.take(late)
        value = value_of(part, np.flatnonzero(late))
        found.append(since if value is None else since + value - part.slack.max())
    return max(found)


def expected(c, needs, slot_s):
    """Every bound from its own parts."""
    plain = needs[0]

    def packed(part, _):
        found = gang_packing(part, 200)
        return None if found is None else found.value

    def with_servers(part, rows):
        groups = group(c.jobs, c.cluster, c.prices, rows, slot_s)
        if not len(groups.gang):
            return None
        return ServerClasses(groups, c.cluster, c.prices, float(part.time.max())).solve(200).value

    served = [serve(need.release, need.area, need.capacity, False) for need in needs]
    makespans = [
        longest_job(plain)[0],
        max(released_area(need)[0] for need in needs),
        max(by_release(need, packed) for need in needs),
        by_release(plain, with_servers),
    ]
    if slot_s:
        makespans = [float(np.ceil(value / slot_s - 1e-8)) * slot_s for value in makespans]
    return [
        *makespans,
        max(completion.alone(need) for need in needs),
        max(completion.squashed_areas(need) for need in needs),
        max(completion.mean_busy_times(*each) for each in zip(needs, served, strict=True)),
        max(completion.priced_gpu_time(*each).value for each in zip(needs, served, strict=True)),
    ]


def test_each_bound_is_the_largest_of_its_values():
    """With and without quanta and whole slots; the slack of rounded needs is taken off."""
    kinds = set()
    for seed in range(60):
        c = random_case(seed, seed % 2)
        quantum, whole = c.options["quantum"], c.options["whole_slots"]
        if (quantum > 0.0, whole) in kinds and seed > 12:
            continue
        kinds.add((quantum > 0.0, whole))
        found = lower_bounds(c.jobs, c.cluster, c.prices, **c.options)
        needs = demands(c.jobs, c.cluster, c.prices, quantum, whole)
        assert [(bound.objective, bound.method) for bound in found] == METHODS
        values = [bound.value_s for bound in found]
        np.testing.assert_allclose(values, expected(c, needs, quantum if whole else 0.0), rtol=1e-9, atol=1e-9)
        assert [b[:3] for b in found if b.method not in ("gang packing", "server classes", "priced GPU time")] == [
            b[:3] for b in lower_bounds(c.jobs, c.cluster, c.prices, **c.options, effort=0)
        ]
    assert len(kinds) == 3


def instance(rows, nodes, **costs):
    submit, gpus, duration = zip(*rows, strict=True)
    jobs, cluster = Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration), Cluster.of(nodes)
    return jobs, cluster, price_table(jobs, cluster, work=jobs.duration_s.copy(), **costs)


def details(*given, **options):
    return {bound.method: bound.detail for bound in lower_bounds(*given, **options)}


def test_details_name_the_jobs_that_count():
    """The first job is over before the others are submitted, 1,000 s later: they alone give the largest values."""
    given = instance([(0, 1, 1), (1000, 2, 5), (1000, 2, 6)], [2])
    found = details(*given)
    assert found["area"] == "2 jobs released from 1,000 s on"
    for method in ("gang packing", "server classes"):
        assert found[method] == "2 jobs released from 1,000 s on; optimal after 1 rounds"
    assert {found[method] for method in ("longest job", "every job alone", "squashed areas", "mean busy times")} == {""}
    together = instance([(0, 2, 5), (0, 2, 6)], [2])
    assert details(*together)["area"] == "all jobs"
    assert details(*together)["gang packing"] == "all jobs; optimal after 1 rounds"


def test_details_of_nothing_to_do():
    given = instance([(0, 1, 0), (4, 1, 0)], [2])
    found = {bound.method: bound for bound in lower_bounds(*given)}
    for method in ("gang packing", "server classes"):
        assert found[method] == Bound(MAKESPAN, 4.0, method, "no work to do")


def test_gangs_that_stay_start_from_the_largest_bound():
    """And only where nothing is stopped; with whole slots, from the end of a slot, in steps of slots."""
    for seed in range(30):
        c = random_case(seed)
        quantum, whole = c.options["quantum"], c.options["whole_slots"]
        plain = lower_bounds(c.jobs, c.cluster, c.prices, **c.options)
        found = lower_bounds(c.jobs, c.cluster, c.prices, **c.options, never_stopped=True)
        (stays,) = set(found) - set(plain)
        need = demands(c.jobs, c.cluster, c.prices, quantum, whole)[0]
        known = largest_bound(plain, MAKESPAN).value_s
        value = gangs_that_stay(need.gpus, need.time, need.total_gpus, known, quantum if whole else 0.0)
        assert stays.value_s == pytest.approx(value, rel=1e-9)
        assert stays[::2] == (MAKESPAN, "gangs that stay")
        assert stays.detail == "no job is stopped; from the largest bound above"
        assert stays.value_s >= known * (1 - 1e-12)


def test_the_first_of_equal_bounds_is_the_largest():
    bounds = [
        Bound(MEAN_JCT, 9.0, "a"),
        Bound(MAKESPAN, 3.0, "b"),
        Bound(MAKESPAN, 4.0, "c"),
        Bound(MAKESPAN, 4.0, "d"),
    ]
    assert largest_bound(bounds, MAKESPAN).method == "c"
    assert largest_bound(bounds, MEAN_JCT).method == "a"


def test_without_options_time_is_not_divided():
    """No quantum, no whole slots, jobs may be stopped: half seconds stay what they are."""
    given = instance([(0, 1, 1.5), (0.5, 1, 2.25)], [2])
    assert lower_bounds(*given) == lower_bounds(*given, quantum=0.0, whole_slots=False, never_stopped=False)
    values = {bound.method: bound.value_s for bound in lower_bounds(*given)}
    assert values["longest job"] == 2.75
    assert values["every job alone"] == pytest.approx((1.5 + 2.25) / 2)
    assert "gangs that stay" not in values
