"""Executed notebooks as self-contained pages in the style of the report."""

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

import nbformat
from markupsafe import Markup
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from pygments.formatters import HtmlFormatter

from artifact.report.formulas import draw_formulas
from artifact.report.harmless import harmless, shown_only
from artifact.report.page import render
from artifact.report.tutorials import tutorials
from rarlib.model.files import write_text
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import ROOT, placed_file

_NO_ALT = 'alt="No description has been provided for this image"'
_HEADING_OR_PICTURE = re.compile(rf"<h[1-6] id=[^>]*>(.+?)<a class|{_NO_ALT}", re.DOTALL)
_SIBLING = re.compile(r"<code>([a-z0-9-]+)\.ipynb</code>")
_PARAMETERS = {"parameters", "injected-parameters"}
"""Tags of cells that stand at the end of a page, so that it opens with what it shows."""
_ELSEWHERE = re.compile(r'<a href="(?:\.\./)+([^"]+)">(.*?)</a>', re.DOTALL)


def write_pages(notebooks: Sequence[Path]) -> None:
    """Write `<name>.html` beside each executed notebook; pictures get the alt text of the figure of that name."""
    listed = yaml_file(placed_file("workflow/report/figures.yaml"))
    for path in notebooks:
        facts = listed.get(path.stem, {"title": path.stem, "alt": ""})
        body, parameters = _parts(path)
        body = body.replace(_NO_ALT, f'alt="{escape(facts["alt"])}"')
        _write(path, facts["title"], f"../report.html#{path.stem}", body, parameters)


def write_tutorials(notebooks: Sequence[Path]) -> None:
    """Write `<name>.html` beside each executed tutorial.

    The pages link to each other; the alt text of a picture names the heading above it. Other links lead to files that
    are not published with the pages, so they are replaced by paths in the project.

    Raises:
        InputError: the README of the tutorials does not describe one of them.
    """
    names = [path.stem for path in notebooks]
    titles = {tutorial.name: tutorial.title for tutorial in tutorials(names)}
    for path in notebooks:
        body, parameters = _parts(path)
        body = _ELSEWHERE.sub(r"\2 (<code>\1</code>)", _outline(body))
        body = _SIBLING.sub(lambda found: _link(found, titles), body)
        _write(path, titles[path.stem], "../../report.html#learn", body, parameters)


def _parts(path: Path) -> tuple[str, str]:
    """A notebook as HTML: what it shows, and the cells with its parameters."""
    notebook = shown_only(nbformat.read(path, as_version=4))
    last = [cell for cell in notebook.cells if _PARAMETERS.intersection(cell.metadata.get("tags", ()))]
    return _html(notebook, [cell for cell in notebook.cells if cell not in last]), _html(notebook, last)


@cache
def _exporter() -> HTMLExporter:
    return HTMLExporter(template_name="basic")  # compiles its templates, which takes longer than a notebook


def _html(notebook: NotebookNode, cells: list[NotebookNode]) -> str:
    if not cells:
        return ""
    body, _ = _exporter().from_notebook_node(NotebookNode({**notebook, "cells": cells}))
    # Parameters name files of the project; its path on this machine must not be published.
    return draw_formulas(harmless(str(body)).replace(f"{ROOT}/", ""))


def _outline(body: str) -> str:
    heading = ""

    def with_alt(found: re.Match[str]) -> str:
        nonlocal heading
        if found[1] is None:
            return f'alt="Picture of the section {heading}"'
        heading = re.sub("<.*?>", "", found[1]).strip()
        return found[0]

    return _HEADING_OR_PICTURE.sub(with_alt, body)


def _link(found: re.Match[str], titles: dict[str, str]) -> str:
    title = titles.get(found[1])
    return found[0] if title is None else f'<a href="{found[1]}.html">{escape(title)}</a>'


def _write(path: Path, title: str, back: str, body: str, parameters: str) -> None:
    light, dark = (HtmlFormatter(style=style).get_style_defs(".highlight") for style in ("default", "github-dark"))
    facts = {"title": title, "back": back, "notebook": path.name, "body": Markup(body)}
    facts["parameters"] = Markup(parameters)
    facts |= {"colours": Markup(light), "dark_colours": Markup(dark)}
    write_text(path.with_suffix(".html"), render("notebook.html.j2", facts))
