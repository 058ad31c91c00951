"""What came out of each paper, in the README, from the accepted ledger: `python -m tools.findings`."""

import sys
from pathlib import Path

from artifact.ledger.findings import findings
from artifact.ledger.ledger import read_ledger
from tools.reproducing import NAMES
from tools.section import Section

SECTION = Section("README.md", "findings", "tools.findings")
_ROOT = Path(__file__).resolve().parents[1]


def render(root: Path) -> str:
    """A line of Markdown for each paper; what did not come out is in the report."""
    found = findings(read_ledger(root / "results/expected/claims.csv"))
    short = {one.paper: one.text.partition(" The rest:")[0] for one in found}
    return "\n".join(f"- **{NAMES.get(paper, paper.capitalize())}.** {text}" for paper, text in short.items())


def main() -> int:
    """Write the section."""
    SECTION.write(render(_ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
