"""Figures for a paper: as wide as a column or a page, fonts inside, readable, the same bytes on every run."""

import re

import matplotlib.pyplot as plt
import pytest

from artifact.plot.paper import TALLEST, WIDTHS, lay_out, save_for_paper
from rarlib.plot.latex import latex
from rarlib.plot.style import use_style


def panels(columns=3, width=10.5):
    """Panels side by side with a shared axis, a legend below, and text that LaTeX would stumble over."""
    use_style()
    figure, axes = plt.subplots(1, columns, figsize=(width, 4), sharey=True, squeeze=False)
    for ax in axes[0]:
        lines = [ax.plot([1, 2, 3], [at, 1, 2], label=f"κ_{at} & 50 % of $10^2$")[0] for at in range(5)]
        ax.set(title="p99_jct", xlabel="time (s)")
    figure.legend(handles=lines, loc="outside lower center", ncols=5)
    return figure


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    return {path.name: path for path in save_for_paper(panels, folder / "x", ["WHAT IF: seeds 5"], {"Title": "A & B"})}


def test_both_widths(files):
    assert set(files) == {f"x-{width}.pdf" for width in WIDTHS}


@pytest.mark.parametrize("width", WIDTHS)
def test_a_pdf_is_as_wide_as_asked_and_holds_its_fonts(files, width):
    """Publishers refuse bitmap fonts (Type 3) and fonts that are not inside."""
    content = files[f"x-{width}.pdf"].read_bytes()
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", content)
    assert float(box[1]) == pytest.approx(WIDTHS[width] * 72, abs=0.01)
    assert b"/FontFile2" in content
    assert b"/Type3" not in content
    assert b"CreationDate" not in content


def test_the_same_figure_gives_the_same_bytes(files, tmp_path):
    for again in save_for_paper(panels, tmp_path / "x", ["WHAT IF: seeds 5"], {"Title": "A & B"}):
        assert again.read_bytes() == files[again.name].read_bytes(), again.name


@pytest.mark.parametrize("size", [(10.5, 30), (3, 16)])
def test_a_figure_that_does_not_fit_on_a_page_is_only_reduced(size):
    """Squeezed into it, its panels would overlap."""
    use_style()
    figure = plt.figure(figsize=size)
    figure.add_subplot()
    scale = lay_out(figure, WIDTHS["1col"])
    assert tuple(figure.get_size_inches()) == size
    assert size[0] * scale <= WIDTHS["1col"] + 1e-9
    assert size[1] * scale <= TALLEST + 1e-9


def test_reserved_characters_and_symbols():
    assert latex("50 % of a_b & {c}: λ ≤ 10²") == (
        r"50 \% of a\_b \& \{c\}: \ensuremath{\lambda} \ensuremath{\leq} 10\ensuremath{^2}"
    )
