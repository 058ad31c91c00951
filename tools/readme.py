"""The README's badges, and what came out of each paper, from the accepted ledger: `python -m tools.readme`."""

import tomllib
from urllib.parse import quote

from artifact.ledger.findings import findings
from artifact.ledger.ledger import read_ledger, tested
from rarlib import __version__
from rarlib.model.project import ROOT
from tools.reproducing import NAMES
from tools.section import Section

LEDGER = ROOT / "results/expected/claims.csv"
BADGES, FINDINGS = (Section("README.md", name, "tools.readme") for name in ("badges", "findings"))


def _told() -> list[tuple[str, str, str]]:
    """Label, text and linked file of each badge: version, Python, licence, and what the accepted ledger says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reproduced, count = tested(read_ledger(LEDGER))
    return [
        ("version", __version__, "docs/release-notes.md"),
        ("Python", project["requires-python"].replace(",", ", "), "pyproject.toml"),
        ("licence", project["license"], "LICENSE"),
        ("tested", f"{reproduced} of {count} reproduced", "results/expected/claims.csv"),
    ]


def badges() -> str:
    """The badges as Markdown, one on each line; an image's alternative text says what the image says."""
    return "\n".join(
        f"[![{label}: {text}](https://img.shields.io/badge/{_part(label)}-{_part(text)}-0072b2)]({file})"
        for label, text, file in _told()
    )


def _part(text: str) -> str:
    """Text as a part of a badge's address, where one hyphen or underscore would end or join the parts."""
    return quote(text.replace("-", "--").replace("_", "__"), safe="")


def found_by_paper() -> str:
    """A line of Markdown for each paper; what did not come out is in the report."""
    short = {one.paper: one.text.partition(" The rest:")[0] for one in findings(read_ledger(LEDGER))}
    return "\n".join(f"- **{NAMES.get(paper, paper.capitalize())}.** {text}" for paper, text in short.items())


if __name__ == "__main__":
    BADGES.write(badges())
    FINDINGS.write(found_by_paper())
