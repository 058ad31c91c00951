"""The tutorial notebooks, as their README describes them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

README = ROOT / "notebooks" / "learn" / "README.md"
_ENTRY = re.compile(r"^## \[\d+ (.+?)\]\((.+?)\.ipynb\)\n\n(.+?)\n\n!\[(.+?)\]", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Tutorial:
    """One tutorial notebook.

    Attributes:
        text: what it is about.
        alt: what its picture shows.
    """

    name: str
    title: str
    text: str
    alt: str


def tutorials(names: Sequence[str], readme: Path = README) -> list[Tutorial]:
    """The tutorials of the given names, in the order of the README.

    Raises:
        InputError: the README does not describe one of them.
    """
    if not names:
        return []
    found = {
        name: Tutorial(name, title, " ".join(text.split()), alt)
        for title, name, text, alt in _ENTRY.findall(readme.read_text(encoding="utf-8"))
    }
    for name in names:
        if name not in found:
            raise InputError(f"does not describe {name}", file=readme)
    return [tutorial for name, tutorial in found.items() if name in names]
