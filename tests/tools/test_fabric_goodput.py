"""Policies under schedulers of elastic jobs: that every row is there, and the page says what the table holds."""

import pandas as pd

from tools import fabric_goodput as tool


def test_every_row_is_there_and_the_page_says_what_the_table_holds():
    table = pd.read_csv(tool.TABLE)
    cells = table.groupby(["trace", "window", "scheduler"]).size()
    assert set(cells) == {1 + len(tool.POLICIES)}
    assert set(table["scheduler"]) == set(tool.SCHEDULERS)
    assert (table["contention_s"] >= -1e-9).all()
    assert tool.SECTION.stated() == tool.render(table).strip()


def test_a_cell_by_hand():
    """Two windows, 10 % longer and as long: 5 % on the mean, with t(1, 0.975) = 12.706 standard errors of 5 %."""
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    jct = pd.DataFrame({tool.FAIR: [100.0, 200.0], "other": [110.0, 200.0]}, index=index)
    waits = pd.DataFrame({tool.FAIR: [1.0, 1.0], "other": [2.0, 4.0]}, index=index)
    assert tool._cell(jct, waits, "other") == "+5.0 ± 63.5 (3.0)"
