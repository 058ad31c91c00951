"""The gallery of notebooks: thumbnails, notebooks/README.md and the gallery of the start page.

python -m tools.gallery                    # the pages
python -m tools.gallery results/figures    # also the thumbnails, from pictures that `make reproduce` has drawn
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml
from PIL import Image, ImageFilter

from artifact.report.tutorials import tutorials
from rarlib.model.errors import InputError
from rarlib.model.files import write_text

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
PICTURES = NOTEBOOKS / "pictures"
PAGE = NOTEBOOKS / "README.md"
START = NOTEBOOKS / "00-start-here.ipynb"
CELL = "gallery"
"""Id of the cell of the start page that shows one figure of each kind."""

ACROSS = 3
"""Notebooks beside each other."""

SIZE = (240, 160)
"""Pixels of a thumbnail, across and down; of a taller picture it shows the upper part."""

MOST = 8192
"""Bytes that a thumbnail may take."""

_QUESTION = re.compile(r"\*\*Question\.\*\*\s+(.+?)(?:\n\s*\n|\Z)", re.DOTALL)

_LINK = re.compile(r"\[(.+?)\]\([^)]*\)")

_HEAD = """\
# Notebooks

Every figure has a notebook that runs by itself, without a network: reproduce the figure, change what it rests on, cite
it. [Start here](00-start-here.ipynb) shows how, in JupyterLab (`make lab`). A notebook opens on the tables that
`make reproduce` has made, or else on the accepted results; what you change in it is simulated in seconds.

<!-- made by `python -m tools.gallery` -->
"""


class Entry(NamedTuple):
    """A notebook in the gallery.

    Attributes:
        section: heading under which it stands.
        path: below notebooks/, without suffix.
        title: of the figure or the notebook.
        question: that it answers.
    """

    section: str
    path: str
    title: str
    question: str

    @property
    def picture(self) -> Path:
        """Its thumbnail, which need not exist."""
        return PICTURES / f"{Path(self.path).name}.png"


def entries() -> list[Entry]:
    """All notebooks but the start page: figures in the order of the report, then those to explore and to learn."""
    return [*_figures(), *_explore(), *_learn()]


def _figures() -> Iterator[Entry]:
    listed, report = (_yaml(f"workflow/report/{name}.yaml") for name in ("figures", "report"))
    order = [section["category"] for section in report["sections"]]
    order += [about["category"] for about in listed.values()]
    for name, about in sorted(listed.items(), key=lambda item: order.index(item[1]["category"])):
        text = _text(f"figures/{name}")
        found = _QUESTION.search(text)
        # A notebook whose title is a question need not ask it twice.
        question = found[1] if found else text.splitlines()[0].removeprefix("# ")
        if "?" not in question:
            raise InputError("has no paragraph that starts with **Question.**", file=f"notebooks/figures/{name}.ipynb")
        yield Entry(str(about["category"]), f"figures/{name}", str(about["title"]), " ".join(question.split()))


def _explore() -> Iterator[Entry]:
    for path in sorted((NOTEBOOKS / "explore").glob("*.ipynb")):
        title, text = _text(f"explore/{path.stem}").removeprefix("# ").split("\n\n")[:2]
        yield Entry("Explore runs of your own", f"explore/{path.stem}", title, text.split(". ")[0].rstrip(".") + ".")


def _learn() -> Iterator[Entry]:
    for tutorial in tutorials(sorted(path.stem for path in (NOTEBOOKS / "learn").glob("*.ipynb"))):
        yield Entry("Learn the ideas", f"learn/{tutorial.name}", tutorial.title, tutorial.text)


def page(listed: list[Entry]) -> str:
    """Text of notebooks/README.md."""
    lines = [_HEAD]
    for section in dict.fromkeys(entry.section for entry in listed):
        cells = [
            f"[{_thumbnail(entry)}{_cell(entry.title)}]({entry.path}.ipynb)"
            for entry in listed
            if entry.section == section
        ]
        lines += [f"## {section}\n", *_table(cells), ""]
    return "\n".join(lines)


def start_cell(listed: list[Entry]) -> str:
    """Text of the start page's gallery: the first figure of each section of the report."""
    first: dict[str, Entry] = {}
    for entry in listed:
        if entry.path.startswith("figures/"):
            first.setdefault(entry.section, entry)
    cells = [f"{_shown(entry)}<br>**{section}.** {_cell(entry.question)}" for section, entry in first.items()]
    return "\n".join(_table(cells))


def _table(cells: list[str]) -> list[str]:
    """Lines of a table of Markdown with as many columns as a gallery has."""
    rows = [cells[i : i + ACROSS] for i in range(0, len(cells), ACROSS)]
    return ["|   " * ACROSS + "|", "|---" * ACROSS + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def filled(notebook: str, listed: list[Entry]) -> str:
    """The start page, as JSON, with its gallery."""
    content = json.loads(notebook)
    cell = next(cell for cell in content["cells"] if cell["id"] == CELL)
    cell["source"] = start_cell(listed).splitlines(keepends=True)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def shrink(picture: Path, to: Path) -> None:
    """Write a thumbnail with few colours, as many as its bytes allow."""
    with Image.open(picture) as whole:
        upper = whole.convert("RGB").crop((0, 0, whole.width, min(whole.height, whole.width * SIZE[1] // SIZE[0])))
    upper.thumbnail(SIZE, Image.Resampling.LANCZOS)
    small = upper.filter(ImageFilter.UnsharpMask(1, 100, 0))  # thin lines would fade
    for colours in (64, 32, 16, 8, 4):
        small.quantize(colours, dither=Image.Dither.NONE).save(to, optimize=True)
        if to.stat().st_size <= MOST:
            return


def _thumbnail(entry: Entry) -> str:
    """The picture above a title, which describes it."""
    return f"![](pictures/{entry.picture.name})<br>" if entry.picture.is_file() else ""


def _shown(entry: Entry) -> str:
    title = _cell(entry.title)
    if not entry.picture.is_file():
        return f"[{title}]({entry.path}.ipynb)"
    return f"[![{title}](pictures/{entry.picture.name})]({entry.path}.ipynb)"


def _cell(text: str) -> str:
    """A text inside a table of Markdown; its links, which lead from elsewhere, become words."""
    return _LINK.sub(r"\1", text).replace("|", "\\|").replace("\n", " ")


def _text(name: str) -> str:
    """Markdown of a notebook."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def _yaml(file: str) -> dict:
    return dict(yaml.safe_load((ROOT / file).read_text(encoding="utf-8")))


def main(figures: Path | None) -> None:
    """Write the pages, and the thumbnails of the figures in a folder."""
    listed = entries()
    if figures:
        PICTURES.mkdir(exist_ok=True)
        for drawn in (*figures.glob("*.png"), *(NOTEBOOKS / "learn" / "pictures").glob("*.png")):
            if drawn.stem in {Path(entry.path).name for entry in listed}:
                shrink(drawn, PICTURES / drawn.name)
    write_text(PAGE, page(listed))
    write_text(START, filled(START.read_text(encoding="utf-8"), listed))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
