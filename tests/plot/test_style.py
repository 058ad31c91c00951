"""The common look: schedulers can be told apart, files do not change between runs."""

import hashlib

import matplotlib.pyplot as plt
import pytest

from rarlib.discovery import schedulers
from rarlib.plot import style


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


def test_metadata_names_the_source(tmp_path):
    """A figure found on a slide must say what it was drawn from."""
    svg, png = _draw(tmp_path, "a")
    for text in (svg.read_text(), png.read_bytes().decode("latin-1")):
        assert "A title" in text
        assert "tables: fig.csv 0123" in text


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


def test_a_new_scheduler_gets_a_steady_look():
    """A scheduler that nobody listed has the same look in every figure and every process."""
    assert style.look("mine") == style.look("mine")
    assert style.look("mine").label == "mine"


def test_digests_follow_the_content(tmp_path):
    """The digest ties a figure to its table."""
    table = tmp_path / "t.csv"
    table.write_bytes(b"a,b\n")
    assert style.digests([table]) == f"t.csv {hashlib.sha256(b'a,b' + bytes([10])).hexdigest()[:12]}"


@pytest.mark.parametrize("name", sorted(schedulers()))
def test_labels_are_the_schedulers_own(name):
    """The published numbers are found by label, so both must say the same."""
    assert style.look(name).label == schedulers()[name].label
