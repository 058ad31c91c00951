"""Own statements of the arena by heads counted on a server, beside the fast law: `python -m tools.arena_laws`.

Runs the arena as config/config.yaml declares it, with `k` and `k+0.3` in the place of its base, the fast law, and
judges each statement by the same formula. Verdicts under the fast law are those of results/expected/claims.csv. Writes
results/expected/arena-laws.csv. Takes a quarter of an hour.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import yaml

from artifact.arena.cells import run_cell
from artifact.arena.inputs import profile_set
from artifact.ledger.claims import Claim, read_claims
from artifact.ledger.laws import grid_counted, laws_table
from artifact.ledger.ledger import read_ledger
from artifact.ledger.published import OWN, read_listed
from artifact.run.members import members
from rarlib.model.files import write_text

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "expected" / "arena-laws.csv"
_PROCESSES = 2


def runs() -> tuple[pd.DataFrame, bool]:
    """Tidy runs of the arena by heads counted on a server, and whether any of their jobs were drawn."""
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    section, made = config["experiments"]["arena"], profile_set("arena", config["profiles"]["arena"])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "arena.json"
        write_text(file, json.dumps(made.data))
        with ProcessPoolExecutor(_PROCESSES) as pool:
            found = list(pool.map(partial(_cell, grid_counted(section), file), members(section, "runs")))
    return pd.concat(found, ignore_index=True), any(family["standin"] for family in made.data["traces"].values())


def _cell(section: dict[str, Any], file: Path, member: str) -> pd.DataFrame:
    found = run_cell("runs", member, section, file)
    print(member, len(found), flush=True)
    return found


def own() -> tuple[pd.DataFrame, dict[str, Claim]]:
    """Accepted rows of the own statements, and how each is answered."""
    accepted = read_ledger(ROOT / "results" / "expected" / "claims.csv")
    claims = read_claims(ROOT / "config" / "claims", set(read_listed(ROOT / "data")["id"]))
    return accepted[accepted["trust"] == OWN], claims


def main() -> None:
    """Run, and write the table."""
    found, standin = runs()
    table = laws_table(*own(), found, standin=standin)
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    main()
