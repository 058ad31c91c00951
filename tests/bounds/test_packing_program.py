"""Rows, first columns and limits of the program for gangs, by hand."""

import numpy as np
import pytest

from rarlib.bounds import packing
from rarlib.bounds.packing import GangPacking, gang_packing
from tests.bounds.test_bounds_programs import all_sets_of_jobs, needs, random_needs


def three_sizes():
    """Five gangs of 1, one of 2, three of 3 on 8 GPUs, on which two of the latter fit; one job without work."""
    return needs([3, 1, 1, 2, 1, 3, 1, 1, 3, 1], [6, 1, 2, 4, 3, 5, 4, 5, 9, 0], 8)


def test_rows_are_the_longest_jobs_of_each_size():
    """As many of them as run at once, one row each, and all of them; each with the sum of their times."""
    program = GangPacking(three_sizes())
    assert [(size.gang, size.most, size.counts.tolist(), size.longest.tolist()) for size in program.sizes] == [
        (1, 5, [1, 2, 3, 4, 5], [5.0, 9.0, 12.0, 14.0, 15.0]),
        (2, 1, [1], [4.0]),
        (3, 2, [1, 3], [9.0, 20.0]),
    ]
    assert program.rows_of_all == 8
    assert program.cells == (5 + 1 + 2) * 8
    assert not program.thinned


def test_first_columns_take_one_size_and_fill_up_with_smaller_ones():
    program = GangPacking(three_sizes())
    assert [counts.tolist() for counts in program._first()] == [[5, 0, 0], [5, 1, 0], [0, 1, 2]]
    assert program._entries(np.array([4, 1, 2])) == [
        *[(row, float(min(4, row + 1))) for row in range(5)],
        (5, 1.0),
        (6, 1.0),
        (7, 2.0),
    ]


def test_a_gang_is_worth_the_rows_that_count_it():
    """The i-th gang of a size: all rows of m >= i; here 1 + ... + 5, 2 + ... + 5 and so on for single GPUs."""
    program = GangPacking(three_sizes())
    prices = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 20.0, 2.0])
    items = list(program._items(prices))
    assert [profit.tolist() for _, profit, _ in items] == [[15.0, 14.0, 12.0, 9.0, 5.0], [7.0], [22.0, 2.0]]
    assert [gang.tolist() for gang, _, _ in items] == [[1] * 5, [2], [3, 3]]
    worth, counts = program.price(prices)
    # 3 + 5 single ones: 22 + 55; the gang of 2 for two of them would lose 7.
    assert (worth, counts.tolist()) == (77.0, [5, 0, 1])


def test_too_many_rows_are_thinned_and_told(monkeypatch):
    """Exactly as many as allowed are kept; beyond that, every count is at most a quarter above the one before."""
    need = needs(np.ones(40), np.arange(1.0, 41.0), 30)
    monkeypatch.setattr(packing, "_MOST_ROWS", 30)
    full = GangPacking(need)
    assert full.sizes[0].counts.tolist() == [*range(1, 30), 40]
    assert "rows" not in full.solve(50).detail
    monkeypatch.setattr(packing, "_MOST_ROWS", 29)
    thin = GangPacking(need)
    counts = thin.sizes[0].counts
    assert (counts[0], counts[-1]) == (1, 40)
    assert (np.diff(counts) > 0).all() and counts[-2] < 30
    assert (counts[1:-1] <= np.maximum(1.25 * counts[:-2] + 1, counts[:-2] + 1)).all()
    assert counts[-2] >= 30 / 1.25 - 1
    assert len(counts) < 20
    assert thin.sizes[0].longest.tolist() == [float(sum(range(41 - m, 41))) for m in counts]
    assert thin.solve(50).detail.endswith(f"; {len(counts)} of 30 rows")


def test_as_many_cells_as_allowed_are_run(monkeypatch):
    monkeypatch.setattr(packing, "_MOST_CELLS", 64)
    assert gang_packing(three_sizes(), 50).detail.startswith("optimal")
    monkeypatch.setattr(packing, "_MOST_CELLS", 63)
    found = gang_packing(three_sizes(), 50)
    assert found == (0.0, "not run: a knapsack of 64 cells, at most 63")


def test_nothing_to_do_has_no_bound():
    assert gang_packing(needs([1, 2], [0.0, 0.0], 2), 5) is None


def test_rounds_are_counted_and_no_more_are_taken():
    """With the rounds that an optimum took, it is found again; with one less, the text says that it is not proven."""
    seen = 0
    for seed in range(30):
        need = random_needs(seed, 9)
        found = gang_packing(need, 100)
        rounds = int(found.detail.removeprefix("optimal after ").removesuffix(" rounds"))
        assert gang_packing(need, rounds) == found
        if rounds > 1:
            less = gang_packing(need, rounds - 1)
            assert less.detail.startswith(f"stopped after {rounds - 1} rounds, at most ")
            assert less.detail.endswith("% below its optimum")
            assert 0.0 < less.value <= found.value * (1 + 1e-9)
            seen += 1
        assert found.value == pytest.approx(all_sets_of_jobs(need))
    assert seen > 10
