"""`rarlib claims`: the claims ledger of a results folder, and the chain behind one of its rows."""

from pathlib import Path
from typing import Annotated

import typer

from rarlib.model.errors import InputError
from rarlib.model.foreign import printable


def claims(
    results: Annotated[Path, typer.Argument(help="Results folder.")] = Path("results"),
    paper: Annotated[str | None, typer.Option(help="Only this paper's claims.")] = None,
    verdict: Annotated[str | None, typer.Option(help="Only claims with this verdict.")] = None,
    find: Annotated[str | None, typer.Option(help="Only claims whose id, statement or reason has this text.")] = None,
    why: Annotated[str | None, typer.Option(help="Explain one claim: formula, rows, cells, settings, code.")] = None,
) -> None:
    """Print the claims ledger: published number, ours, role, verdict and reason."""
    from artifact.cli.claim_lines import in_short, totals
    from artifact.ledger.ledger import read_ledger
    from artifact.ledger.why import chain
    from rarlib.cli.text import say, width
    from rarlib.model.project import placed_file, study_of

    if why is not None:
        with study_of(results):
            say(*chain(results, placed_file("data"), placed_file("config/claims"), why))
        return
    table = read_ledger(results / "claims.csv")
    for column, wanted in (("paper", paper), ("verdict", verdict)):
        if wanted is None:
            continue
        if wanted not in set(table[column]):
            known = ", ".join(sorted(set(table[column]) - {""}))
            raise InputError(f"no claim has this value; known: {known}", file=f"--{column}", field=wanted)
        table = table[table[column] == wanted]
    if find is not None:
        texts = table["published"] + "\n" + table["statement"] + "\n" + table["reason"]
        table = table[texts.str.contains(find, case=False, regex=False)]
    for row in table.to_dict("records"):
        print(*in_short({str(name): printable(value) for name, value in row.items()}, width()), sep="\n")
    say(*totals(table, width()))
