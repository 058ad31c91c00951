"""Figures for a paper: PDF with fonts inside, as wide as one or two columns.

A figure is drawn as on the screen, laid out again on a page that is narrower, and reduced as a whole, so that text
and lines keep their proportions. Panels that no longer fit side by side go below each other. The same figure gives the
same bytes.
"""

import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_pdf import Op, PdfFile, RendererPdf
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from matplotlib.text import Text

from rarlib.plot import style

WIDTHS = {"1col": 3.33, "2col": 7.0}
"""Widths of a column and of a page of two columns, inches."""

TALLEST = 8.6
"""Height of a page's text, inches."""

_SMALLEST_PT = 5.0
_SCALES = (0.63, 0.84)
"""Reduction of a figure whose text has 9.5 points: to 6 points at least, to 8 at most."""
_NARROWEST = 0.75
"""Panels may shrink to this share of their width before they go below each other."""
_ROW = 0.7
"""Height that another row of panels adds, as a share of the figure's; legend and title are there once."""
_LETTERS_PER_INCH = 10.5
"""Of a remark above a figure, before reduction."""

_COLUMNS = 6
"""Columns of a legend, at most."""
_TOO_TALL = 1.25
"""A figure that would be taller than a page by this factor is only reduced, too."""
_NEAR = 0.02
"""Share of the figure's width that counts as nothing."""
_SHORTEST = 20
"""Letters of a line, at least."""


def save_for_paper(
    draw: Callable[[], Figure], stem: Path, remarks: Sequence[str] = (), facts: Mapping[str, str] | None = None
) -> list[Path]:
    """Write STEM-1col.pdf and STEM-2col.pdf.

    Args:
        draw: makes the figure.
        stem: path of the files without their ends.
        remarks: what sets the figure apart from the headline, stated above it.
        facts: metadata of the PDF: Title, Subject.

    Returns:
        The files.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    written = []
    for name, width in WIDTHS.items():
        figure, scale = _laid_out(draw, width, remarks)
        path = stem.with_name(f"{stem.name}-{name}.pdf")
        _save_pdf(figure, path, scale, facts or {})
        plt.close(figure)
        written.append(path)
    return written


def _laid_out(draw: Callable[[], Figure], width: float, remarks: Sequence[str]) -> tuple[Figure, float]:
    """A figure laid out for a width; one that has no space for its labels there is only reduced."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "constrained_layout not applied")
        try:
            figure = draw()
            return figure, lay_out(figure, width, remarks)
        except UserWarning:
            plt.close(figure)
    figure = draw()
    return figure, lay_out(figure, width, remarks, reduced=True)


def lay_out(figure: Figure, width: float, remarks: Sequence[str] = (), *, reduced: bool = False) -> float:
    """Lay a figure out for a width, with its remarks; the layout is then fixed.

    Args:
        figure: the figure, which is changed.
        width: at most, in inches, after reduction.
        remarks: stated above the figure.
        reduced: whether the figure is only reduced, whatever becomes of the size of its text.

    Returns:
        The factor by which the figure still has to be reduced.
    """
    wide, tall = figure.get_size_inches()
    scale = min(max(width / wide, _SCALES[0]), _SCALES[1])
    columns = _columns(figure, width / scale / wide)
    rows = 1 + _ROW * (-(-len(figure.axes) // columns) - _grid(figure)[0]) if columns else 1.0
    if reduced or tall * rows * scale > _TOO_TALL * TALLEST:
        scale = min(width / wide, TALLEST / tall)
    else:
        if columns:
            _restack(figure, columns)
        figure.set_size_inches(width / scale, min(tall * rows, TALLEST / scale))
        for text in figure.findobj(Text):
            text.set_fontsize(max(text.get_fontsize(), _SMALLEST_PT / scale))
    letters = int(figure.get_size_inches()[0] * _LETTERS_PER_INCH)
    style.mark(figure, [textwrap.fill(text, letters) for text in remarks])
    _narrow_legends(figure)
    _wrap(figure)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return scale


def _grid(figure: Figure) -> tuple[int, int]:
    """Rows and columns of a figure whose panels are the cells of one grid, else (0, 0)."""
    specs = [ax.get_subplotspec() for ax in figure.axes]
    grids = {spec.get_gridspec() for spec in specs if spec is not None}
    plain = len(grids) == 1 and all(spec is not None and spec.num1 == spec.num2 for spec in specs)
    grid = next(iter(grids), None)
    return (grid.nrows, grid.ncols) if plain and grid is not None else (0, 0)


def _columns(figure: Figure, share: float) -> int:
    """Columns that a grid of panels should have if its width shrinks to this share; 0: leave it."""
    columns = _grid(figure)[1]
    return max(1, int(columns * share + 0.25)) if columns > 1 and share <= _NARROWEST else 0


def _restack(figure: Figure, columns: int) -> None:
    """Put the panels into fewer columns; each shows tick labels that a neighbour showed for it."""
    grid = GridSpec(-(-len(figure.axes) // columns), columns, figure=figure)
    for at, ax in enumerate(figure.axes):
        ax.set_subplotspec(grid[at // columns, at % columns])
        ax.tick_params(labelbottom=True, labelleft=True)


def _narrow_legends(figure: Figure) -> None:
    """Legends of the whole figure go below it, in as many columns as fit."""
    ruler, free = RendererAgg(1, 1, figure.dpi), figure.bbox.width
    for legend in list(figure.legends):
        if legend.get_window_extent(ruler).width <= free:
            continue
        handles, labels = (
            [h for h in legend.legend_handles if h is not None],
            [text.get_text() for text in legend.get_texts()],
        )
        kept: dict[str, Any] = {
            "title": legend.get_title().get_text(),
            "fontsize": legend.get_texts()[0].get_fontsize(),
        }
        legend.remove()
        for columns in range(min(len(labels), _COLUMNS), 0, -1):
            new = figure.legend(handles, labels, loc="outside lower center", ncols=columns, **kept)
            if new.get_window_extent(ruler).width <= free or columns == 1:
                break
            new.remove()


def _wrap(figure: Figure) -> None:
    """Break titles and remarks that begin at the left of a panel and are longer than it is wide."""
    remarks = [(ax, text) for ax in figure.axes for text in ax.get_children() if isinstance(text, Text)]
    for _, text in remarks:
        text.set_in_layout(False)  # otherwise the panel would shrink to make space for them
    figure.draw_without_rendering()
    for ax, text in remarks:
        box, panel = text.get_window_extent(), ax.get_window_extent()
        begins = abs(box.x0 - panel.x0) < _NEAR * figure.bbox.width and text.get_rotation() == 0
        if begins and box.x1 > panel.x1 + _NEAR * figure.bbox.width:
            letters = int(len(text.get_text()) * panel.width / box.width)
            text.set_text(textwrap.fill(text.get_text(), max(letters, _SHORTEST)))
        text.set_in_layout(True)


def _save_pdf(figure: Figure, path: Path, scale: float, facts: Mapping[str, str]) -> None:
    """As Matplotlib's canvas does it, with a page whose content is reduced; text as TrueType fonts, subsets inside."""
    wide, tall = figure.get_size_inches()
    metadata = {**facts, "Creator": "rarlib", "Producer": None, "CreationDate": None}
    part = path.with_name(f".{path.name}.part")
    with mpl.rc_context({"pdf.fonttype": 42}):
        figure.dpi = 72
        file = PdfFile(str(part), metadata=metadata)
        try:
            file.newPage(wide * scale, tall * scale)
            file.width, file.height = wide, tall  # marks beyond are left out
            file.output(scale, 0, 0, scale, 0, 0, Op.concat_matrix)
            renderer: Any = MixedModeRenderer(figure, wide, tall, 300, RendererPdf(file, 300, tall, wide))
            figure.draw(renderer)
            renderer.finalize()
            file.finalize()
        finally:
            file.close()
    part.replace(path)
