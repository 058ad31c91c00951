"""The map has a panel for every pair of factors that vary together."""

from itertools import combinations, product

import pandas as pd
import pytest

from artifact.arena.figures.robustness_map import robustness_map, robustness_panels
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


def test_our_own_scheduler_is_told_below_the_map():
    cells = pd.DataFrame(list(product("12", "12")), columns=[AXES[0], "window"]).assign(winner="sia", tied="")
    panels = robustness_panels(
        cells.iloc[:0].reindex(columns=[*AXES, "winner", "tied"]), cells, AXES, dict.fromkeys(AXES, "1")
    )
    figure = robustness_map(panels, {AXES[0]: "12"}, own="concert", margin=[0.5, 2.0, 1.0])
    told = figure.legends[0].get_title().get_text()
    assert "Concert (ours), 1.00 times the winner's mean JCT" in told
    assert "(0.50 to 2.00), shorter in 1 of 3 settings" in told
    assert figure.get_suptitle() == "Sia wins 4 of 4 cells, 4 of them alone"
