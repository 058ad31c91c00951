"""CASSINI's choice among placements beside the best of them: `python -m tools.fabric_placements`.

Writes results/expected/fabric-placements.csv and a section of docs/fabric.md. Takes five minutes.
"""

from pathlib import Path

import pandas as pd

from rarlib.fabric.placement_choice import PlacementOutcome, candidate_cases, choice_outcome
from rarlib.fabric.policies.cassini import MOST_PLACEMENTS, Cassini
from rarlib.model.files import write_text
from tools.section import Section

TABLE = Path(__file__).resolve().parents[1] / "results" / "expected" / "fabric-placements.csv"
SECTION = Section("fabric.md", "placements", "tools.fabric_placements")
_CASES, _NOISE = 20, 0.05
_SETS = {"2 jobs, periods of 0.5 s": (2, (0.5,)), "3 jobs, periods of 0.25, 0.5 or 1 s": (3, (0.25, 0.5, 1.0))}


def outcomes() -> pd.DataFrame:
    """Every case, a row each."""
    found = [
        (what, number, *choice_outcome(candidate_cases(0, number, jobs, periods_s, _NOISE), Cassini()))
        for what, (jobs, periods_s) in _SETS.items()
        for number in range(_CASES)
    ]
    return pd.DataFrame(found, columns=["jobs", "case", *PlacementOutcome._fields])


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns jobs, case, and those of `PlacementOutcome`.
    """
    lines = [
        f"Utilisation, % of that of the best of {MOST_PLACEMENTS} placements:",
        "",
        "| jobs | cases | chosen by score: mean (least) | any of them: mean | within 1 % of the best |",
        "|---" * 5 + "|",
    ]
    for what, rows in table.groupby("jobs", sort=False):
        chosen, close = 100 * rows["chosen"], int((rows["chosen"] >= 0.99).sum())
        lines.append(
            f"| {what} | {len(rows)} | {chosen.mean():.1f} ({chosen.min():.1f}) | {100 * rows['any_'].mean():.1f} "
            f"| {close} of {len(rows)} |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    """Run, and write the table and the section."""
    table = outcomes()
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6f"))
    SECTION.write(render(table))


if __name__ == "__main__":
    main()
