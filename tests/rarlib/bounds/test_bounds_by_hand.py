"""Instances solved on paper whose optimum a bound meets, and how bounds must move with their instance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.bounds import completion
from rarlib.bounds.lower_bounds import MAKESPAN, MEAN_JCT, lower_bounds
from rarlib.bounds.one_machine import serve
from rarlib.bounds.processing import demands
from rarlib.cost.table import price_table
from rarlib.cost.trace import TraceCost
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from tests.rarlib.ilp.instances import cluster_of, random_case


def bounds_of(rows, nodes, speed=None, **options):
    """Values by objective and method; `rows` are (submit, gpus, duration), further columns are prices."""
    submit, gpus, duration = zip(*rows, strict=True)
    jobs = Jobs.build(submit_s=submit, gpus=gpus, duration_s=duration)
    cluster = cluster_of(nodes, speed or [1.0] * len(nodes), [0] * len(nodes))
    costs = {name: options.pop(name) for name in ("local_s", "link_s", "server_s", "slot_s") if name in options}
    prices = price_table(jobs, cluster, work=jobs.duration_s.copy(), node_speed=cluster.speed, **costs)
    return {(bound.objective, bound.method): bound.value_s for bound in lower_bounds(jobs, cluster, prices, **options)}


@pytest.mark.parametrize(
    ("rows", "nodes", "options", "method", "optimum"),
    [
        # b cannot end before 7 + 5.
        ([(0, 1, 3), (7, 1, 5)], [2], {}, "longest job", 12),
        # 2 x 3 + 4 + 2 = 12 GPU-seconds on 2 GPUs: a 222, then b 1111 beside c 11.. and d ..11.
        ([(0, 2, 3), (0, 1, 4), (0, 1, 2), (0, 1, 2)], [2], {}, "area", 7),
        # From 10 on, 8 GPU-seconds on 2 GPUs; what came before does not matter.
        ([(0, 1, 1), (10, 1, 4), (10, 1, 2), (10, 1, 2)], [2], {}, "area", 14),
        # Two gangs of 2 never fit on 3 GPUs together: one after the other, 4 + 5 + 6. (Area says 10.)
        ([(0, 2, 4), (0, 2, 5), (0, 2, 6)], [3], {}, "gang packing", 15),
        # Beside each of the gangs of 3 there is 1 GPU for the gangs of 1, which take 9 seconds; a gang of 4 takes 2.
        ([(0, 3, 4), (0, 3, 3), (0, 4, 2), (0, 1, 9)], [4], {}, "gang packing", 11),
        # The gang of 4 must span: 5 x (1 + 1/2 + 2/4) = 10.
        ([(0, 4, 5)], [2, 2], {"link_s": 0.5, "server_s": 0.25}, "longest job", 10),
        # Four gangs of 3 on three servers of 4; spanning does not pay: 24 server-seconds on 3 servers (interrupting).
        # Without servers all four run at once.
        ([(0, 3, 6)] * 4, [4, 4, 4], {"link_s": 1e9}, "server classes", 8),
        # The same, never stopped: some server takes two of them.
        ([(0, 4, 6)] * 4, [4, 4, 4], {"never_stopped": True}, "gangs that stay", 12),
        # A fast and a slow GPU: each job half the time on each, 6 = 2 x 2 + 2 x 1.
        ([(0, 1, 6), (0, 1, 6)], [1, 1], {"speed": [2.0, 1.0]}, "area", 4),
        # Two gangs of 2, fast GPUs for one: each takes 2 s there, and 3 GPUs hold one gang.
        ([(0, 2, 4), (0, 2, 4)], [2, 1], {"speed": [2.0, 1.0]}, "gang packing", 4),
        # The same with ten slow GPUs, of which the two jobs use one at a time: 12 = 2 T + T. (Area says 1.)
        ([(0, 1, 6), (0, 1, 6)], [1, 10], {"speed": [2.0, 1.0]}, "server classes", 4),
        # 2.5 slots are 3; three jobs of 3 slots on 2 GPUs: 4.5 slots, ended by a whole one.
        ([(0, 1, 2.5)] * 3, [2], {"quantum": 1.0, "whole_slots": True}, "area", 5),
        # Arrival at 1 waits for the pass at 4.
        ([(0, 1, 1), (1, 1, 2)], [2], {"quantum": 4.0}, "longest job", 6),
        # Finishes inside a quantum free GPUs at its end only: starts at 0, 4 and 8, the last one ends at 10.
        ([(0, 1, 2)] * 3, [1], {"quantum": 4.0}, "area", 10),
        # 2 iterations of 0.4 fit into a slot, so 6 of them take 3 slots.
        ([(0, 1, 6)], [1], {"base": 0.4}, "longest job", 3),
    ],
)
def test_makespan_met(rows, nodes, options, method, optimum):
    """The optimum is derived in the comment above each case."""
    if "base" in options:
        jobs = Jobs.build(submit_s=[0], gpus=[1], duration_s=[6])
        prices = price_table(jobs, Cluster.of(nodes), work=np.array([6.0]), base_s=options["base"], slot_s=1.0)
        found = {(b.objective, b.method): b.value_s for b in lower_bounds(jobs, Cluster.of(nodes), prices)}
    else:
        found = bounds_of(rows, nodes, **options)
    assert found[MAKESPAN, method] == pytest.approx(optimum, rel=1e-6)
    assert max(value for (objective, _), value in found.items() if objective == MAKESPAN) <= optimum * (1 + 1e-9)


@pytest.mark.parametrize(
    ("rows", "nodes", "options", "method", "optimum"),
    [
        # Nobody waits: 3, 5 and 4.
        ([(0, 1, 3), (0, 2, 5), (2, 1, 4)], [4], {}, "every job alone", 4),
        # One GPU, shortest remaining first: b 2..3, c 4..5, a 0..2, 3..4, 5..8; JCT 8, 1, 1.
        ([(0, 1, 6), (2, 1, 1), (4, 1, 1)], [1], {}, "squashed areas", 10 / 3),
        # Both GPUs for each in turn: 2, 5, 9. Sum of mean busy times 1 + 3.5 + 7, half the times 1 + 1.5 + 2.
        ([(0, 2, 2), (0, 2, 3), (0, 2, 4)], [2], {}, "mean busy times", 16 / 3),
        # Two short jobs side by side, then the wide one: 1, 1, 3. One fast machine would end the first at 1/2.
        ([(0, 1, 1), (0, 1, 1), (0, 2, 2)], [2], {}, "priced GPU time", 5 / 3),
    ],
)
def test_mean_jct_met(rows, nodes, options, method, optimum):
    found = bounds_of(rows, nodes, **options)
    assert found[MEAN_JCT, method] == pytest.approx(optimum, rel=2e-3 if method == "priced GPU time" else 1e-9)
    assert max(value for (objective, _), value in found.items() if objective == MEAN_JCT) <= optimum * (1 + 1e-9)


def test_prices_of_the_fast_machine_prove_at_least_its_own_bound():
    """Its schedule is optimal under them, and limits on how wide a job can be only help."""
    for seed in range(150):
        c = random_case(seed)
        for need in demands(c.jobs, c.cluster, c.prices, **c.options):
            served = serve(need.release, need.area, need.capacity, False)
            busy = completion.mean_busy_times(need, served)
            assert completion.priced_gpu_time(need, served).value >= busy - 1e-5 * abs(busy), seed


def test_any_price_of_gpu_time_proves_a_bound():
    """On one GPU the optimum is known; no polyline may exceed it."""
    for seed in range(50):
        rng = stream(seed, "any price")
        submit, duration = np.sort(rng.integers(0, 20, 6)), rng.integers(1, 9, 6)
        jobs, cluster = Jobs.build(submit_s=submit, gpus=np.ones(6), duration_s=duration), Cluster.of([1])
        (need,) = demands(jobs, cluster, TraceCost().price(jobs, cluster), 0.0, False)
        optimum = completion.squashed_areas(need)
        for _ in range(10):
            at, price = np.sort(rng.uniform(0, 60, 8)), rng.exponential(0.3, 8)
            assert completion._value(need, np.append(0.0, at), np.append(price, 0.0)) <= optimum * (1 + 1e-9)


rows = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5), st.integers(1, 9)), min_size=1, max_size=8)


@given(rows, st.tuples(st.integers(0, 9), st.integers(1, 5), st.integers(1, 9)), st.integers(1, 4))
def test_more_jobs_raise_and_more_gpus_lower(table, one_more, gpus):
    """A job more can only delay the others, a server more only help."""
    table = [(0, 1, 1), *table]
    base = bounds_of(table, [3, 2])
    more = bounds_of([*table, one_more], [3, 2])
    larger = bounds_of(table, [3, 2, gpus])
    for (objective, method), value in base.items():
        if method in ("gang packing", "server classes", "priced GPU time"):
            continue  # found for some releases, or some prices, only, which may become others
        assert larger[objective, method] <= value * (1 + 1e-9)
        before, after = (len(table), len(table) + 1) if objective == MEAN_JCT else (1, 1)
        assert more[objective, method] * after >= value * before * (1 - 1e-9)


@settings(max_examples=100)
@given(rows)
def test_the_programs_imply_the_closed_forms(table):
    found = bounds_of(table, [3, 2])
    implied = max(found[MAKESPAN, "longest job"], found[MAKESPAN, "area"])
    assert found[MAKESPAN, "gang packing"] >= implied * (1 - 1e-9)
    assert found[MAKESPAN, "server classes"] >= implied * (1 - 1e-9)
