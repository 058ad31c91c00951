"""List the result tables in which more random instances could still change a verdict: `python -m tools.seeds`.

The number of instances of an experiment (`seeds` in config/config.yaml) follows from this list: more where a verdict is
not settled, up to `ENOUGH_SEEDS`, and fewer where all are.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from rarlib.evidence.claims import Claim, read_claims
from rarlib.evidence.ledger import read_ledger
from rarlib.evidence.outcome import Outcome
from rarlib.evidence.published import read_listed
from rarlib.evidence.settled import ENOUGH_SEEDS, NO, seeds_needed
from rarlib.evidence.verdicts import allowed
from rarlib.model.project import ROOT


def unsettled(ledger: pd.DataFrame, claims: Mapping[str, Claim]) -> pd.DataFrame:
    """Claims whose verdict more instances could change, with the number that would settle it if the spread stays.

    Args:
        ledger: as read from a results folder.
        claims: by id.

    Returns:
        A row per claim: tables, id, seeds, `needed` (infinite on the edge of a tolerance, NaN for statements).
    """
    rows = []
    for row in ledger[ledger["settled"] == NO].to_dict("records"):
        claim, seeds = claims[row["published"]], int(row["seeds"])
        needed = float("nan")
        if row["spread"]:
            value = float(row["value"])
            needed = seeds_needed(
                Outcome(float(row["ours"]), float(row["spread"]), seeds), value, allowed(claim, value)
            )
        rows.append((row["evidence"], row["published"], seeds, needed))
    return pd.DataFrame(rows, columns=["tables", "claim", "seeds", "needed"])


def main(results: Annotated[Path, typer.Argument(help="Results folder.")] = Path("results")) -> None:
    """Print the tables with verdicts that are not settled."""
    listed = read_listed(ROOT / "data")
    found = unsettled(read_ledger(results / "claims.csv"), read_claims(ROOT / "config/claims", set(listed["id"])))
    print(
        f"Verdicts that more instances could change, and the instances that would settle them ({ENOUGH_SEEDS} at most):"
    )
    for tables, own in found.groupby("tables", sort=False):
        names = [
            f"{claim} ({'?' if pd.isna(needed) else f'{needed:.0f}'})"
            for claim, needed in own[["claim", "needed"]].to_numpy()
        ]
        print(f"{tables}, {own['seeds'].max()} now: {', '.join(names)}")


if __name__ == "__main__":
    typer.run(main)
