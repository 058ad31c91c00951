"""Ranked plans: gains by hand, and that the page says what the table holds."""

import pandas as pd
import pytest

from rarlib.papers.sjf_bco.ranked_plans import RANKINGS, RankedRun
from tools import fabric_plans as tool


def test_gains_by_hand():
    """10 s instead of 20 s are 50 %; 25 s are -25 %."""
    rows = [
        RankedRun(ranking, 0.5, 4, 4.0, 1, 9, law_s, 1.0) for ranking, law_s in zip(RANKINGS, (20, 25, 10), strict=True)
    ]
    found = tool.gains(pd.DataFrame(rows), "law_s")
    assert found[["blind", "told"]].to_numpy().tolist() == [[pytest.approx(-25.0), pytest.approx(50.0)]]


def test_every_row_is_there_and_the_page_says_what_the_table_holds():
    table = pd.read_csv(tool.TABLE)
    cells = table.groupby(["duty", "sharers", "oversubscription", "seed"]).size()
    assert len(cells) == len(tool.DUTIES) * len(tool.SHARERS) * len(tool.OVERSUBSCRIPTIONS) * len(tool.SEEDS)
    assert set(cells) == {len(RANKINGS)}
    assert tool.SECTION.stated() == tool.render(table).strip()
