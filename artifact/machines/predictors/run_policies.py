"""Outcomes of runs under policies: `artifact.machines.policy_runs`; those of Shockwave are stored."""

from functools import partial

from artifact.machines.policy_runs import OTHER_RUNS, POLICIES_RUN, policy_outcomes, stored_predictions
from artifact.machines.predictor import Predictor
from artifact.machines.shockwave import ShockwaveRuns


def _all(name: str, fitted: bool, source: ShockwaveRuns) -> dict[str, float]:
    found = stored_predictions(name)
    for policy, (scheduler, params) in POLICIES_RUN.items():
        found |= policy_outcomes(source, policy, scheduler, params, fitted=fitted)
    return found


PREDICTORS = (
    Predictor(
        "run-long-rounds", "our policies, fitted rounds", "run", "B", partial(_all, "run-long-rounds", True), OTHER_RUNS
    ),
    Predictor("run-durations", "our policies, rounds of 120 s", "run", "A", partial(_all, "run-durations", False)),
    Predictor(
        "shockwave-authors", "Shockwave's authors", "run", "A",
        lambda source: {row.id: row.completion_s for row in source.outcomes("authors")}, rival=True,
    ),
)  # fmt: skip
