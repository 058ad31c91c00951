"""The verdict on one claim."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from artifact.ledger.claims import FITTED, HARDWARE, UNCLEAR, Claim
from artifact.ledger.formulas import evaluate
from artifact.ledger.lookup import Lookup, MissingResultError, NoScheduleError, Outcome
from artifact.ledger.settled import both, settled_share, settled_value

REPRODUCED = "reproduced"
DIRECTION = "direction only"
WRONG_ORDER = "wrong order"
WRONG_SIZE = "wrong size"
IMPOSSIBLE = "impossible"
TRIVIAL = "met trivially"
FITS, MISFITS = "fits", "does not fit"
OWN_HOLDS, FAILS = "holds", "does not hold"
NOT_RUN = "not yet run"
NO_VERDICT = ""
TIMES_OFF = 2.0
"""A value more than so many times too large or too small has the wrong size, whatever its direction."""
VERDICTS = (
    REPRODUCED, DIRECTION, WRONG_ORDER, WRONG_SIZE, IMPOSSIBLE, TRIVIAL, FITS, MISFITS, OWN_HOLDS, FAILS, NOT_RUN,
)  # fmt: skip
"""Every verdict but the empty one, which numbers get that no run here can be compared with."""
MISSED = (DIRECTION, WRONG_ORDER, WRONG_SIZE, IMPOSSIBLE, MISFITS, FAILS)
"""What was run and did not come out."""
_CONTESTS = ("order", "beats", "widens")
"""Formulas that say who is better."""


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim.

    Attributes:
        verdict: one of `VERDICTS`, or empty.
        reason: what was found, in words.
        outcome: our number, if there is one to show.
        settled: whether more seeds could change the verdict; see `artifact.ledger.settled`.
    """

    verdict: str
    reason: str
    outcome: Outcome | None = None
    settled: str = ""


def judge(claim: Claim, value: str, lookup: Lookup) -> Judgement:
    """Judge one claim.

    A value is reproduced when the mean over seeds lies within the tolerance of the published one, direction only
    when it does not, but the claim's `direction` holds and the value is at most `TIMES_OFF` times off. If the direction
    fails, the order is wrong, else the size. A statement (published as `true`) is reproduced when its formula holds.
    What any scheduler would reproduce is met trivially; what a proof excludes is impossible. A number that the reading
    was fitted to fits or does not. What was measured on hardware, or does not say what was compared, gets no verdict.
    """
    outcome: Outcome | None = None
    try:
        outcome = evaluate(claim.formula, lookup) if claim.formula else None
        if claim.role in (HARDWARE, UNCLEAR):
            # A share of instances is evidence, not a value to set beside the published one.
            return Judgement(NO_VERDICT, claim.reason, outcome if outcome and outcome.holds is None else None)
        if outcome is None:
            return Judgement(NOT_RUN, claim.reason or "no formula is stated")
        if outcome.holds is not None:
            found = _judge_statement(claim, outcome)
        else:
            found = _judge_value(claim, float(value), outcome, lambda: evaluate(claim.direction or {}, lookup))
    except NoScheduleError as none:
        missed = FAILS if value == "true" else WRONG_SIZE
        verdict = NO_VERDICT if claim.role in (HARDWARE, UNCLEAR) else missed
        found = Judgement(verdict, f"{claim.reason} {none}".strip(), outcome)
    except MissingResultError as missing:
        verdict = NO_VERDICT if claim.role in (HARDWARE, UNCLEAR) else NOT_RUN
        reason = f"{claim.reason} ({missing})".strip() if claim.reason else str(missing)
        return Judgement(verdict, reason, outcome)
    return Judgement(_in_its_role(claim, found.verdict, lookup), found.reason, found.outcome, found.settled)


def _in_its_role(claim: Claim, verdict: str, lookup: Lookup) -> str:
    """The verdict of a fitted number, of one that any scheduler meets, and of one that a proof excludes."""
    if verdict == NO_VERDICT:
        return verdict
    if claim.role == FITTED:
        return FITS if verdict == REPRODUCED else MISFITS
    if verdict == REPRODUCED:
        return TRIVIAL if claim.trivial else REPRODUCED
    return IMPOSSIBLE if proof_holds(claim, lookup) else verdict


def proof_holds(claim: Claim, lookup: Lookup) -> bool:
    """Whether the proof that a published number is impossible holds in the tables."""
    if claim.impossible is None:
        return False
    try:
        return bool(evaluate(claim.impossible.formula, lookup).holds)
    except (MissingResultError, NoScheduleError):
        return False


def own_words(verdict: str) -> str:
    """The verdict in the words used for this project's own statements."""
    return {REPRODUCED: OWN_HOLDS, WRONG_ORDER: FAILS}.get(verdict, verdict)


def allowed(claim: Claim, value: float) -> float:
    """How far our value may lie from the published one."""
    return max(claim.tolerance.get("relative", 0.0) * abs(value), claim.tolerance.get("absolute", 0.0))


def copied(row: Mapping[str, Any], of: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the ledger whose number the paper prints twice: it takes the verdict of the other row."""
    taken = ("ours", "spread", "seeds", "as_stated", "role", "chance", "verdict", "settled", "evidence", "standin")
    reason = f"the same published number as {of['published']}: {of['reason']}"
    return {**row, **{name: of[name] for name in taken if name in of}, "reason": reason, "same_as": of["published"]}


def _judge_statement(claim: Claim, outcome: Outcome) -> Judgement:
    reason = outcome.summary or f"holds in {share_in_words(outcome)}"
    wrong = WRONG_ORDER if (claim.formula or {})["kind"] in _CONTESTS else FAILS
    return Judgement(REPRODUCED if outcome.holds else wrong, reason, outcome, settled_share(outcome))


def _judge_value(claim: Claim, value: float, outcome: Outcome, direction_of: Callable[[], Outcome]) -> Judgement:
    off, within = outcome.value - value, allowed(claim, value)
    reason = f"{off / value:+.1%} of the published value" if value else f"off by {off:+.3g}"
    settled = settled_value(outcome, value, within)
    if abs(off) <= within:
        return Judgement(REPRODUCED, reason, outcome, settled)
    if claim.direction is None:
        return Judgement(WRONG_SIZE, reason, outcome, settled)
    try:
        direction = direction_of()
    except NoScheduleError as none:
        return Judgement(WRONG_SIZE, f"{reason}; its direction cannot be tested: {none}", outcome, settled)
    reason = f"{reason}; direction holds in {share_in_words(direction)}"
    if not direction.holds:
        return Judgement(WRONG_ORDER, reason, outcome, both(settled, settled_share(direction)))
    if value and not 1 / TIMES_OFF <= outcome.value / value <= TIMES_OFF:
        reason = f"{reason}, but the value is more than {TIMES_OFF:g} times off"
        return Judgement(WRONG_SIZE, reason, outcome, settled)
    return Judgement(DIRECTION, reason, outcome, both(settled, settled_share(direction)))


def share_in_words(outcome: Outcome) -> str:
    """The share of seeds in words, with those that could not be used."""
    text = f"{outcome.value:.0%} of {outcome.seeds} seeds"
    unused = [
        (outcome.left_out, "without a feasible schedule"),
        (outcome.unmatched, "not run for all that is compared"),
    ]
    found = "; ".join(f"{count} {why}" for count, why in unused if count)
    return f"{text} ({found})" if found else text
