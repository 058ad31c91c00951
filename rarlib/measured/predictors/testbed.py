"""Pollux' testbed: our policies (`rarlib.measured.testbed_runs`), stored, and the authors' simulator."""

from collections.abc import Callable, Mapping

from rarlib.measured.policy_runs import stored_predictions
from rarlib.measured.pollux import PolluxRuns, ratios
from rarlib.measured.predictor import Predictor

_Hours = Callable[[PolluxRuns], Mapping[str, float]]


def _both(name: str, label: str, hours: _Hours, *, rival: bool = False) -> tuple[Predictor, Predictor]:
    """Predictors of the outcomes of runs, and of the ratios of two of them."""
    untold = (lambda source: {}) if rival else None  # seconds are not stated
    return (
        Predictor(name, label, "testbed", "A", hours, rival=rival, seconds=untold),
        Predictor(name, label, "testbed-ratio", "A", lambda s: ratios(hours(s)), rival=rival, seconds=untold),
    )


PREDICTORS = (
    *_both("testbed-profiles", "our policies, profiles of T4", lambda source: stored_predictions("testbed-profiles")),
    *_both("testbed-slowed", "our policies, slowed as in Sia", lambda source: stored_predictions("testbed-slowed")),
    *_both(
        "pollux-authors", "Pollux' authors", lambda source: {row.id: row.hours for row in source.outcomes("authors")},
        rival=True,
    ),
)  # fmt: skip
