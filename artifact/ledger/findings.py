"""What came out of each paper, in a few computed sentences: the winner, the score, its weight."""

from collections import Counter
from typing import NamedTuple

import pandas as pd

from artifact.ledger.claims import FITTED, TESTED
from artifact.ledger.published import OWN
from artifact.ledger.verdicts import (
    DIRECTION,
    FAILS,
    FITS,
    IMPOSSIBLE,
    OWN_HOLDS,
    REPRODUCED,
    TRIVIAL,
    WRONG_ORDER,
    WRONG_SIZE,
)

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
    """A paragraph for each paper, in the order of the ledger."""
    once = ledger[(ledger["trust"] != OWN) & (ledger["same_as"] == "")]
    papers = [Finding(str(paper), _paragraph(str(paper), rows)) for paper, rows in once.groupby("paper", sort=False)]
    own = ledger[(ledger["trust"] == OWN) & ledger["verdict"].isin((OWN_HOLDS, FAILS))]
    return papers + [Finding(str(study), _own(rows)) for study, rows in own.groupby("paper", sort=False)]


def _own(rows: pd.DataFrame) -> str:
    """Whether our own scheduler is ahead, on equal terms; and how many of the statements hold."""
    ours = rows[rows["statement"].str.contains("Concert")]
    parts = [
        f"“{row['statement'][0].upper()}{row['statement'][1:]}” **{row['verdict']}**: {row['reason']}."
        for row in ours.to_dict("records")
    ]
    held = int((rows["verdict"] == OWN_HOLDS).sum())
    return " ".join([*parts, f"Of {len(rows)} own statements, {held} hold."])


def _paragraph(paper: str, rows: pd.DataFrame) -> str:
    tested, fitted = (rows[rows["role"] == role] for role in (TESTED, FITTED))
    came = int((tested["verdict"] == REPRODUCED).sum())
    if len(fitted):
        places = " and ".join(dict.fromkeys(fitted["where"]))
        fits = int((fitted["verdict"] == FITS).sum())
        first = f"With one reading fitted to {len(fitted)} numbers of {places} ({fits} fit), "
        first += f"**the run reproduces {came} of the {len(tested)} other numbers and statements**."
    else:
        first = f"Without any fit, **the run reproduces {came} of {len(tested)} tested numbers and statements**."
    return " ".join(
        [*_winners(paper, rows), first, *_chance(tested), *_literal(tested, bool(len(fitted))), *_missed(tested)]
    )


def _winners(paper: str, rows: pd.DataFrame) -> list[str]:
    """Who comes first where the paper puts its own scheduler first among several: rows named "scheduler: quantity"."""
    named = (
        rows["statement"].str.extract(r"^(?P<name>[\w-]+): (?P<quantity>.+)$").join(rows[["where", "value", "ours"]])
    )
    named = named[named["name"].notna() & (named["ours"] != "")]
    named = named.astype({"value": float, "ours": float})
    first: list[tuple[str, str]] = []
    for (where, _), group in named.groupby(["where", "quantity"], sort=False):
        own = group["name"].str.casefold() == paper
        if len(group) > 1 and own.any():
            mine, published = group[own].iloc[0], group["value"]
            if mine["value"] in (published.min(), published.max()):
                sign = 1.0 if mine["value"] == published.min() else -1.0
                at = int((sign * group["ours"] + (~own) * 1e-9).to_numpy().argmin())  # equal values: the paper's own
                first.append((str(group["name"].iloc[at]), str(where)))
    if not first:
        return []
    label = str(named.loc[named["name"].str.casefold() == paper, "name"].iloc[0])
    others = Counter(name for name, _ in first if name != label)
    every = f"all {len(first)} comparisons" if len(first) > 1 else "the one comparison"
    if not others:
        return [f"**{label} comes first** in {every} in which the paper puts it first."]
    ahead = " and ".join(name if len(others) == 1 else f"{name} ({n})" for name, n in others.most_common())
    come = "comes" if len(others) == 1 else "come"
    many = every if others.total() == len(first) else f"{others.total()} of the {len(first)} comparisons"
    places = " and ".join(dict.fromkeys(where for name, where in first if name != label))
    return [f"**{ahead}, not {label}, {come} first** in {many} in which the paper puts {label} first ({places})."]


def _chance(tested: pd.DataFrame) -> list[str]:
    """What random readings would give on the numbers that they can be asked for."""
    drawn = tested[tested["chance"] != ""]
    if drawn.empty:
        return []
    met, luck = int((drawn["verdict"] == REPRODUCED).sum()), drawn["chance"].astype(float).sum()
    return [f"Of the {len(drawn)} that random readings give as well, it reproduces {met}; chance gives {luck:.1f}."]


def _literal(tested: pd.DataFrame, fitted: bool) -> list[str]:
    """How many values come out with nothing fitted, within the same relative distance."""
    is_number = pd.to_numeric(tested["value"], errors="coerce").notna()  # the others are statements and configurations
    values = tested[is_number & (tested["as_stated"] != "")]
    if not fitted or values.empty:
        return []
    off = (values["as_stated"].astype(float) / values["value"].astype(float) - 1.0).abs()
    return [f"Without any fit, {int((off <= 0.1).sum())} of {len(values)} values lie within 10 %."]


def _missed(tested: pd.DataFrame) -> list[str]:
    parts = []
    for verdict, text in _MISSES.items():
        places = tested.loc[tested["verdict"] == verdict, "where"]
        if len(places):
            named = ", ".join(str(where) for where in places.value_counts(sort=True).index[:2])
            parts.append(text.format(f"{len(places)} ({'' if places.nunique() < 3 else 'mostly '}{named})"))
    return [f"The rest: {'; '.join(parts)}."] if parts else []
