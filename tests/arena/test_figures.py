"""Figures of the arena from small frames: everyone is there, in order and colour, and marks mean what they say."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from rarlib.arena import standings
from rarlib.arena.figures import cost, distributions, hour, labels, ranking, robustness_map, summary
from rarlib.arena.statistics import winners
from rarlib.plot.style import look
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.records.waiting import TURNAROUND_PARTS
from tests.arena.small import BASE, rows, small_runs, varied_runs


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


def test_many_settings_go_below_one_another():
    """61 loads: 60 in the first band and one in the second, each with all schedulers and their mean ranks."""
    loads = [f"{1 + number / 100:g}" for number in range(61)]
    runs = pd.concat([rows({"sia": [1.0], "srtf": [2.0]}, x=load) for load in loads])
    table = standings.standings(runs)
    bands = [ax for ax in ranking.ranking(table, standings.by_rank(table)).axes if ax.collections and y_labels(ax)]
    bands = [ax for ax in bands if y_labels(ax) == ["Sia", "SRTF"]]
    assert [len(ax.get_xticklabels()) for ax in bands] == [60, 1]
    named = [label.get_text() for ax in bands for label in ax.get_xticklabels()]
    assert named[1:] == [f"Philly, load {load}" for load in loads[1:]]


def test_a_setting_is_called_by_what_differs():
    """The trace, and no factor that is as in the first setting."""
    table = pd.concat(
        [
            rows({"sia": [1.0]}),
            rows({"sia": [1.0]}, reading="two-level/off/300/none/learned", x="0.5"),
            rows({"sia": [1.0]}, "mine", reading="three-types/k/profile/0.3/known"),
        ]
    )
    assert list(labels.setting_labels(table, ["mine"]).values()) == [
        "Philly",
        "Philly, two-level, load 0.5, f = 1, restarts 300 s, nothing predictable, speeds learned",
        "mine*, f = k",
    ]


def test_stacks_reach_the_mean():
    """Parts in seconds by window; the bar ends at the mean JCT and is drawn in hours."""
    given = {name: [3600.0 * (i + 1), 3600.0 * i] for i, name in enumerate(TURNAROUND_PARTS)}
    runs = pd.concat([rows({"sia": values, "mine": values[:1]}, metric=part) for part, values in given.items()])
    runs = pd.concat([runs, rows({"sia": [36.0, 28.0], "mine": [36.0]})])
    parts = standings.turnaround(runs)
    short = labels.short_of_windows(runs)
    assert short == {("philly-pollux", "mine")}
    ax = distributions.turnaround_parts(parts, TURNAROUND_PARTS, ["mine", "sia"], short).axes[0]
    ends = {round(bar.get_y() + bar.get_height() / 2): bar.get_x() + bar.get_width() for bar in ax.patches}
    assert ends == pytest.approx({0: 36.0, 1: 32.0})
    assert [text.get_text().strip() for text in ax.texts] == ["36.00*", "32.00"]


def test_a_bar_that_dwarfs_all_others_is_cut():
    """Otherwise one bad scheduler makes the figure say nothing of the good ones; its length stays readable."""
    values = {"sia": 1.0, "mine": 2.0, "srtf": 1.5, "random": 60.0}
    parts = pd.DataFrame([{"setup": "t", "scheduler": n, "running_s": v} for n, v in values.items()])
    ax = distributions.turnaround_parts(parts, {"running_s": "running"}, list(values)).axes[0]
    assert ax.get_xlim()[1] < 7
    assert ax.texts[3].get_text() == "60.00 »"


def test_distributions_have_the_schedulers_colours():
    """One line per scheduler, ascending, in the order given."""
    table = pd.DataFrame(
        [("philly-pollux", n, q, k * q) for n, k in (("sia", 1.0), ("mine", 2.0)) for q in (99, 1, 50)],
        columns=["setup", "scheduler", "percent", "value"],
    )
    figure = distributions.jct(table, ["mine", "sia", "absent"], {("philly-pollux", "mine")})
    lines = figure.axes[0].lines
    assert [line.get_color() for line in lines] == [look("mine").colour, look("sia").colour]
    assert list(lines[1].get_xdata()) == [1.0, 50.0, 99.0]
    assert [line.get_linestyle() for line in lines] == ["--", "-"]
    assert [text.get_text() for text in figure.legends[0].texts] == ["mine", "Sia", "fewer windows"]


def test_fairness_shows_every_window_and_the_median():
    values = pd.concat(
        [rows({"sia": [1.0, 2.0, 9.0], "mine": [3.0]}, metric=metric) for metric in distributions.FAIRNESS]
    )
    ax = distributions.fairness_distributions(values, ["mine", "sia"]).axes[0]
    drawn = [list(line.get_xdata()) for line in ax.lines][:4]
    assert drawn == [[3.0], [3.0], [1.0, 2.0, 9.0], [2.0]]
    assert ax.lines[1].get_markerfacecolor() == "white"


def test_bounds_are_of_the_same_windows():
    """A scheduler of one window is measured by that window's bound, not by the mean of all."""
    frame = pd.concat([rows({"sia": [2.0, 4.0], "mine": [2.0]}, metric=metric) for metric in summary.SUMMARY_METRICS])
    frame = pd.concat([frame, rows({"bounds": [1.0, 3.0]}, metric="bound_mean_jct")])
    ax = summary.standings_figure(frame, ["sia", "mine"]).axes[0]
    assert [text.get_text() for text in ax.texts] == ["1.5×", "2×"]
    ticks = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2 and line.get_linestyle() == "-"]
    assert ticks == [2.0, 1.0]
    table = standings.setting_summary(frame).set_index("scheduler")
    assert table["gap"].to_dict() == pytest.approx({"sia": (1.0 + 1 / 3) / 2, "mine": 1.0})
    assert table.loc["sia", "spread"] == pytest.approx(2.0**0.5)


def test_contention_costs_what_is_paired():
    """Ratios 2 and 8 by window: 4 together. Settings without a run that is free of contention do not count."""
    off, on = "three-types/off/profile/0.3/known", "three-types/k/profile/0.3/known"
    runs = pd.concat(
        [
            rows({"sia": [1.0, 1.0], "mine": [1.0]}, reading=off),
            rows({"sia": [2.0, 8.0], "mine": [1.0]}, reading=on),
            rows({"sia": [5.0, 5.0]}, reading="homogeneous/k/profile/0.3/known"),
        ]
    )
    table = standings.factor_cost(runs, "contention", "off")
    assert table["cluster"].unique().tolist() == ["three-types"]
    assert table.set_index("scheduler")["ratio"].to_dict() == pytest.approx({"sia": 4.0, "mine": 1.0})
    ax = cost.cost(table, ["mine", "sia"], "contention", "without contention").axes[0]
    assert y_labels(ax) == ["mine", "Sia"]
    assert [text.get_text() for text in ax.texts] == ["4.0 »"]
    chosen = standings.misled(standings.standings(runs)).iloc[0]
    assert (chosen["chosen"], chosen["best"], chosen["ratio"]) == ("sia", "sia", 1.0)


def test_every_law_of_contention_has_a_mark_of_its_own():
    """Weakest on top and hollow, strongest below and full; the legend fills its marks in the same way."""
    values = {"off": 1.0, "links": 1.1, "k": 1.2, "k+0.3": 1.3}
    runs = pd.concat(
        [rows({"sia": [ratio] * 2}, reading=f"c/{level}/profile/0.3/known") for level, ratio in values.items()]
    )
    figure = cost.cost(standings.factor_cost(runs, "contention", "off"), ["sia"], "contention", "without contention")
    marks = [line for line in figure.axes[0].lines if line.get_marker() != "None"]
    assert [float(line.get_xdata()[0]) for line in marks] == pytest.approx([1.1, 1.2, 1.3])
    heights = [float(line.get_ydata()[0]) for line in marks]
    assert heights == sorted(set(heights))
    legend = figure.legends[0].legend_handles[: len(marks)]
    for line, shown in zip(marks, legend, strict=True):
        assert (line.get_fillstyle(), line.get_markerfacecolor() == "white") == (
            shown.get_fillstyle(),
            shown.get_markerfacecolor() == "white",
        )
    assert [text.get_text() for text in figure.legends[0].texts][:3] == ["fast law", "f = k", "f = k + 0.3 (k − 1)"]


@pytest.mark.parametrize(
    ("level", "words"), [("links", "links shared by the fast law;"), ("k", "f = k, how many times longer an exchange")]
)
def test_the_base_in_words(level, words):
    base = {
        "cluster": "c",
        "load": "0.9",
        "contention": level,
        "restart": "profile",
        "error": "0.3",
        "knowledge": "known",
    }
    said = labels.setting_in_words(base, pd.DataFrame({"type": ["t4", "t4"], "gpus": [4, 4]}))
    assert said.startswith(f"Base setting c/{level}/profile/0.3/known at load 0.9: cluster c (8 t4 GPUs); {words}")


def test_the_hour_draws_what_is_held():
    """Area of the boxes = GPU-minutes; a gang that is not contiguous is two boxes; the same job has the same colour."""
    given = {"sia": [("7/0/2", 600, 1200), ("7/0/2", 1800, 3600), ("3/1/1", 600, 4200)], "mine": [("7/1/1", 600, 1200)]}
    frame = pd.DataFrame(
        [
            ("arena-runs", "t", BASE, name, "job/node/GPUs", x, 1, metric, float(value), "s")
            for name, found in given.items()
            for x, *times in found
            for metric, value in zip(("start_s", "end_s"), times, strict=True)
        ],
        columns=TIDY_COLUMNS,
    )
    audit = pd.DataFrame(
        [("a", "", "c", "", "node/type", x, 0, "gpus", n, "GPU") for x, n in (("1/rtx", 2.0), ("0/t4", 4.0))],
        columns=TIDY_COLUMNS,
    )
    cluster = hour.nodes(audit)
    assert cluster.to_dict("list") == {"type": ["t4", "rtx"], "gpus": [4, 2]}
    figure = hour.hour(hour.allocation_frame(frame), cluster, ["sia", "mine", "absent"])
    shown = [ax for ax in figure.axes if ax.get_visible()]
    assert [ax.get_title(loc="left") or ax.get_title() for ax in shown] == ["Sia", "mine"]
    boxes = [[path.get_extents() for path in ax.collections[0].get_paths()] for ax in shown]
    assert [sum(box.width * box.height for box in each) for each in boxes] == pytest.approx([20 + 60 + 60, 10])
    first, second = (ax.collections[0].get_facecolors() for ax in shown)
    assert (first[[box.width == 60 for box in boxes[0]].index(False)] == second[0]).all()
    assert y_labels(shown[0]) == ["t4", "rtx"]


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
