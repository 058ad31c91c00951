"""The common look: schedulers can be told apart, files do not change between runs."""

import re
from itertools import combinations
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from rarlib.discovery import schedulers
from rarlib.plot import style

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
    plt.close(figure)
    return svg, png


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    """A date, a random id or a version in the file would make every run look like a change."""
    for first, second in zip(_draw(tmp_path, "a"), _draw(tmp_path, "b"), strict=True):
        assert first.read_bytes() == second.read_bytes()


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
    """Files appear by renaming; no temporary file is left behind."""
    _draw(tmp_path, "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "a.svg"]


def test_no_two_schedulers_share_a_colour():
    """One colour per scheduler everywhere: a shared one would suggest a kinship between figures."""
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
