"""Figures of the arena from small frames: everyone is there, in order and colour, and marks mean what they say."""

from matplotlib.colors import to_hex

from artifact.arena import standings
from artifact.arena.figures import ranking, robustness_map
from rarlib.comparison.statistics import winners
from rarlib.plot.style import look
from tests.artifact.arena.small import small_runs, varied_runs


def y_labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def face_colours(ax, columns):
    """Colours of the cells of a heat map that are drawn, by column and row."""
    faces = [to_hex(colour, keep_alpha=True) for colour in ax.collections[0].get_facecolors()]
    return {(i % columns, i // columns): face[:7] for i, face in enumerate(faces) if face[7:] != "00"}


def test_the_ranking_shows_everyone_in_order():
    """A row per scheduler, also one that nobody listed; dots where there is no difference; brackets for few windows."""
    runs = small_runs()
    table = standings.standings(runs)
    ax = ranking.ranking(table, standings.by_rank(table), ["sia-saturn"]).axes[0]
    assert y_labels(ax) == ["Sia", "SRTF", "mine", "Pollux"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["Philly", "Saturn*"]
    assert {box.get_xy() for box in ax.patches if box.get_hatch()} == {(0, 0), (0, 2)}
    cells = {(text.get_position()[0] - 0.5, text.get_position()[1] - 0.5): text.get_text() for text in ax.texts}
    assert [cells[0, y] for y in range(4)] == ["1", "3", "2", "(3)"]
    filled = face_colours(ax, 2)
    assert filled[0, 0] == filled[0, 2] == filled[1, 1]
    assert filled[0, 1] != filled[0, 0]
    assert (1, 3) not in filled


def test_the_map_has_the_winners_colours():
    varied = varied_runs()
    compared, base = standings.on_map(varied), standings.base_of(varied)
    windows = winners(standings.by_window(varied), ["setup", "window"])
    shown = robustness_map.robustness_panels(winners(compared, standings.AXES), windows, standings.AXES, base)
    assert [panel.title for panel in shown] == ["trace and window", "cluster and contention\nPhilly"]
    ax = robustness_map.robustness_map(shown, standings.levels_of(varied)).axes[1]
    sia, mine = look("sia").colour, look("mine").colour
    assert face_colours(ax, 2) == {(0, 0): sia, (1, 0): sia, (0, 1): sia, (1, 1): mine}
    assert [box.get_xy() for box in ax.patches if box.get_hatch()] == [(0, 0)]
    assert "Sia\n+1" in [text.get_text() for text in ax.texts]
