"""The linear programs behind the bounds, against a second solver on everything written out."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog

from rarlib.bounds.job_groups import group
from rarlib.bounds.packing import GangPacking, gang_packing
from rarlib.bounds.processing import Demand, Venue, demands, processing_s, venues
from rarlib.bounds.server_classes import ServerClasses
from rarlib.cost.table import price_table
from rarlib.model.jobs import Jobs
from rarlib.model.seeds import stream
from tests.rarlib.ilp.instances import cluster_of


def needs(gang, time, gpus) -> Demand:
    """Jobs without cost, all there at 0."""
    gang, time, zero = np.asarray(gang, np.int64), np.asarray(time, float), np.zeros(len(gang))
    return Demand(gang, zero, zero, time, gang * time, gang.astype(float), zero, float(gpus), gpus)


def random_needs(seed, n=None):
    rng = stream(seed, "packing")
    n = n or int(rng.integers(1, 10))
    gpus = int(rng.integers(3, 12))
    return needs(rng.integers(1, gpus + 1, n), rng.integers(1, 30, n) * rng.choice([1.0, 0.37]), gpus)


def all_sets_of_jobs(need):
    """min sum x_c over sets of jobs that fit together, each job covered for its time: HiGHS on all of them."""
    n = len(need.time)
    sets = list(chain.from_iterable(combinations(range(n), k) for k in range(1, n + 1)))
    sets = [c for c in sets if need.gpus[list(c)].sum() <= need.total_gpus]
    covers = np.array([[j in c for c in sets] for j in range(n)], float)
    return linprog(np.ones(len(sets)), A_ub=-covers, b_ub=-need.time, method="highs-ds").fun


def test_gang_packing_is_the_configuration_program():
    """Column generation over counts equals the program over sets of jobs, enumerated, solved by another solver."""
    above_both = 0
    for seed in range(150):
        need = random_needs(seed)
        found = gang_packing(need, 200)
        assert found.detail.startswith("optimal")
        assert found.value == pytest.approx(all_sets_of_jobs(need), rel=1e-9)
        implied = max(need.area.sum() / need.total_gpus, need.time.max())
        assert found.value >= implied * (1 - 1e-9)
        above_both += found.value > implied * 1.001
    assert above_both > 30  # or the program adds nothing


def test_any_prices_prove_a_bound():
    """What a stopped program or a sloppy solver hands over is as sound as the optimum."""
    for seed in range(60):
        need = random_needs(seed)
        program, optimum = GangPacking(need), all_sets_of_jobs(need)
        limits = np.concatenate([size.longest for size in program.sizes])
        rng = stream(seed, "prices")
        for _ in range(10):
            prices = rng.random(len(limits)) * (rng.random(len(limits)) < 0.5)
            worth, counts = program.price(prices)
            assert (counts * [size.gang for size in program.sizes]).sum() <= need.total_gpus
            if worth > 0:
                assert limits @ prices / worth <= optimum * (1 + 1e-9)


def test_a_stopped_program_says_so():
    """One round leaves a valid bound, and an honest statement of what may be missing."""
    stopped = 0
    for seed in range(40):
        need = random_needs(seed, 9)
        once, full = gang_packing(need, 1), gang_packing(need, 200)
        assert once.value <= full.value * (1 + 1e-9)
        if "stopped after 1 rounds, at most" in once.detail:
            share = float(once.detail.partition("at most ")[2].partition("%")[0]) / 100
            assert full.value <= once.value * (1 + share + 1e-4)
            stopped += 1
    assert stopped > 5


def class_case(seed):
    """Few rigid gangs that pay for spanning, on servers of some sizes and speeds."""
    rng = stream(seed, "classes")
    nodes = int(rng.integers(1, 5))
    gpus = rng.choice([1, 2, 3, 4], nodes)
    cluster = cluster_of(gpus, rng.choice([1.0, 2.0], nodes) if seed % 2 else np.ones(nodes), np.zeros(nodes))
    n = int(rng.integers(1, 7))
    gang = np.minimum(rng.integers(1, 5, n), gpus.sum())
    jobs = Jobs.build(submit_s=np.zeros(n), gpus=gang, duration_s=rng.integers(1, 20, n))
    link, server = rng.choice([0.0, 0.3, 2.0]), rng.choice([0.0, 0.2])
    prices = price_table(
        jobs, cluster, work=jobs.duration_s.copy(), link_s=link, server_s=server, node_speed=cluster.speed
    )
    return jobs, cluster, prices, float(seed % 3 == 0)


def written_out(jobs, cluster, prices, slot):
    """The server-class program with a variable per job, mode and server configuration, none left out: HiGHS."""
    speeds = sorted(set(cluster.speed.tolist()), reverse=True)
    classes = sorted({(int(g), s) for g, s in zip(cluster.gpus, cluster.speed, strict=True)})
    names: list[tuple] = [("T",)]
    modes = []
    for job in jobs:
        row = np.array([job.row])
        of_job = {("local", c): processing_s(prices, row, job.gpus, Venue(1, 1.0, c[1]))[0]
                  for c in classes if c[0] >= job.gpus}  # fmt: skip
        for venue in venues(job.gpus, cluster, prices):
            if venue.servers > 1:
                key = ("spread", venue.speed)
                of_job[key] = min(of_job.get(key, np.inf), processing_s(prices, row, job.gpus, venue)[0])
        modes.append(of_job)
        names += [("f", job.row, key) for key in of_job] + [("e", job.row)]
    sizes = sorted(set(jobs.gpus.tolist()))
    number = [sum(jobs.gpus == g) for g in sizes]
    configurations = {c: [k for k in product(*(range(n + 1) for n in number))
                          if np.dot(k, sizes) <= c[0]] for c in classes}  # fmt: skip
    names += [("x", c, k) for c in classes for k in configurations[c]]
    names += [("y", v, c) for v in speeds for c in classes if c[1] >= v]
    at = {name: i for i, name in enumerate(names)}
    rows, limits = [], []

    def at_least(limit, entries):
        row = np.zeros(len(names))
        for name, value in entries:
            row[at[name]] += value
        rows.append(-row)
        limits.append(-limit)

    for job, of_job in zip(jobs, modes, strict=True):
        j = job.row
        least = min(of_job.values())
        held = [(("f", j, key), time) for key, time in of_job.items()] + [(("e", j), 1.0)]
        at_least(1.0, [(("f", j, key), 1.0) for key in of_job])
        at_least(np.ceil(least / slot - 1e-8) * slot if slot else least, held)
        at_least(0.0, [(("T",), 1.0), *((name, -value) for name, value in held)])
    for c in classes:
        nodes = sum((cluster.gpus == c[0]) & (cluster.speed == c[1]))
        at_least(0.0, [(("T",), float(nodes)), *((("x", c, k), -1.0) for k in configurations[c])])
        free = [(("x", c, k), float(c[0] - np.dot(k, sizes))) for k in configurations[c]]
        at_least(0.0, free + [(("y", v, c), -1.0) for v in speeds if c[1] >= v])
        for i, g in enumerate(sizes):
            work = [(("f", job.row, ("local", c)), -modes[job.row][("local", c)])
                    for job in jobs if job.gpus == g and ("local", c) in modes[job.row]]  # fmt: skip
            at_least(0.0, [(("x", c, k), float(k[i])) for k in configurations[c]] + work)
    for v in speeds:
        given = [(("y", v, c), 1.0) for c in classes if c[1] >= v]
        asked = [(("f", job.row, ("spread", v)), -job.gpus * modes[job.row][("spread", v)])
                 for job in jobs if ("spread", v) in modes[job.row]]  # fmt: skip
        extra = [(("e", job.row), -float(job.gpus)) for job in jobs] if v == speeds[-1] else []
        at_least(0.0, given + asked + extra)
    cost = np.zeros(len(names))
    cost[0] = 1.0
    return linprog(cost, A_ub=np.array(rows), b_ub=np.array(limits), method="highs-ds").fun


def test_server_classes_against_everything_written_out():
    """Grouping, pruned modes, needless rows, generated columns: none may change the value beyond known bounds."""
    above = 0
    for seed in range(150):
        jobs, cluster, prices, slot = class_case(seed)
        (need,) = demands(jobs, cluster, prices, slot, bool(slot))
        groups = group(jobs, cluster, prices, np.arange(len(jobs)), slot)
        longest, area = float(need.time.max()), float(need.area.sum()) / need.capacity
        found = ServerClasses(groups, cluster, prices, longest).solve(200)
        assert found.detail.startswith("optimal")
        wanted = written_out(jobs, cluster, prices, slot)
        assert found.value == pytest.approx(wanted, rel=1e-9)
        if not slot or len(set(cluster.speed)) == 1:
            assert wanted >= area * (1 - 1e-9)
        above += wanted > max(longest, area) * 1.001
    assert above > 20  # or the program adds nothing


def test_any_prices_prove_a_bound_on_server_classes():
    """Also those that no solver would hand over."""
    for seed in range(90):
        jobs, cluster, prices, slot = class_case(seed)
        program = ServerClasses(group(jobs, cluster, prices, np.arange(len(jobs)), slot), cluster, prices, 1.0)
        optimum, rng = written_out(jobs, cluster, prices, slot), stream(seed, "prices")
        rows = program.program.solve().prices
        for _ in range(10):
            wild = rng.random(len(rows)) * (rng.random(len(rows)) < 0.6)
            near = rows * rng.uniform(0.5, 2.0, len(rows))
            for taken in (wild, near):
                worth = np.array([program._best(c, taken)[0] for c in range(len(program.classes))])
                assert program._value(taken, worth) <= optimum * (1 + 1e-9)
