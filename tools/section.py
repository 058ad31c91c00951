"""Sections of pages that tools make, each between two comments that name its tool."""

from pathlib import Path
from typing import NamedTuple

from rarlib.model.errors import InputError
from rarlib.model.files import write_text

_ROOT = Path(__file__).resolve().parents[1]
_README = "README.md"


class Section(NamedTuple):
    """A section of a page.

    Attributes:
        page: file name of the page in docs/, or README.md.
        name: of the section, in its comments.
        tool: the module that makes it.
    """

    page: str
    name: str
    tool: str

    @property
    def path(self) -> Path:
        """File of the page."""
        return _ROOT / self.page if self.page == _README else _ROOT / "docs" / self.page

    def stated(self) -> str:
        """What the page says now.

        Raises:
            InputError: the page has no place for the section.
        """
        return self._parts()[1].strip()

    def write(self, text: str) -> None:
        """Put a text in its place.

        Raises:
            InputError: the page has no place for the section.
        """
        before, _, after = self._parts()
        begin, end = self._comments()
        write_text(self.path, f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}")

    def _comments(self) -> tuple[str, str]:
        return f"<!-- {self.name}: begin (made by `python -m {self.tool}`) -->", f"<!-- {self.name}: end -->"

    def _parts(self) -> tuple[str, str, str]:
        begin, end = self._comments()
        before, found, rest = self.path.read_text(encoding="utf-8").partition(begin)
        within, ended, after = rest.partition(end)
        if not found or not ended:
            raise InputError(f"has no place between {begin} and {end}", file=self.path)
        return before, within, after
