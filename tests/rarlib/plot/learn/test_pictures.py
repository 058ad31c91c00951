"""Pictures of the learn notebooks show the numbers of their frames; sliders are an addition."""

import sys

import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from artifact.plot.learn import pipeline, ring, workload
from artifact.plot.learn.ballots import outcome, turnarounds
from artifact.plot.learn.contention import progress
from artifact.plot.learn.contest import contest
from artifact.plot.learn.goodput import tug_of_war
from artifact.plot.learn.servers import draw_servers
from artifact.plot.learn.slider import ON_PAGE, PAGE, WITHOUT, slider
from rarlib.plot.gantt import HATCH


def test_sums_writes_each_count_and_frames_what_is_passed_on():
    """Two workers, two steps: the numbers are those of the frame, the frames where `sent` says so."""
    counts = {0: [[1, 1], [1, 1]], 1: [[1, 2], [2, 1]], 2: [[2, 2], [2, 2]]}
    sent = {0: {(0, 0), (1, 1)}, 1: {(0, 1), (1, 0)}, 2: set()}
    rows = pd.DataFrame(
        (step, w, c, counts[step][w][c], (w, c) in sent[step]) for step in counts for w in (0, 1) for c in (0, 1)
    ).set_axis(["step", "worker", "chunk", "summed", "sent"], axis=1)
    figure = ring.sums(rows)
    for ax, step in zip(figure.axes, counts, strict=True):
        shown = {(int(t.get_position()[1]), int(t.get_position()[0])): int(t.get_text()) for t in ax.texts}
        assert shown == {(w, c): counts[step][w][c] for w in (0, 1) for c in (0, 1)}
        assert {(int(line.get_ydata()[0]), int(line.get_xdata()[0])) for line in ax.lines} == sent[step]
    assert [ax.get_title(loc="center") for ax in figure.axes] == ["start", "step 1", "step 2"]


def test_cuts_show_shares_of_layers_in_the_colour_of_their_stage():
    """A layer with most of the time and little of the weights, and the other way round."""
    layers = pd.DataFrame(
        {"layer": ["u", "v"], "compute_s": [3.0, 1.0], "parameter_bytes": [10.0, 90.0], "stage": [0, 1]}
    )
    figure = pipeline.draw_cuts({"plan": layers})
    bars = figure.axes[0].patches
    assert [bar.get_x() for bar in bars] == pytest.approx([0, 75, 0, 10])
    assert [bar.get_width() for bar in bars] == pytest.approx([75, 25, 10, 90])
    first, second = (to_rgba(colour) for colour in pipeline.STAGES[:2])
    assert [bar.get_facecolor() for bar in bars] == [first, second, first, second]
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["stage 0: 75 %", "stage 1: 25 %", "stage 0: 10 %", "stage 1: 90 %"]


def test_durations_draws_jobs_left_and_time_right():
    rows = pd.DataFrame({"trace": "t", "duration_s": [1.0, 10.0], "jobs": [0.5, 1.0], "gpu_time": [0.1, 1.0]})
    figure = workload.durations(rows)
    assert [list(ax.lines[0].get_ydata()) for ax in figure.axes] == [[50.0, 100.0], [10.0, 100.0]]


def test_contest_joins_the_same_case_and_writes_means():
    """Each thin line is a case, in the order of the labels, whatever the order of the rows."""
    rows = [("b", 0, "m", 4.0), ("a", 0, "m", 1.0), ("a", 1, "m", 3.0), ("b", 1, "m", 8.0)]
    figure = contest(pd.DataFrame(rows, columns=["scheduler", "seed", "metric", "value"]), {"a": "A", "b": "B"})
    ax = figure.axes[0]
    assert [list(line.get_ydata()) for line in ax.lines[:2]] == [[1.0, 4.0], [3.0, 8.0]]
    assert [text.get_text() for text in ax.texts] == ["2.0", "6.0"]


COLOURS = {"a": "#aa0000", "b": "#00aa00", "c": "#0000aa"}


def test_servers_show_who_holds_what_and_who_shares_links(ax):
    """a and b span both servers and have a lane on both links; c does not; two GPUs are free."""
    held = pd.DataFrame(
        [("a", 0, 2), ("a", 1, 1), ("b", 0, 1), ("b", 1, 1), ("c", 1, 1)], columns=["job_id", "node", "gpus"]
    )
    draw_servers(ax, held, [4, 4], COLOURS, "title")
    gpus = [p for p in ax.patches if isinstance(p, Rectangle) and p.get_width() == pytest.approx(0.88)]
    assert len(gpus) == 8
    for job, count, hatch in (("a", 3, HATCH), ("b", 2, HATCH), ("c", 1, None)):
        own = [p for p in gpus if p.get_facecolor() == to_rgba(COLOURS[job])]
        assert (len(own), {p.get_hatch() for p in own}) == (count, {hatch})
    lanes = [line.get_color() for line in ax.lines if line.get_color() in COLOURS.values()]
    assert sorted(lanes) == sorted([COLOURS["a"], COLOURS["b"]] * 2)


def test_progress_follows_the_frame_and_shades_the_shared_stretch(ax):
    rows = pd.DataFrame([("a", 0, 0), ("a", 4, 9), ("b", 2, 0), ("b", 6, 9)], columns=["job_id", "time_s", "done"])
    progress(ax, rows, COLOURS, together=(2, 4), until_s=8)
    lines = [
        (list(line.get_xdata()), list(line.get_ydata())) for line in ax.lines if line.get_color() in COLOURS.values()
    ]
    assert lines == [([0, 4], [0, 9]), ([2, 6], [0, 9])]
    shade = ax.patches[0]
    assert (shade.get_x(), shade.get_width()) == (2, 2)
    assert {"a: 4 s", "b: 6 s"} <= {text.get_text() for text in ax.texts}


def test_the_dot_marks_the_best_batch():
    rows = pd.DataFrame(
        {"gpus": 2, "batch": [1.0, 2.0, 4.0], "throughput": [1.0, 4.0, 5.0], "efficiency": [1.0, 0.9, 0.1]}
    )
    throughput, efficiency, goodput = tug_of_war(rows, top=9.0).axes
    line, dot = goodput.lines
    assert line.get_ydata() == pytest.approx([1.0, 3.6, 0.5])
    assert (dot.get_xdata().tolist(), dot.get_ydata()) == ([2.0], pytest.approx([3.6]))
    assert throughput.get_ylim() == goodput.get_ylim() == (0.0, 9.0)
    assert efficiency.lines[0].get_ydata() == pytest.approx([100.0, 90.0, 10.0])


def test_means_over_jobs_and_over_cases():
    jobs = pd.DataFrame(
        {"rule": ["r", "r"], "predictable": [True, False], "length": [1.0, 2.0], "turnaround": [2.0, 4.0]}
    )
    (ax,) = turnarounds(jobs, {"r": "rule"}).axes
    assert ax.get_title(loc="left") + ax.get_title() == "rule: mean 3.0 h"
    rows = pd.DataFrame(
        {"rule": "r", "x": [0, 0, 5, 5], "case": [0, 1, 0, 1], "group": "all", "value": [1.0, 3.0, 4.0, 4.0]}
    )
    (ax,) = outcome(rows, {"r": "red"}, xlabel="x", ylabel="y").axes
    assert ax.lines[0].get_ydata() == pytest.approx([2.0, 4.0])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx((1.0, 4.0))  # the standard error of 1 and 3 is 1


@pytest.fixture
def reader(monkeypatch):
    """Somebody has opened the notebook, as Jupyter Server says it."""
    monkeypatch.delenv(PAGE, raising=False)
    monkeypatch.setenv("JPY_SESSION_NAME", "a-notebook.ipynb")


@pytest.mark.usefixtures("reader")
def test_nobody_is_waited_for(monkeypatch):
    """Under `jupyter execute` sliders have no front end, and now and then the run would wait for one forever."""
    monkeypatch.delenv("JPY_SESSION_NAME")
    drawn = []
    assert slider(drawn.append, object=[1, 2, 3]) == ON_PAGE
    assert drawn == []


@pytest.mark.usefixtures("reader")
def test_without_ipywidgets_a_sentence_takes_their_place(monkeypatch):
    """A notebook must run in a kernel that has no ipywidgets."""
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    drawn = []
    assert slider(drawn.append, object=[1, 2, 3]) == WITHOUT
    assert drawn == []


@pytest.mark.usefixtures("reader")
def test_a_slider_for_each_argument_draws_what_it_is_moved_to():
    """The values offered, the middle one first."""
    drawn = []
    shown = slider(lambda n, alpha: drawn.append((n, alpha)), n=range(1, 6), alpha=[0.0, 0.3])
    n, alpha = shown.children[:2]
    assert (n.description, list(n.options), n.value) == ("n", [1, 2, 3, 4, 5], 3)
    assert (alpha.description, alpha.value) == ("alpha", 0.3)
    n.value = 5
    shown.update()
    assert drawn[-1] == (5, 0.3)
