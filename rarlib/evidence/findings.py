"""What came out of each paper, in a few computed sentences: the winner, the score, its weight."""

from typing import NamedTuple

import pandas as pd

from rarlib.evidence.claims import FITTED, TESTED
from rarlib.evidence.published import OWN
from rarlib.evidence.verdicts import DIRECTION, FAILS, FITS, IMPOSSIBLE, REPRODUCED, TRIVIAL, WRONG_ORDER, WRONG_SIZE

_MISSES = {
    DIRECTION: "right direction only: {}",
    WRONG_ORDER: "wrong order: {}",
    WRONG_SIZE: "wrong size: {}",
    FAILS: "statements that do not hold: {}",
    IMPOSSIBLE: "impossible by a proof: {}",
    TRIVIAL: "met by any scheduler: {}",
}


class Finding(NamedTuple):
    """A paper and what came out of it, in Markdown without links."""

    paper: str
    text: str


def findings(ledger: pd.DataFrame) -> list[Finding]:
    """A paragraph for each paper, in the order of the ledger.

    Args:
        ledger: as `read_ledger` returns it.
    """
    once = ledger[(ledger["trust"] != OWN) & (ledger["same_as"] == "")]
    return [Finding(str(paper), _paragraph(rows)) for paper, rows in once.groupby("paper", sort=False)]


def _paragraph(rows: pd.DataFrame) -> str:
    tested, fitted = (rows[rows["role"] == role] for role in (TESTED, FITTED))
    came = int((tested["verdict"] == REPRODUCED).sum())
    if len(fitted):
        places = " and ".join(dict.fromkeys(fitted["where"]))
        fits = int((fitted["verdict"] == FITS).sum())
        first = f"With one reading fitted to {len(fitted)} numbers of {places} ({fits} fit), "
        first += f"**{came} of the {len(tested)} other numbers and statements come out**."
    else:
        first = f"Without any fit, **{came} of {len(tested)} tested numbers and statements come out**."
    return " ".join([first, *_chance(tested), *_literal(tested, bool(len(fitted))), *_missed(tested)])


def _chance(tested: pd.DataFrame) -> list[str]:
    """What random readings would give on the numbers that they can be asked for."""
    drawn = tested[tested["chance"] != ""]
    if drawn.empty:
        return []
    met, luck = int((drawn["verdict"] == REPRODUCED).sum()), drawn["chance"].astype(float).sum()
    return [f"Of the {len(drawn)} that random readings give as well, {met} come out; by chance {luck:.1f} would."]


def _literal(tested: pd.DataFrame, fitted: bool) -> list[str]:
    """How many values come out with nothing fitted, within the same relative distance."""
    is_number = pd.to_numeric(tested["value"], errors="coerce").notna()  # the others are statements and configurations
    values = tested[is_number & (tested["as_stated"] != "")]
    if not fitted or values.empty:
        return []
    off = (values["as_stated"].astype(float) / values["value"].astype(float) - 1.0).abs()
    return [f"Taken literally, without any fit, {int((off <= 0.1).sum())} of {len(values)} values lie within 10 %."]


def _missed(tested: pd.DataFrame) -> list[str]:
    counts = tested["verdict"].value_counts()
    parts = [text.format(counts[verdict]) for verdict, text in _MISSES.items() if counts.get(verdict, 0)]
    return [f"The rest: {'; '.join(parts)}."] if parts else []
