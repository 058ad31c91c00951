"""The map has a panel for every pair of factors that vary together."""

from itertools import combinations, product

import pandas as pd
import pytest

from artifact.arena.figures.robustness_map import robustness_panels
from artifact.arena.standings import AXES


@pytest.mark.parametrize(("down", "across"), list(combinations(AXES, 2)))
def test_two_factors_that_vary_together_have_one_panel_with_all_their_cells(down, across):
    levels = {name: ["1", "2"] if name in (down, across) else ["1"] for name in AXES}
    winners = pd.DataFrame(list(product(*levels.values())), columns=list(levels)).assign(winner="sia")
    base = dict.fromkeys(AXES, "1")
    whole, *panels = robustness_panels(winners, winners.assign(window="1"), AXES, base)
    assert whole.down == AXES[0]
    shown = {(panel.down, panel.across): len(panel.cells) for panel in panels}
    assert shown == {(down, across): 4}
    assert all(panel.title for panel in panels)
