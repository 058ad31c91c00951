"""What elastic bounds are made of, each by its definition: machines, parts of jobs, corners, prices."""

import numpy as np
import pytest

from rarlib.bounds.elastic import bounds as module
from rarlib.bounds.elastic import dual
from rarlib.bounds.elastic.bounds import ElasticBounds, _Needs
from rarlib.bounds.elastic.dual import Lines, Market, Parts, least
from rarlib.bounds.elastic.rates import Pace
from rarlib.bounds.one_machine import serve
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.model.cluster import Cluster
from tests.bounds.elastic.test_elastic_bounds import jobs_of, toy, values


def random_needs(seed, jobs=5, types=2):
    """Two applications of three and six epochs, whose fastest configuration differs from epoch to epoch."""
    rng = np.random.default_rng(seed)
    paces = []
    for epochs in (3, 6):
        rate = rng.uniform(0.1, 1.0, (types, 5, epochs)) * np.sqrt(np.arange(5))[None, :, None]
        rate[0, 3] = 0.0
        paces.append(Pace(rng.uniform(1.0, 9.0, epochs), rate))
    submit = np.sort(rng.uniform(0.0, 40.0, jobs))
    capacity = rng.integers(1, 5, types).astype(float)
    return _Needs(submit, submit + 3.0, rng.uniform(0.5, 2.0, jobs), rng.integers(0, 2, jobs), paces, capacity)


def test_least_times():
    for seed in range(20):
        needs = random_needs(seed)
        for job, app in enumerate(needs.app):
            pace = needs.paces[app]
            time = sum(w / pace.rate[:, :, e].max() for e, w in enumerate(pace.work)) * needs.scale[job]
            assert needs.time[job] == pytest.approx(time)


def test_one_fast_machine_by_its_definition():
    """Each epoch is charged the least worth of GPU time per progress; the sum of completions, and the last end."""
    shares = np.array([[0.3, 0.7], [0.0, 1.0], [1.0, 0.0]])
    for seed in range(30):
        needs = random_needs(seed)
        order = np.random.default_rng(seed).permutation(5)  # jobs in any order
        needs = needs._replace(**{name: getattr(needs, name)[order] for name in ("submit", "release", "scale", "app")})
        completions, ends = module._fast_machine(needs, shares)
        for choice, share in enumerate(shares):
            worth = share / needs.capacity
            area = np.zeros(5)
            for job, app in enumerate(needs.app):
                rate, work = needs.paces[app].rate, needs.paces[app].work
                for e in range(len(work)):
                    can = [
                        worth[k] * gpus / rate[k, gpus, e]
                        for k in range(2)
                        for gpus in range(1, 5)
                        if rate[k, gpus, e] > 0.0
                    ]
                    area[job] += work[e] * min(can) * needs.scale[job]
            by_release = np.argsort(needs.release)
            finish = serve(needs.release[by_release], area[by_release], 1.0, True).finish
            assert completions[choice] == pytest.approx(finish.sum())
            last = max(since + area[needs.release >= since].sum() for since in needs.release)
            assert ends[choice] == pytest.approx(last)


def test_corners_are_those_of_the_concave_hull():
    """GPUs that are the best at some price above 0, or the fastest; of equally good ones the more GPUs, from 1 on."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        speed = np.append(0.0, rng.integers(0, 12, 6) / 4.0 if seed % 2 else rng.random(6))
        if not speed.any():
            continue
        top = int(np.argmax(speed))
        corners = []
        for k in range(1, top + 1):
            before = [(speed[k] - speed[i]) / (k - i) for i in range(k)]
            after = [(speed[j] - speed[k]) / (j - k) for j in range(k + 1, top + 1)]
            if min(before) > max(after, default=0.0):
                corners.append(k)
        assert module._corners(speed).tolist() == corners


def test_parts_of_jobs_by_their_definition():
    """Four parts of about equal least time: an epoch belongs to the part in which its middle lies."""
    for seed in range(20):
        needs = random_needs(seed)
        parts, lines = module._parts(needs)
        at = 0
        for job, app in enumerate(needs.app):
            pace = needs.paces[app]
            times = [w / pace.rate[:, :, e].max() for e, w in enumerate(pace.work)]
            ends = np.cumsum(times)
            of = [int(4 * (end - time / 2) / ends[-1]) for end, time in zip(ends, times, strict=True)]
            begin = needs.release[job]
            for number in sorted(set(of)):
                epochs = [e for e in range(len(times)) if of[e] == number]
                length = sum(times[e] for e in epochs) * needs.scale[job]
                assert parts.release[at] == pytest.approx(begin)
                assert parts.length[at] == pytest.approx(length)
                assert parts.whole[at] == pytest.approx(needs.time[job])
                low, high = lines.first[parts.segment[at]], lines.first[parts.segment[at] + 1]
                found = [tuple(each[low:high]) for each in (lines.kind, lines.gpus, lines.speed)]
                wanted = []
                for k in range(2):
                    best = [max(pace.rate[k, g, e] / pace.rate[:, :, e].max() for e in epochs) for g in range(5)]
                    wanted += [(k, float(g), best[g]) for g in module._corners(np.array(best))]
                np.testing.assert_allclose(np.array(found).T, wanted, rtol=1e-12)
                begin, at = begin + length, at + 1
        assert at == len(parts.length)


def test_edges_are_where_jobs_arrive_or_may_end_and_even():
    for seed in range(20):
        needs = random_needs(seed, 30)
        edges = module._edges(needs, needs.time)
        assert edges[0] == 0.0
        assert (np.diff(edges) > 0.0).all()
        ends = needs.release + 2.0 * needs.time
        assert {float(needs.release.min()), float(ends.max())} <= set(edges.tolist())
        until = needs.release.max() + 2.0 * np.median(needs.time)
        even = np.linspace(0.0, until, module.BUCKETS // 2 + 1)
        assert np.isin(even, edges).all()
        others = edges[~np.isin(edges, even)]
        events = np.sort(np.concatenate([needs.release, ends]))
        # As many events lie between any two of the others.
        between = np.histogram(events, others)[0]
        assert between.max() - between.min() <= 2
        assert len(others) == module.BUCKETS // 2 + 1


def test_prices_of_zero_give_every_job_alone_and_more_effort_more():
    for seed in range(3):
        needs = random_needs(seed, 4)
        alone = (needs.release + needs.time - needs.submit).mean()
        found = [module._priced(needs, effort) for effort in (1, 2, 5, 12)]
        assert found[0] == pytest.approx(alone, rel=1e-6)
        assert found == sorted(found)


def test_the_search_for_prices_is_adagrad():
    """Prices go along the slope, a step divided by the root of the squares so far; never below 0; the best counts."""
    for seed in range(2):
        needs = random_needs(seed, 4)
        parts, lines = module._parts(needs)
        edges, types = module._edges(needs, needs.time), len(needs.capacity)
        price, squares, found = np.zeros((types, len(edges))), np.zeros((types, len(edges) - 1)), []
        for _ in range(8):
            used = np.zeros(price.shape)
            start = parts.release + parts.length
            value = least(parts, Market(lines, edges, price.copy(), np.zeros(len(lines.kind))), start, used)
            slope = used[:, :-1] - needs.capacity[:, None] * np.diff(edges)
            found.append(value + float((slope * price[:, :-1]).sum() - (used * price).sum()))
            squares += (slope / len(needs.app)) ** 2
            root = np.sqrt(np.where(squares > 0.0, squares, 1.0))
            price[:, :-1] += module._STEP / needs.capacity.sum() * slope / len(needs.app) / root
            price = np.maximum(price, 0.0)
        wanted = max(found) / len(needs.app) + (needs.time / 2 - needs.submit).mean()
        assert module._priced(needs, 8) == pytest.approx(wanted, rel=1e-4)


def market_of(seed):
    rng = np.random.default_rng(seed)
    lines = Lines(
        np.array([0, 0, 1, 0, 1, 1]),
        rng.integers(1, 9, 6).astype(float),
        np.array([0.3, 0.8, 1.0, rng.random(), rng.random(), 1.0]),
        np.array([0, 3, 6]),
    )
    edges = np.concatenate([[0.0], np.cumsum(rng.uniform(1.0, 9.0, 4))])
    price = np.column_stack([rng.exponential(0.05, (2, 4)), np.zeros(2)])
    parts = Parts(rng.uniform(0.0, 30.0, 2), rng.uniform(1.0, 10.0, 2), np.full(2, 16.0), np.array([0, 1]))
    return parts, Market(lines, edges, price, np.zeros(6))


def test_each_part_is_served_for_its_length():
    """To a ten-millionth; where the service jumps, as it does at edges of prices, its length lies within the jump."""
    for seed in range(60):
        parts, market = market_of(seed)
        for start in (np.zeros(2), np.full(2, 500.0)):
            used = np.zeros(market.price.shape)
            least(parts, market, start, used)
            for part in (0, 1):
                m, length = start[part], parts.length[part]
                below, above = (
                    dual._gain(m + off * length, parts, part, market, used, False)[1] for off in (-3e-7, 3e-7)
                )
                assert below <= length * (1 + 2e-7)
                assert above >= length * (1 - 2e-7)


def test_the_best_line_and_the_next_one():
    """Along u, the largest of u speed - cost and 0, from each line to the one that overtakes it."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        speed, cost = rng.integers(1, 6, 5) / 2.0, rng.integers(0, 8, 5) / 2.0
        u, until, line = 0.0, 6.0, dual._best(cost, speed, 0.0)
        while True:
            then, meet = dual._next(cost, speed, line, u, until)
            for at in np.linspace(u, meet, 5):
                worth = at * speed[line] - cost[line] if line >= 0 else 0.0
                assert worth == pytest.approx(max(0.0, (at * speed - cost).max()))
            if then == line:
                assert meet == until
                break
            assert speed[then] > (speed[line] if line >= 0 else 0.0)
            # Of the lines that meet there, the steepest.
            assert speed[then] == max(s for s, c in zip(speed, cost, strict=True) if meet * s - c >= worth - 1e-12)
            u, line = meet, then


def test_bounds_without_effort_are_the_closed_forms_and_say_what_gpus_are_worth():
    model, cluster = GoodputCost(toy()), Cluster.parse("t4:1x2")
    bounds = ElasticBounds(model, cluster)
    jobs = jobs_of([0.0, 5.0])
    closed = bounds.bounds(jobs, effort=0)
    assert [bound.method for bound in closed] == [
        "longest job",
        "one fast machine",
        "every job alone",
        "one fast machine",
    ]
    assert [bound.detail for bound in closed] == ["", "worth of the GPU types: 100 %", "", ""]
    assert bounds.bounds(jobs, effort=1)[:4] == closed
    assert bounds.bounds(jobs, effort=1)[4].value_s == pytest.approx(values(closed)["mean_jct", "every job alone"])
    assert module._described(np.array([0.25, 0.05, 0.7])) == "worth of the GPU types: 25 %, 5 %, 70 %"
