"""Where column generation begins, which columns a slot uses, and how weights become a mixture: rules written out."""

from types import SimpleNamespace

import numpy as np
import pytest

from rarlib.ilp.gadget import augmented as module
from rarlib.ilp.gadget.augmented import _Search, augmented_optimum, limit_of
from rarlib.ilp.gadget.columns import Columns
from tests.ilp.gadget_cases import limits_of, small_problem

SEEDS = range(20)


def of_seed(seed):
    return small_problem(seed, resources=1 + seed % 2, wide=1.5, whole=seed % 3 == 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_job_without_mappings_asks_ten_times_at_disturbed_prices(monkeypatch, seed):
    """A worker costs up to the mean gain of a worker more, by chance; a Gbit/s that much per mean bandwidth more."""
    problem, rng = of_seed(seed), np.random.default_rng(seed)
    columns, asked, cheapest = Columns(problem.network), [], module.cheapest

    def watched(tree, prices, size, bandwidth, most_workers):
        asked.append((prices, size, bandwidth))
        return cheapest(tree, prices, size, bandwidth, most_workers)

    monkeypatch.setattr(module, "cheapest", watched)
    sizes = problem.largest * (rng.random(len(problem)) < 0.8)
    columns.prices = before = rng.random(len(columns.limits))
    search = _Search(problem, sizes, limit_of(problem, sizes, True))
    search.begin(columns)
    rows = np.flatnonzero(sizes)
    if not len(rows):
        assert not asked
        return
    ((prices, size, bandwidth),) = asked
    tries = np.tile(rows, 10)
    assert size.tolist() == sizes[tries].tolist()
    assert bandwidth.tolist() == problem.bandwidth[tries].tolist()
    usual = np.mean([problem.gain[job, sizes[job]] / sizes[job] for job in rows])
    servers, resources = problem.network.capacity.shape
    node = before[: servers * resources].reshape(servers, resources)
    noise = prices.worker - problem.demand[tries] @ node.T
    assert noise.min() >= -1e-12 and noise.max() < usual + 1e-12
    assert noise.std() > 0.15 * usual
    dearer = np.concatenate([prices.link, prices.uplink]) - before[servers * resources :]
    np.testing.assert_allclose(dearer, usual / problem.bandwidth[rows].mean())
    # Only the cheapest kind is taken in, and a job that has mappings asks no more.
    assert len(columns) <= len(tries)
    assert set(columns.job.tolist()) <= set(problem.job[rows].tolist())
    rest = np.array([row for row in rows if problem.job[row] not in columns.job], np.int64)
    asked.clear()
    search.begin(columns)
    assert [each[1].tolist() for each in asked] == ([sizes[np.tile(rest, 10)].tolist()] if len(rest) else [])


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_of_a_slot_are_those_of_its_jobs_at_their_ring_sizes(seed):
    """Jobs of other slots, and other ring sizes of the same jobs, stay out; names are not rows."""
    problem = of_seed(seed)
    columns = Columns(problem.network)
    for sizes in (problem.largest, np.ones(len(problem), np.int64)):
        augmented_optimum(problem, sizes, columns)
    rows = np.arange(len(problem))[::-1]
    part = problem.take(rows[: max(1, len(rows) - 1)])
    sizes = np.where(np.arange(len(part)) % 2, 1, part.largest)
    used, owner = _Search(part, sizes, limit_of(part, sizes, True)).select(columns)
    wanted = [
        (at, row)
        for at in range(len(columns))
        for row in range(len(part))
        if columns.job[at] == part.job[row] and columns.size[at] == sizes[row]
    ]
    assert list(zip(used.tolist(), owner.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_above_noise_are_kept_by_job_and_sum_to_at_most_one(seed):
    """Sums above one are scaled down, others stay; of a job, mappings keep their order."""
    problem, rng = of_seed(seed), np.random.default_rng(seed)
    columns = Columns(problem.network)
    augmented_optimum(problem, problem.largest, columns)
    search = _Search(problem, problem.largest, limit_of(problem, problem.largest, True))
    used, owner = search.select(columns)
    x = rng.choice([0.0, 0.5e-9, 2e-9, 0.4, 0.7], len(used))
    bound = float(rng.choice([1.0, 3.0]))
    found = module._mixture(columns, bound, SimpleNamespace(x=x, value=2.0), used, owner, search.rent)
    kept = [at for job in range(len(problem)) for at in range(len(used)) if owner[at] == job and x[at] > 1e-9]
    total = [sum(x[at] for at in kept if owner[at] == job) for job in range(len(problem))]
    assert found.row.tolist() == [int(owner[at]) for at in kept]
    np.testing.assert_allclose(found.weight, [x[at] / max(1.0, total[owner[at]]) for at in kept])
    assert (found.value, found.bound) == (2.0, max(2.0, bound))
    assert found.workers.toarray().tolist() == columns.workers.toarray()[used[kept]].tolist()
    assert found.loads.toarray().tolist() == columns.loads.toarray()[used[kept]].tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_mappings_that_win_more_than_their_job_does_now_are_taken_in(seed):
    """Against the rent that jobs pay in the last solution; a ring of several servers that uses one is no offer."""
    problem, rng = of_seed(seed), np.random.default_rng(seed)
    columns, sizes = Columns(problem.network), problem.largest
    search = _Search(problem, sizes, limit_of(problem, sizes, True))
    search.rent = rng.random(len(problem)) * search.gain
    offers = search.offers(rng.random(len(columns.limits)) * (rng.random(len(columns.limits)) < 0.6))
    wanted = set()
    for row, costs, ways in zip(offers.row.tolist(), offers.cost, offers.workers, strict=True):
        for kind, (cost, way) in enumerate(zip(costs, ways, strict=True)):
            if search.gain[row] - search.rent[row] > cost and (kind == 0 or (way > 0).sum() > 1):
                wanted.add((int(problem.job[row]), *way.tolist()))
    assert search.extend(columns, offers) == len(wanted) == len(columns)
    rows = np.column_stack([columns.job, columns.workers.toarray().astype(int)]).tolist()
    assert {tuple(row) for row in rows} == wanted
    assert search.extend(columns, offers) == 0
    assert len(columns.limits) == len(limits_of(problem))
