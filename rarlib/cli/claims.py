"""`rarlib claims`: the claims ledger of a results folder."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from rarlib.evidence import ledger
from rarlib.evidence.claims import VERDICTS
from rarlib.model.errors import InputError

_STYLES = dict(zip(VERDICTS, ("green", "yellow", "red", "magenta", "green", "red", "dim"), strict=True))


def claims(
    results: Annotated[Path, typer.Argument(help="Results folder.")] = Path("results"),
    paper: Annotated[str | None, typer.Option(help="Only this paper's claims.")] = None,
    verdict: Annotated[str | None, typer.Option(help="Only claims with this verdict.")] = None,
) -> None:
    """Print the claims ledger: published number, ours, verdict, robustness in the arena, and reason."""
    table = ledger.read_ledger(results / "claims.csv")
    for column, wanted in (("paper", paper), ("verdict", verdict)):
        if wanted is not None and wanted not in set(table[column]):
            known = ", ".join(sorted(set(table[column])))
            raise InputError(f"no claim has this value; known: {known}", file=f"--{column}", field=wanted)
        table = table if wanted is None else table[table[column] == wanted]
    screen = Console()
    console = screen if screen.is_terminal else Console(width=200)
    listed = Table("id", "claim", "published", "ours", "verdict", "robustness", "why", box=None, pad_edge=False)
    for row in table.to_dict("records"):
        ours = " ± ".join(f"{float(row[c]):.4g}" for c in ("ours", "spread") if row[c])
        colour = _STYLES.get(row["verdict"], "")
        shown = (row["published"], row["statement"], f"{row['value']} {row['unit']}", ours)
        listed.add_row(*shown, f"[{colour}]{row['verdict']}[/]", row["robustness"], row["reason"])
    console.print(listed)
    print()
    print(ledger.counts(table).to_string())
