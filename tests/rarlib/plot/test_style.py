"""The common look: schedulers can be told apart, marks are what was drawn, files do not change between runs."""

import json
import re
from itertools import combinations
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb

from artifact.plot.heat import heat
from artifact.plot.strips import bars, strips
from rarlib.discovery import schedulers
from rarlib.plot import style
from rarlib.plot.style import INK

SVG = "{http://www.w3.org/2000/svg}"


EYES = {
    "usual": np.eye(3),
    "deuteranope": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanope": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
"""What colour-blind readers see of linear RGB: Machado, Oliveira and Fernandes (2009), table 1, severity 1."""


def lab(colour, eyes):
    """CIE L*a*b* (D65) of a colour as these eyes see it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    ratio = to_xyz @ np.clip(np.array(EYES[eyes]) @ linear, 0, 1) / (0.9505, 1.0, 1.089)
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def _draw(folder, name):
    style.use_style()
    figure, ax = plt.subplots(figsize=(2, 2))
    ax.plot([0, 1], [0, 1], label="line")
    ax.legend()
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    style.save(figure, svg, png, {"title": "A title", "tables": "fig.csv 0123"})
    style.save_pdf(figure, folder / f"{name}.pdf", {"Title": "A title"})
    return svg, png, folder / f"{name}.pdf"


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    for first, second in zip(_draw(tmp_path, "a"), _draw(tmp_path, "b"), strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_the_last_digits_of_a_layout_are_not_in_the_file(tmp_path):
    """Constrained layout ends at one of several neighbouring numbers."""
    for at, wide in enumerate((0.8, np.nextafter(0.8, 1.0))):
        figure, (left, right) = plt.subplots(1, 2, layout="none")
        left.plot([0, 1])
        right.plot([1, 0])
        left.set_position((0.1, 0.1, wide / 3, wide))
        style.save(figure, tmp_path / f"{at}.svg", tmp_path / f"{at}.png", {})
    first, second = ((tmp_path / f"{at}.svg").read_text() for at in range(2))
    assert first == second
    assert set(re.findall(r"url\(#(\w+)\)", first)) == set(re.findall(r'clipPath id="(\w+)"', first)) != set()


def test_a_pdf_holds_its_fonts(tmp_path):
    """TrueType fonts, which publishers take; not Matplotlib's own Type 3."""
    text = _draw(tmp_path, "a")[2].read_bytes()
    assert b"/FontFile2" in text
    assert b"/Type3" not in text


def test_text_of_an_svg_is_text_with_a_font_for_every_machine(tmp_path):
    """Words can be searched and read aloud; where DejaVu Sans is missing, a font as wide as it takes its place."""
    style.use_style()
    figure, ax = plt.subplots(figsize=(4, 3))
    ax.set(title="shortest & longest", xlabel="time (s)", ylabel=r"$\lambda$", xscale="log")
    style.save(figure, tmp_path / "a.svg", tmp_path / "a.png", {"title": "A title"})
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    words = {"".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")}
    assert {"shortest & longest", "time (s)", "λ"} <= words
    styles = [each.get("style", "") for each in root.iter()]
    families = {found[1] for found in map(re.compile("font-family: ([^;]+)").search, styles) if found}
    assert families == {"'DejaVu Sans', Verdana, Geneva, sans-serif"}


def test_remarks_stand_above_the_figure_and_facts_in_the_file(tmp_path):
    """A figure of made-up jobs or other settings must never pass for the headline; the file names what was drawn."""
    style.use_style()
    figure, _ = plt.subplots(figsize=(9, 3))
    style.mark(figure, ["STAND-IN DATA: made up", "WHAT IF: lambda 3 (headline 1)"])
    assert figure.get_suptitle().splitlines() == ["STAND-IN DATA: made up", "WHAT IF: lambda 3 (headline 1)"]
    svg = tmp_path / "a.svg"
    style.save(figure, svg, tmp_path / "a.png", {"title": "A title", "tables": "t.csv 1234", "more": "yes"})
    for fact in ("A title", "tables: t.csv 1234; more: yes"):
        assert fact in svg.read_text()
    plain, _ = plt.subplots()
    style.mark(plain, [])
    assert plain.get_suptitle() == ""


def test_nothing_half_written_stays(tmp_path):
    _draw(tmp_path, "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pdf", "a.png", "a.svg"]


def test_no_two_schedulers_share_a_colour():
    looks = [style.look(name) for name in {*style.LOOKS, *schedulers()}]
    assert len({look.colour for look in looks}) == len(looks)


def test_colours_of_guests_can_be_told_from_all_others_by_everybody():
    """A difference of 2 in L*a*b* is just noticeable side by side; in a figure it takes ten times as much."""
    style.introduce({f"guest-{at}": "" for at in range(6)})
    guests = [known.colour for name, known in style.known_looks().items() if name not in style.LOOKS]
    listed = [known.colour for known in style.LOOKS.values()]
    for eyes in EYES:
        pairs = [*combinations(guests, 2), *((one, other) for one in guests for other in listed)]
        assert min(np.linalg.norm(lab(one, eyes) - lab(other, eyes)) for one, other in pairs) > 20


@pytest.mark.parametrize("name", sorted(schedulers()))
def test_labels_are_the_schedulers_own(name):
    """The published numbers are found by label, so both must say the same."""
    assert style.look(name).label == schedulers()[name].label


def placed(axis: dict, value: float) -> float:
    low, high = axis["data"]
    first, last = axis["svg"]
    return first + (value - low) / (high - low) * (last - first)


def draw():
    style.use_style()
    drawn, (left, right) = plt.subplots(1, 2)
    left.plot([1.0, 2.0, 3.0], [5.0, 1.0, 4.0], "o-")
    left.set_xlim(0.0, 2.5)  # the last point lies outside
    right.bar(["a", "b"], [2.0, 7.0])
    return drawn


def test_marks_are_what_was_drawn(tmp_path):
    svg, marks = tmp_path / "a.svg", tmp_path / "a.json"
    style.save(draw(), svg, tmp_path / "a.png", {}, marks)
    drawn = json.loads(marks.read_text(encoding="utf-8"))
    assert drawn["marks"] == [[0, 1.0, 5.0], [0, 2.0, 1.0], [1, 0.4, 2.0], [1, 1.4, 7.0]]
    found = {(float(x), float(y)) for x, y in re.findall(r"[ML] ([\d.]+) ([\d.]+)", svg.read_text(encoding="utf-8"))}
    for which, *point in drawn["marks"]:
        x, y = (placed(drawn["axes"][which][axis], value) for axis, value in zip("xy", point, strict=True))
        assert any(abs(x - a) < 0.01 and abs(y - b) < 0.01 for a, b in found)


ROWS = pd.DataFrame(
    {"x": [1, 1, 2, 2], "scheduler": ["a", "a", "b", "b"], "value": [1.0, 3.0, 5.0, 9.0]}, index=[3, 2, 1, 0]
)
COLOURS = {"b": "#ff0000", "a": "#0000ff"}


def dots(ax):
    return np.concatenate([np.asarray(points.get_offsets()) for points in ax.collections])


def test_strips_show_every_instance_in_its_row(ax):
    """In the order of the colours, near the row's middle; mean and deviation 7 and 8 ** 0.5, 2 and 2 ** 0.5."""
    strips(ax, ROWS, "value", COLOURS)
    found = dots(ax)
    assert sorted(found[:, 0]) == [1.0, 3.0, 5.0, 9.0]
    assert np.abs(found[:, 1] - np.where(found[:, 0] > 4, 0, 1)).max() <= 0.12
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    means = {round(float(np.nanmean(line.get_xdata())), 9): line.get_color() for line in marks}
    assert {mean: to_hex(colour) for mean, colour in means.items()} == {7.0: "#ff0000", 2.0: "#0000ff"}
    ends = {tuple(np.round(np.unique(line.get_xdata()), 9)) for line in ax.lines if line.get_marker() != "o"}
    assert {(round(7 - 8**0.5, 9), round(7 + 8**0.5, 9)), (round(2 - 2**0.5, 9), round(2 + 2**0.5, 9))} <= {
        tuple(end[np.isfinite(end)]) for end in map(np.array, ends)
    }


def test_bars_are_means_with_their_instances(ax):
    """A group without instances of a series leaves its place empty."""
    bars(ax, ROWS.assign(x=ROWS["x"].astype(str)), "x", ["2", "1"], COLOURS)
    tall = [(round(bar.get_x() + bar.get_width() / 2, 9), bar.get_height()) for bar in ax.patches]
    assert tall == [(-0.2, 7.0), (1.2, 2.0)]
    assert sorted(dots(ax)[:, 1]) == [1.0, 3.0, 5.0, 9.0]


def test_words_in_a_heat_map_can_be_read(ax):
    """Dark cells have white words; a cell without a value has neither colour nor words."""
    values = pd.DataFrame([[0.0, 1.0], [np.nan, 0.5]])
    texts = pd.DataFrame([["a", "b"], ["", "d"]])
    heat(ax, values, texts, values.eq(1.0), "//", "white", {}, cmap="Greys", vmin=0.0, vmax=1.0)
    assert {text.get_text(): text.get_color() for text in ax.texts} == {"a": INK, "b": "white", "d": INK}
    assert [box.get_xy() for box in ax.patches] == [(1, 0)]
    assert ax.get_yticks().tolist() == [0.5, 1.5] and ax.get_ylim() == pytest.approx((2.0, 0.0))
