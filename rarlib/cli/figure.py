"""`rarlib figure`: a figure of a tidy table, ours or of an installed package."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rarlib.cli.options import Force
from rarlib.cli.text import say
from rarlib.model.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd


def figure(
    name: Annotated[str | None, typer.Argument(help="A figure; without it, all are listed.")] = None,
    table: Annotated[list[Path] | None, typer.Option(help="Tidy CSV file; if repeated, rows are joined.")] = None,
    out: Annotated[Path | None, typer.Option(help="Picture; NAME.svg and NAME.png are written.")] = None,
    force: Force = False,
) -> None:
    """Draw a figure of a tidy table, such as the one that `rarlib compare` writes."""
    from rarlib.comparison.figures import figure_names
    from rarlib.records.outputs import check_outputs
    from rarlib.records.tidy import join_tables

    if name is None:
        print("\n".join(figure_names()))
        return
    check_figure(name)
    if not table or out is None:
        raise InputError("needs a table and a picture to write", file="--table" if not table else "--out")
    pictures = picture_files(out)
    check_outputs(pictures, list(table), force=force)
    write_figure(name, join_tables(table), pictures, {path.name: path for path in table})
    say(f"written to {pictures[0]} and {pictures[1].name}")


def picture_files(path: Path) -> list[Path]:
    """The SVG and the PNG of a picture.

    Raises:
        InputError: for a path that names no file.
    """
    try:
        return [path.with_suffix(".svg"), path.with_suffix(".png")]
    except ValueError:
        raise InputError("names no file", file=path) from None


def check_figure(name: str) -> None:
    """Refuse an unknown figure before any work.

    Raises:
        InputError: lists the known ones.
    """
    from rarlib.comparison.figures import figure_names

    known = figure_names()
    if name not in known:
        rule = f"unknown figure {name!r}{did_you_mean(name, known)}; known: {', '.join(known)}"
        raise InputError(rule, field="figure")


def write_figure(name: str, frame: "pd.DataFrame", files: Sequence[Path], tables: Mapping[str, Path]) -> None:
    """Draw a figure and write it as SVG and PNG, with the digests of its tables."""
    import matplotlib.pyplot as plt

    from rarlib.comparison.figures import drawn_figure
    from rarlib.plot.style import save
    from rarlib.records.tidy import sha256

    made = drawn_figure(name, frame)
    try:
        svg, png = files
        save(made, svg, png, {"title": name} | {each: sha256(path) for each, path in tables.items()})
    finally:
        plt.close(made)
