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


def test_finish_marks_stand_ins_and_names_what_was_drawn(tmp_path):
    """The last step of every notebook: warning on the figure, tables and published numbers in the file."""
    style.use_style()
    figure, _ = plt.subplots()
    (tmp_path / "t.csv").write_text("1")
    (tmp_path / "p.csv").write_text("2")
    svg, png = tmp_path / "a.svg", tmp_path / "a.png"
    style.finish(figure, "A title", svg, png, [tmp_path / "t.csv"], tmp_path / "p.csv", standin="made up", more="yes")
    assert figure.get_suptitle() == "STAND-IN DATA: made up"
    for fact in ("A title", f"tables: {style.digests([tmp_path / 't.csv'])}; published: p.csv ", "more: yes"):
        assert fact in svg.read_text()
    plain, _ = plt.subplots()
    style.finish(plain, "A title", svg, png)
    assert plain.get_suptitle() == ""
    assert "tables" not in svg.read_text()


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


def test_a_stand_in_is_named_on_the_figure(tmp_path):
    """A figure drawn from made-up jobs must never pass for one of recorded jobs."""
    figure, _ = plt.subplots()
    style.mark_standin(figure)
    assert figure.get_suptitle().startswith("STAND-IN DATA")
    plt.close(figure)
