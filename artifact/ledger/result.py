"""What came out of a figure, in one line: how many published numbers and statements our run brings out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from artifact.ledger.claims import FITTED, TESTED, read_claims
from artifact.ledger.lookup import Lookup
from artifact.ledger.published import OWN, read_listed
from artifact.ledger.verdicts import FITS, NO_VERDICT, NOT_RUN, REPRODUCED, judge
from rarlib.model.project import placed_file

_WORDS = {
    TESTED: (REPRODUCED, "{} of {} published numbers and statements reproduced"),
    FITTED: (FITS, "{} of {} fitted numbers met"),
}
"""Role -> the verdict that counts, and what is said of it."""


def homes(drawn: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Table -> the figure most about it: of its name, or with the fewest tables; `drawn`: tables by figure."""
    tables = dict.fromkeys(table for names in drawn.values() for table in names)
    return {
        table: min((f for f in drawn if table in drawn[f]), key=lambda f: (f != table, len(drawn[f])))
        for table in tables
    }


def result(figure: str, drawn: Mapping[str, Sequence[str]], tables: Mapping[str, pd.DataFrame]) -> str:
    """The line for a figure; empty if nothing is published on the tables that are most about it.

    Args:
        figure: its name.
        drawn: tables by figure.
        tables: tidy rows by table, those of the figure. A number that is printed twice counts once.
    """
    home = homes(drawn)
    listed = {row["id"]: row for row in read_listed(placed_file("data")).to_dict("records")}
    verdicts: dict[str, Counter[str]] = {role: Counter() for role in _WORDS}
    for name, claim in read_claims(placed_file("config/claims"), set(listed)).items():
        paper, value, trust = (str(listed[name][column]) for column in ("paper", "value", "trust"))
        read = [f"{paper}-{table}" for table in claim.tables]
        if (
            claim.role not in _WORDS
            or claim.same_as
            or trust == OWN
            or figure not in map(home.get, read)
            or not tables.keys() >= set(read)
        ):
            continue
        verdict = judge(claim, value, Lookup(_of_paper(tables, paper), claim.select)).verdict
        if verdict not in (NO_VERDICT, NOT_RUN):
            verdicts[claim.role][verdict] += 1
    counted = [(*_WORDS[role], found) for role, found in verdicts.items() if found]
    return "; ".join(words.format(found[good], found.total()) for good, words, found in counted)


def _of_paper(tables: Mapping[str, pd.DataFrame], paper: str) -> Callable[[str], pd.DataFrame]:
    """Its tables by name; the table of a proof may be missing."""
    none = next(iter(tables.values())).iloc[:0]
    return lambda name: tables.get(f"{paper}-{name}", none)
