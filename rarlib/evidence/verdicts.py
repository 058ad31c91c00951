"""The verdict on one claim, in the headline or in one reading."""

from collections.abc import Callable
from dataclasses import dataclass

from rarlib.evidence.claims import Claim
from rarlib.evidence.formulas import evaluate
from rarlib.evidence.outcome import MissingResultError, NoScheduleError, Outcome
from rarlib.evidence.readings import Lookup
from rarlib.evidence.settled import both, settled_share, settled_value

REPRODUCED = "reproduced"
DIRECTION = "direction only"
NOT_REPRODUCED = "not reproduced"
UNSPECIFIED = "not reproducible as specified"
TRIVIAL = "met trivially"
_HOLDS = "holds"
FAILS = "does not hold"
NOT_RUN = "not yet run"
TIMES_OFF = 2.0
"""A value more than so many times too large or too small has not even the right direction."""
VERDICTS = (REPRODUCED, DIRECTION, NOT_REPRODUCED, UNSPECIFIED, TRIVIAL, _HOLDS, FAILS, NOT_RUN)


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim.

    Attributes:
        verdict: one of `VERDICTS`.
        reason: what was found, in words.
        outcome: our number, if there is one to show.
        settled: whether more seeds could change the verdict; see `rarlib.evidence.settled`.
    """

    verdict: str
    reason: str
    outcome: Outcome | None = None
    settled: str = ""


def judge(claim: Claim, value: str, lookup: Lookup) -> Judgement:
    """Judge one claim.

    A value is reproduced when the mean over seeds lies within the tolerance of the published one, direction only
    when it does not, but the claim's `direction` holds and the value is at most `TIMES_OFF` times off. A statement
    (published as `true`) is reproduced when its formula holds. What any scheduler would reproduce is met trivially.

    Args:
        claim: how the published number is answered.
        value: the published number, or `true`.
        lookup: the rows of the headline or of a reading.
    """
    outcome: Outcome | None = None
    try:
        outcome = evaluate(claim.formula, lookup) if claim.formula else None
        if not claim.specified:
            # A share of instances is evidence, not a value to set beside the published one.
            return Judgement(UNSPECIFIED, claim.reason, outcome if outcome and outcome.holds is None else None)
        if outcome is None:
            return Judgement(NOT_RUN, claim.reason or "no formula is stated")
        met = TRIVIAL if claim.trivial else REPRODUCED
        if outcome.holds is not None:
            reason = outcome.summary or f"holds in {share_in_words(outcome)}"
            return Judgement(met if outcome.holds else NOT_REPRODUCED, reason, outcome, settled_share(outcome))
        return _judge_value(claim, float(value), outcome, met, lambda: evaluate(claim.direction or {}, lookup))
    except NoScheduleError as none:
        verdict = NOT_REPRODUCED if claim.specified else UNSPECIFIED
        return Judgement(verdict, f"{claim.reason} {none}".strip(), outcome)
    except MissingResultError as missing:
        verdict = UNSPECIFIED if not claim.specified else NOT_RUN
        reason = f"{claim.reason} ({missing})".strip() if claim.reason else str(missing)
        return Judgement(verdict, reason, outcome)


def own_words(verdict: str) -> str:
    """The verdict in the words used for this project's own statements."""
    return {REPRODUCED: _HOLDS, NOT_REPRODUCED: FAILS}.get(verdict, verdict)


def allowed(claim: Claim, value: float) -> float:
    """How far our value may lie from the published one."""
    return max(claim.tolerance.get("relative", 0.0) * abs(value), claim.tolerance.get("absolute", 0.0))


def _judge_value(
    claim: Claim, value: float, outcome: Outcome, met: str, direction_of: Callable[[], Outcome]
) -> Judgement:
    off, within = outcome.value - value, allowed(claim, value)
    reason = f"{off / value:+.1%} of the published value" if value else f"off by {off:+.3g}"
    settled = settled_value(outcome, value, within)
    if abs(off) <= within:
        return Judgement(met, reason, outcome, settled)
    if claim.direction is None:
        return Judgement(NOT_REPRODUCED, reason, outcome, settled)
    try:
        direction = direction_of()
    except NoScheduleError as none:
        return Judgement(NOT_REPRODUCED, f"{reason}; its direction cannot be tested: {none}", outcome, settled)
    reason = f"{reason}; direction holds in {share_in_words(direction)}"
    if value and not 1 / TIMES_OFF <= outcome.value / value <= TIMES_OFF:
        reason = f"{reason}, but the value is more than {TIMES_OFF:g} times off"
        return Judgement(NOT_REPRODUCED, reason, outcome, settled)
    verdict = DIRECTION if direction.holds else NOT_REPRODUCED
    return Judgement(verdict, reason, outcome, both(settled, settled_share(direction)))


def share_in_words(outcome: Outcome) -> str:
    """The share of seeds in words, with those that could not be used."""
    text = f"{outcome.value:.0%} of {outcome.seeds} seeds"
    unused = [
        (outcome.left_out, "without a feasible schedule"),
        (outcome.unmatched, "not run for all that is compared"),
    ]
    found = "; ".join(f"{count} {why}" for count, why in unused if count)
    return f"{text} ({found})" if found else text
