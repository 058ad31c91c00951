"""The program over server classes at any prices: its bound as the docstring has it, and its best configurations."""

from itertools import product

import numpy as np
import pytest

from rarlib.bounds.job_groups import group
from rarlib.bounds.server_classes import ServerClasses
from rarlib.cost.table import price_table
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from tests.bounds.test_needs_by_definition import crowded


def program_of(seed):
    jobs, cluster, prices = crowded(seed)
    groups = group(jobs, cluster, prices, np.arange(4), float(seed % 3 == 0))
    longest = float(np.minimum(groups.local_s, groups.spread_s).min(axis=1).max())
    return cluster, prices, groups, ServerClasses(groups, cluster, prices, longest)


def larger(seed):
    """Fourteen gangs that pay much for spanning, on servers that several of them share."""
    rng = np.random.default_rng(seed)
    duration = rng.integers(1, 20, 14).astype(float)
    jobs = Jobs.build(submit_s=np.zeros(14), gpus=rng.integers(1, 8, 14), duration_s=duration)
    cluster = Cluster.of([9, 7, 11, 9])
    prices = price_table(jobs, cluster, work=duration, link_s=0.5)
    groups = group(jobs, cluster, prices, np.arange(14), 0.0)
    return ServerClasses(groups, cluster, prices, float(duration.max()))


def test_classes_and_rows():
    """Servers of one size and speed; rows of times only where a group could be over or hold GPUs for longer."""
    some = np.zeros(2)
    for seed in range(60):
        cluster, prices, groups, program = program_of(seed)
        speeds = sorted(set(prices.node_speed.tolist()), reverse=True)
        kinds = [(int(g), speeds.index(v)) for g, v in zip(cluster.gpus, prices.node_speed, strict=True)]
        assert sorted(program.classes) == sorted((*kind, kinds.count(kind)) for kind in set(kinds))
        local = [i for i in range(len(groups.gang)) if np.isfinite(groups.local_s[i]).any()]
        assert program.sizes.tolist() == sorted({int(groups.gang[i]) for i in local})
        for size, most in zip(program.sizes, program.most, strict=True):
            assert most == sum(groups.jobs[i] for i in local if groups.gang[i] == size)
        for i in range(len(groups.gang)):
            times = [t for t in (*groups.local_s[i], *groups.spread_s[i]) if np.isfinite(t)]
            assert (program.rows.least[i] >= 0) == (groups.least_s[i] > min(times))
            longer = max(*times, groups.least_s[i]) > groups.jobs[i] * program.scale
            assert (program.rows.jobs[i] >= 0) == longer
            some += program.rows.least[i] >= 0, longer
    assert (some > 10).all()


def random_prices(program, rng):
    rows = sum(int((np.asarray(each) >= 0).sum()) for each in program.rows)
    return rng.random(rows) * (rng.random(rows) < 0.7)


def best_configuration(program, c, prices):
    """Every number of local gangs of each size that fit; GPUs left are worth their price."""
    gpus, rows = program.classes[c].gpus, program.rows
    best = 0.0
    for counts in product(
        *(range(min(gpus // size, most) + 1) for size, most in zip(program.sizes, program.most, strict=True))
    ):
        held = int(np.dot(counts, program.sizes)) if len(program.sizes) else 0
        if held <= gpus:
            worth = sum(k * prices[rows.local[position, c]] for position, k in enumerate(counts))
            best = max(best, worth + (gpus - held) * prices[rows.free[c]])
    return best


def test_the_bound_at_any_prices_is_that_of_the_docstring():
    for seed in range(60):
        _, _, groups, program = program_of(seed)
        rng = np.random.default_rng(seed)
        for _ in range(3):
            prices, rows = random_prices(program, rng), program.rows

            def price(row, prices=prices):
                return prices[row] if row >= 0 else 0.0

            worths, charged = [], 0.0
            for c, kind in enumerate(program.classes):
                worth, counts = program._best(c, prices)
                worths.append(best_configuration(program, c, prices))
                assert worth == pytest.approx(worths[-1])
                assert counts @ program.sizes <= kind.gpus
                charged += kind.servers * worths[-1]
            value = 0.0
            cheapest = min(price(row) for row in rows.free)
            for i, gang in enumerate(groups.gang):
                r = price(rows.jobs[i])
                b = min(price(rows.least[i]), r + gang * cheapest)
                modes = []
                for c, kind in enumerate(program.classes):
                    held = groups.local_s[i, kind.speed]
                    if np.isfinite(held) and kind.gpus >= gang:
                        position = program.sizes.tolist().index(gang)
                        modes.append(held * (r - b) + held * price(rows.local[position, c]))
                for v in range(program.speeds):
                    if np.isfinite(groups.spread_s[i, v]):
                        z = min(price(rows.free[c]) for c, kind in enumerate(program.classes) if kind.speed <= v)
                        modes.append(groups.spread_s[i, v] * (r - b) + groups.spread_area[i, v] * z)
                value += max(min(modes), 0.0) + b * groups.least_s[i]
                charged += groups.jobs[i] * r
            found = program._value(prices, np.array(worths))
            assert found * program.scale == pytest.approx(value / charged if charged else 0.0)


def test_the_bound_of_the_solver_is_that_of_its_prices():
    """Stopped after every number of rounds: never falling, and within what the text says of the optimum."""
    stopped = 0
    for seed in range(8):
        full = larger(seed).solve(100)
        assert full.detail.startswith("optimal after ")
        rounds = int(full.detail.split()[2])
        assert larger(seed).solve(rounds) == full
        if rounds > 1:
            less = larger(seed).solve(rounds - 1)
            assert less.detail.startswith(f"stopped after {rounds - 1} rounds, at most ")
            share = float(less.detail.partition("at most ")[2].partition("%")[0]) / 100
            assert less.value <= full.value * (1 + 1e-9) <= less.value * (1 + share + 1e-4)
            stopped += 1
    assert stopped > 3
