"""The style of all figures: a colour and a marker per scheduler, and files with the same bytes on every run."""

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from rarlib.model.files import write_text, written
from rarlib.model.foreign import printable
from rarlib.plot.marks import marks_of

INK, MUTED, GRID, ALARM = "#222222", "#767676", "#e4e4e4", "#d55e00"

_FONT, _SIMILAR = "DejaVu Sans", "Verdana, Geneva, sans-serif"
"""Font of all figures, and what a machine without it shows text in: its letters are as wide as those of Verdana."""

TAG: dict[str, Any] = {"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.85}
"""Box behind text that lies on top of marks."""

_LONGEST = 60
"""Characters of a name that a picture shows."""

_FREE_COLOURS = ("#0000ff", "#88dd88", "#7766ff", "#223300", "#550055", "#3311bb")
"""Far from each other and from all in `LOOKS`, for colour-blind readers too."""

_FREE_MARKERS = ("H", "*", "8", "X")


_CLIP = re.compile(r'<clipPath id="(p[0-9a-f]{10})">(.*?)</clipPath>', re.DOTALL)
_FAMILY = re.compile(rf"font-family: '({_FONT}[^']*)'")


class Look(NamedTuple):
    """How a scheduler is drawn.

    Attributes:
        label: what figures call it.
        colour: as `#rrggbb`.
        marker: of Matplotlib.
    """

    label: str
    colour: str
    marker: str


LOOKS = {
    "sjf-bco": Look("SJF-BCO", "#0072b2", "o"),
    "list-scheduling": Look("LS", "#e69f00", "s"),
    "first-fit": Look("FF", "#009e73", "^"),
    "random": Look("RAND", "#d55e00", "D"),
    "fifo": Look("FIFO", "#5c6b73", "o"),
    "fifo-backfill": Look("FIFO, backfilled", "#56b4e9", "v"),
    "sjf": Look("SJF", "#cc79a7", "P"),
    "srtf": Look("SRTF", "#8c6d31", "X"),
    "las": Look("LAS", "#332288", "h"),
    "drf": Look("DRF", "#ddaa33", "s"),
    "gadget": Look("GADGET", "#117733", "p"),
    "aiturbo": Look("AITurbo", "#882255", "<"),
    "sia": Look("Sia", "#aa4499", ">"),
    "pollux": Look("Pollux", "#44aa99", "d"),
    "gavel": Look("Gavel", "#999933", "8"),
    "themis": Look("Themis", "#4477aa", "s"),
    "shockwave": Look("Shockwave-style", "#bb5566", "^"),
    "optimus": Look("Optimus", "#88ccee", "v"),
    "tiresias": Look("Tiresias", "#ccbb44", "h"),
    "concert": Look("Concert", "#ee3377", "*"),
    "requested": Look("As requested", "#aaaaaa", "o"),
    "backfill": Look("Backfill, reserved", "#117799", "^"),
    "pipedream": Look("PipeDream", "#cc6677", "*"),
    "best-known": Look("Best known", "#222222", "*"),
}
"""Colours of Okabe and Ito and of Tol's muted scheme, made for colour-blind readers; markers help to tell so many."""

_FREE = [(colour, marker) for marker in _FREE_MARKERS for colour in _FREE_COLOURS]

_introduced: dict[str, Look] = {}


def introduce(labels: Mapping[str, str]) -> None:
    """Give schedulers that are not listed looks of their own: as many colours as there are, then other markers.

    A look follows from the scheduler's name, except that no two get the same one; the last ones by name make way.

    Args:
        labels: what figures call each scheduler, by name; listed ones keep their looks.
    """
    called = {name: known.label for name, known in _introduced.items()} | dict(labels)
    _introduced.clear()
    for name in sorted(called.keys() - LOOKS.keys()):
        taken = [(other.colour, other.marker) for other in _introduced.values()]
        first = _place(name)
        turned = _FREE[first:] + _FREE[:first]
        colour, marker = min(turned, key=lambda free: (taken.count(free), sum(free[0] == used for used, _ in taken)))
        _introduced[name] = Look(called[name], colour, marker)


def known_looks() -> dict[str, Look]:
    """Looks of the schedulers that are listed or have been introduced, by name."""
    return {**LOOKS, **_introduced}


def look(scheduler: str) -> Look:
    """The look of a scheduler. One that nobody has introduced gets a look derived from its name.

    Args:
        scheduler: its name.
    """
    return known_looks().get(scheduler) or Look(scheduler, *_FREE[_place(scheduler)])


def _place(scheduler: str) -> int:
    return zlib.crc32(scheduler.encode()) % len(_FREE_COLOURS)


def use_style() -> None:
    """Set the defaults for all figures drawn from now on."""
    mpl.rcParams.update(
        {
            "figure.dpi": 110,
            "savefig.dpi": 200,
            "figure.constrained_layout.use": True,
            "font.family": _FONT,
            "font.size": 9.5,
            "axes.titlesize": 10.5,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.labelcolor": INK,
            "axes.edgecolor": MUTED,
            "axes.linewidth": 0.8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": GRID,
            "grid.linewidth": 0.8,
            "text.color": INK,
            "xtick.color": INK,
            "ytick.color": INK,
            "xtick.major.size": 3,
            "ytick.major.size": 3,
            "legend.frameon": False,
            "legend.fontsize": 9,
            "lines.linewidth": 1.8,
            "svg.hashsalt": "rarlib",
            "svg.fonttype": "none",
        }
    )


def note(ax: Axes, text: str) -> None:
    """A small remark under the title of a panel."""
    ax.annotate(
        text, (0, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points", color=MUTED, fontsize=8.5
    )


def log_axis(ax: Axes) -> None:
    """Make the horizontal axis logarithmic, with plain numbers at 1, 2 and 5."""
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()


def mark(figure: Figure, remarks: Sequence[str]) -> None:
    """State above the figure what sets it apart from the headline, each remark on as many lines as it needs."""
    if remarks:
        letters = int(10.5 * figure.get_figwidth())
        text = "\n".join(line for remark in remarks for line in wrap(remark, letters))
        figure.suptitle(text, color="white", fontsize=10.5, fontweight="bold", backgroundcolor=ALARM)


def digests(paths: Iterable[str | Path]) -> str:
    """Names and SHA-256 digests (first 12 digits) of the tables a figure is drawn from."""
    files = [Path(path) for path in paths]
    return ", ".join(f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()[:12]}" for file in files)


def save(
    figure: Figure,
    svg: str | Path,
    png: str | Path,
    provenance: Mapping[str, Any],
    marks: str | Path | None = None,
) -> None:
    """Write a figure as SVG, whose text is text, and as PNG; the same figure gives the same bytes.

    Args:
        figure: the figure.
        svg: path of the SVG; its metadata hold title and provenance.
        png: path of the PNG.
        provenance: `title`, and the data that the figure was drawn from.
        marks: path of the numbers behind the marks of the SVG, see `rarlib.plot.marks`; None for none.

    Raises:
        InputError: when a file cannot be written.
    """
    title = str(provenance.get("title", ""))
    source = "; ".join(f"{key}: {value}" for key, value in provenance.items() if key != "title")
    metadata = {
        "svg": {"Title": title, "Source": source, "Creator": "rarlib", "Date": None},
        "png": {"Title": title, "Source": source, "Software": None},
    }
    for path in (Path(svg), Path(png)):
        kind = path.suffix[1:]
        with written(path) as part:
            figure.savefig(part, format=kind, metadata=metadata[kind])
            if kind == "svg":
                text = _FAMILY.sub(rf"font-family: '\1', {_SIMILAR}", part.read_text(encoding="utf-8"))
                write_text(part, _named_by_shape(text))
        figure.set_layout_engine("none")  # what comes later keeps the layout of the SVG
        if kind == "svg" and marks is not None:
            write_text(Path(marks), json.dumps(marks_of(figure), separators=(",", ":")) + "\n")


def _named_by_shape(svg: str) -> str:
    """Name clip paths after what is printed; Matplotlib's names hold the layout's last digits, which differ by run."""
    for name, shape in _CLIP.findall(svg):
        svg = svg.replace(name, f"p{hashlib.sha256(shape.encode()).hexdigest()[:10]}")
    return svg


def save_pdf(figure: Figure, path: str | Path, metadata: Mapping[str, str]) -> None:
    """Write a figure as PDF with its fonts inside; the same figure gives the same bytes.

    Raises:
        InputError: when the file cannot be written.
    """
    facts = {**metadata, "Creator": "rarlib", "Producer": None, "CreationDate": None}
    with written(Path(path)) as part, mpl.rc_context({"pdf.fonttype": 42}):
        figure.savefig(part, format="pdf", metadata=facts)


def literal(text: object) -> str:
    """Text that an input chose, as part of a picture: short, without control characters, `$` no mathematics."""
    shown = printable(text)
    return (shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…").replace("$", r"\$")
