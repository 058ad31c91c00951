"""Servers, links and progress as the frames have them."""

import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from rarlib.plot.gantt import HATCH
from rarlib.plot.learn.contention import progress
from rarlib.plot.learn.servers import draw_servers

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
