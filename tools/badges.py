"""The README's badges, from what the project itself says: `python -m tools.badges`."""

import sys
import tomllib
from pathlib import Path
from urllib.parse import quote

from artifact.ledger.ledger import read_ledger, tested
from rarlib import __version__
from tools.section import Section

SECTION = Section("README.md", "badges", "tools.badges")
_ROOT = Path(__file__).resolve().parents[1]


def badges(root: Path) -> list[tuple[str, str, str]]:
    """Label, text and linked file of each badge: version, Python, licence, and what the accepted ledger says."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reproduced, count = tested(read_ledger(root / "results/expected/claims.csv"))
    return [
        ("version", __version__, "docs/release-notes.md"),
        ("Python", project["requires-python"].replace(",", ", "), "pyproject.toml"),
        ("licence", project["license"], "LICENSE"),
        ("tested", f"{reproduced} of {count} reproduced", "results/expected/claims.csv"),
    ]


def render(root: Path) -> str:
    """The badges as Markdown, one on each line; an image's alternative text says what the image says."""
    return "\n".join(
        f"[![{label}: {text}](https://img.shields.io/badge/{_part(label)}-{_part(text)}-0072b2)]({file})"
        for label, text, file in badges(root)
    )


def _part(text: str) -> str:
    """Text as a part of a badge's address, where one hyphen or underscore would end or join the parts."""
    return quote(text.replace("-", "--").replace("_", "__"), safe="")


def main() -> int:
    """Write the badges into the README."""
    SECTION.write(render(_ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
