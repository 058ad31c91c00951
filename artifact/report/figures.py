"""Figures of the report by section: thumbnail, alt text, caption, and the data and code behind each."""

import base64
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from artifact.report.sources import COMPUTED, RECORDED, STAND_IN, UsedSource, sources_of
from rarlib.declared import scheduler_module
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

SYNTHETIC = "synthetic"
_KEYS = {"title", "category", "tables", "caption", "alt"}
_SIZE = re.compile(rb'<svg[^>]*? width="([\d.]+)pt"')
_PX_PER_PT = 96 / 72
_THUMBNAIL = (320, 220)
"""Pixels of a thumbnail, across and down; of a taller picture it shows the upper part."""


@dataclass(frozen=True)
class Figure:
    """One figure as the report shows it."""

    name: str
    title: str
    caption: str
    alt: str
    thumbnail: str
    width: int
    data: str
    tables: list[str]
    sources: list[UsedSource]
    code: list[str]


@dataclass(frozen=True)
class Section:
    """The figures of one category, with a text that introduces them."""

    title: str
    anchor: str
    text: str
    cite: list[str]
    labels: dict[str, str]
    figures: list[Figure]

    @property
    def tables(self) -> list[str]:
        """Names of the tables behind the figures, each once."""
        return list(dict.fromkeys(name for figure in self.figures for name in figure.tables))


def check_figures(listed: Mapping[str, Mapping[str, Any]], file: Path) -> None:
    """Refuse an entry of `figures.yaml` that lacks a key or has an unknown one.

    Raises:
        InputError: names the figure and the key.
    """
    for name, entry in listed.items():
        if entry.keys() != _KEYS:
            odd = sorted(entry.keys() ^ _KEYS)[0]
            raise InputError("missing key" if odd in _KEYS else "unknown key", file=file, field=f"{name}.{odd}")


def sections(
    results: Path,
    listed: Mapping[str, Mapping[str, Any]],
    names: Sequence[str],
    passage: Sequence[Mapping[str, Any]],
    kept: Sequence[str] = (),
) -> list[Section]:
    """Figures by category: first the categories described in `passage`, in that order, then the others as they occur.

    `listed`: `figures.yaml`; `names`: figures that this run makes; `passage`: descriptions of categories, with
    `category`, `text`, `cite` and `labels`; `kept`: categories that have a section even without a figure.
    """
    by_category: dict[str, list[Figure]] = {str(entry["category"]): [] for entry in passage}
    for name in listed:
        if name in names:
            by_category.setdefault(listed[name]["category"], []).append(_figure(results, name, listed[name]))
    about = {entry["category"]: entry for entry in passage}
    return [
        Section(
            title=category,
            anchor=anchor(category),
            text=about.get(category, {}).get("text", ""),
            cite=list(about.get(category, {}).get("cite", [])),
            labels=dict(about.get(category, {}).get("labels", {})),
            figures=figures,
        )
        for category, figures in by_category.items()
        if figures or category in kept
    ]


def homes_of(papers: Iterable[str], shown: Sequence[Section]) -> dict[str, Section]:
    """Where the claims of each paper stand: the section with most of its tables, whose names begin with the paper's.

    A paper without such a section gets one of its own, without figures.
    """
    found = {}
    for paper in papers:
        owned = [sum(table.startswith(f"{paper}-") for table in section.tables) for section in shown]
        own = Section(paper, anchor(paper), "", [], {}, [])
        found[paper] = shown[owned.index(max(owned))] if any(owned) else own
    return found


def anchor(title: str) -> str:
    """A title as the id of a section."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def embedded(picture: bytes, kind: str = "svg+xml") -> str:
    """A picture as the address of an image that needs no file."""
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode()}"


def _thumbnail(png: Path) -> str:
    """A small picture of a figure as an address; few colours keep it small, and the same picture gives the same one."""
    across, down = _THUMBNAIL
    with Image.open(png) as picture:
        scaled = picture.convert("RGB").resize(
            (across, round(picture.height * across / picture.width)), Image.Resampling.LANCZOS
        )
    file = io.BytesIO()
    scaled.crop((0, 0, across, min(down, scaled.height))).quantize(64).save(file, "png", optimize=True)
    return embedded(file.getvalue(), "png")


def _figure(results: Path, name: str, entry: Mapping[str, Any]) -> Figure:
    svg = (results / "figures" / f"{name}.svg").read_bytes()
    size = _SIZE.search(svg)
    beside = [results / "tables" / f"{table}.json" for table in entry["tables"]]
    facts = [json.loads(path.read_text(encoding="utf-8")) for path in beside]
    sources = list(dict.fromkeys(source for fact in facts for source in sources_of(fact["traces"])))
    code = [file for table, fact in zip(entry["tables"], facts, strict=True) for file in code_of(table, fact["cells"])]
    return Figure(
        name=name,
        title=entry["title"],
        caption=entry["caption"],
        alt=entry["alt"],
        thumbnail=_thumbnail(results / "figures" / f"{name}.png"),
        width=round(float(size[1]) * _PX_PER_PT) if size else 800,
        data=kind_of(facts),
        tables=list(entry["tables"]),
        sources=sources,
        code=[f"notebooks/figures/{name}.ipynb", *dict.fromkeys(code)],
    )


def kind_of(facts: Sequence[Mapping[str, Any]]) -> str:
    """What tables rest on: stand-ins if any of them does, else recorded data, computed profiles, or nothing of these.

    `facts`: provenance of the tables.
    """
    kinds = {source.kind for fact in facts for source in sources_of(fact["traces"])}
    kinds |= {STAND_IN} if any(fact["standin"] for fact in facts) else set()
    return next((kind for kind in (STAND_IN, RECORDED, COMPUTED) if kind in kinds), SYNTHETIC)


def code_of(table: str, members: Sequence[str]) -> list[str]:
    """Paths in the project of the experiment that makes a table and of the schedulers among its members."""
    words = table.split("-")
    folders = ["_".join(words[:length]) for length in range(len(words) - 1, 0, -1)]
    experiment = [f"artifact/papers/{folder}/cells.py" for folder in folders]
    modules = [module for module in map(scheduler_module, members) if module]
    return [
        *[path for path in experiment if (ROOT / path).is_file()][:1],
        *(f"{module.replace('.', '/')}.py" for module in modules),
    ]
