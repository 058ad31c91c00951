"""Pollux' testbed: our policies (`artifact.machines.testbed_runs`), stored, and the authors' simulator."""

from collections.abc import Callable, Mapping

from artifact.machines.policy_runs import stored_predictions
from artifact.machines.pollux import PolluxRuns, mean_ratios
from artifact.machines.predictor import Predictor

_Hours = Callable[[PolluxRuns], Mapping[str, float]]


def _both(name: str, label: str, hours: _Hours, *, rival: bool = False) -> tuple[Predictor, Predictor]:
    """Predictors of the outcomes of runs, and of the ratios of two of them."""
    return (
        Predictor(name, label, "testbed", "A", hours, rival=rival),
        Predictor(name, label, "testbed-ratio", "A", lambda s: mean_ratios(hours(s)), rival=rival),
    )


PREDICTORS = (
    *_both("testbed-profiles", "our policies, profiles of T4", lambda source: stored_predictions("testbed-profiles")),
    *_both("testbed-slowed", "our policies, slowed as in Sia", lambda source: stored_predictions("testbed-slowed")),
    *_both(
        "testbed-as-authors", "our policies, details of the authors",
        lambda source: stored_predictions("testbed-as-authors"),
    ),
    *_both(
        "pollux-authors", "Pollux' authors", lambda source: {row.id: row.hours for row in source.outcomes("authors")},
        rival=True,
    ),
)  # fmt: skip
