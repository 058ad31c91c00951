"""What a published number comes to, once every declared reading and every proof is considered.

reproduced                       in the headline
reproduced in a stated reading   not in the headline, but in a reading that `config/claims` declares
impossible                       a bound, an identity or a ceiling says that no run can give it
met trivially                    reproduced, but any scheduler would
open                             none of these
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rarlib.evidence.claims import Claim
from rarlib.evidence.formulas import evaluate
from rarlib.evidence.outcome import MissingResultError, NoScheduleError, Tables
from rarlib.evidence.readings import Lookup, StatedReading
from rarlib.evidence.verdicts import NOT_RUN, REPRODUCED, TRIVIAL, VERDICTS, Judgement, judge

IN_READING, IMPOSSIBLE, OPEN = "reproduced in a stated reading", "impossible", "open"
ANSWERS = (REPRODUCED, IN_READING, IMPOSSIBLE, TRIVIAL, OPEN)


@dataclass(frozen=True)
class _Tried:
    """One reading of one claim."""

    reading: StatedReading
    judged: Judgement

    def rank(self, value: str) -> tuple[int, float]:
        """The better verdict first, then the nearer value or the larger share of seeds."""
        outcome = self.judged.outcome
        if outcome is None:
            far = math.inf
        else:
            far = -outcome.value if outcome.holds is not None else abs(outcome.value - float(value))
        return VERDICTS.index(self.judged.verdict), far


def answer(claim: Claim, value: str, tables: Tables) -> tuple[Judgement, dict[str, Any], list[str]]:
    """Judge a published number in the headline and in every reading that applies to it.

    Args:
        claim: how the number is answered.
        value: the published number, or `true`.
        tables: gives a result table of the paper by name.

    Returns:
        The headline's judgement; the ledger's columns `answer`, `best_reading`, `ours_in_it`, `verdict_in_it`,
        `readings` and `reproduced_in`; and the tables in which the best reading's rows lie.
    """
    headline = judge(claim, value, Lookup(tables, claim.select))
    tried = _readings_tried(claim, value, tables)
    columns: dict[str, Any] = {"best_reading": "", "ours_in_it": None, "verdict_in_it": "", "readings": len(tried)}
    columns["reproduced_in"] = " ".join(one.reading.name for one in tried if one.judged.verdict == REPRODUCED)
    used: list[str] = []
    if tried:
        best = min(tried, key=lambda one: one.rank(value))
        columns["best_reading"], columns["verdict_in_it"] = best.reading.name, best.judged.verdict
        columns["ours_in_it"] = best.judged.outcome.value if best.judged.outcome else None
        used = [best.reading.tables.get(name, name) for name in claim.tables]
    columns["answer"] = _word(headline.verdict, columns["verdict_in_it"], proof_holds(claim, tables))
    return headline, columns, used


def proof_holds(claim: Claim, tables: Tables) -> bool:
    """Whether the proof that a published number is impossible holds in the tables."""
    if claim.impossible is None:
        return False
    try:
        return bool(evaluate(claim.impossible.formula, Lookup(tables, claim.select)).holds)
    except (MissingResultError, NoScheduleError):
        return False


def copied(row: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the ledger whose number the paper prints twice: it takes the verdict of the other row."""
    taken = ("ours", "spread", "seeds", "verdict", "settled", "answer", "best_reading", "ours_in_it", "verdict_in_it",
             "readings", "reproduced_in", "evidence", "standin")  # fmt: skip
    reason = f"the same published number as {of['published']}: {of['reason']}"
    return {**row, **{name: of[name] for name in taken if name in of}, "reason": reason, "same_as": of["published"]}


def _readings_tried(claim: Claim, value: str, tables: Tables) -> list[_Tried]:
    """The readings that have rows of their own for a claim; a missing specification is what a reading supplies."""
    if claim.formula is None or (not claim.specified and (value == "true") == (claim.formula["kind"] == "value")):
        return []
    tried = []
    for reading in claim.readings:
        lookup = Lookup(tables, claim.select, reading)
        judged = judge(replace(claim, specified=True), value, lookup)
        if lookup.own and judged.verdict != NOT_RUN:
            tried.append(_Tried(reading, judged))
    return tried


def _word(headline: str, in_reading: str, impossible: bool) -> str:
    if headline in (REPRODUCED, TRIVIAL):
        return headline
    if in_reading == REPRODUCED:
        return IN_READING
    if impossible:
        return IMPOSSIBLE
    return TRIVIAL if in_reading == TRIVIAL else OPEN
