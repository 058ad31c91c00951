"""Sia's testbed of 44 GPUs in docs/measured.md, from accepted claims: `python -m tools.measured_testbed`."""

from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.evidence.ledger import read_ledger
from tools.section import Section

_ROOT = Path(__file__).resolve().parents[1]
SECTION = Section("measured.md", "testbed", "tools.measured_testbed")

PAIRS = {"Pollux": ("sia-289", "sia-290"), "Sia": ("sia-291", "sia-292"), "Gavel": ("sia-293", "sia-294")}
"""Policy -> claims of the mean completion that its authors simulated, and that they measured."""


def render(ledger: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        ledger: accepted claims, as `read_ledger` returns them.
    """
    rows = ledger.set_index("published")
    lines = ["| policy | measured, h | authors' simulator | ours |", "|---" * 4 + "|"]
    for policy, (simulated, machines) in PAIRS.items():
        measured, row = float(rows["value"][machines]), rows.loc[simulated]
        lines.append(f"| {policy} | {measured:g} | {_off(row['value'], measured)} | {_off(row['ours'], measured)} |")
    return "\n".join(lines)


def _off(hours: Any, measured: float) -> str:
    return f"{float(hours) / measured - 1.0:+.1%}"


def main() -> None:
    """Write the section."""
    SECTION.write(render(read_ledger(_ROOT / "results" / "expected" / "claims.csv")))


if __name__ == "__main__":
    main()
