"""Runs of a cluster and the length of its rounds: by hand on two jobs, and against what was measured."""

import pandas as pd
import pytest

from artifact.machines.policy_runs import (
    BY_WORK,
    POLICIES_RUN,
    SLOW_RUNS,
    fitted_round_s,
    policy_outcomes,
    stored_predictions,
)
from artifact.machines.shockwave import RUN_HERE, STATED_ROUND_S, ShockwaveRuns


def toy(length=150.0):
    """Two jobs of 240 s, under two policies whose rounds are known."""
    ends = [("max_min_fairness", 0, 1.5 * length, 1), ("max_min_fairness", 1, 3.5 * length - 60.0, 3)]
    ends += [("finish_time_fairness", 0, 4.5 * length, 4)]
    runs = [("max_min_fairness", "cluster", 300.0, 250.0), ("allox", "cluster", 1.0, 1.0)]
    return ShockwaveRuns(
        {
            "jobs": pd.DataFrame({"job": [0, 1], "gpus": 1, "duration_s": 240.0, "arrival_s": [0.0, 60.0]}),
            "runs": pd.DataFrame(runs, columns=["policy", "world", "last_completion_s", "mean_completion_s"]),
            "completion": pd.DataFrame(ends, columns=["policy", "job", "cluster_s", "last_round"]),
        }
    )


def test_the_length_of_a_round_comes_from_other_runs():
    source = toy(150.0)
    assert fitted_round_s(source, without="max_min_fairness") == pytest.approx(150.0)


def test_runs_of_the_toy():
    """Both jobs fit: the second one starts in the round at 120 s, whatever the policy."""
    for policy, (name, params) in POLICIES_RUN.items():
        found = policy_outcomes(toy(), policy, name, params, fitted=False)
        assert found[f"{RUN_HERE[policy]}/last"] == pytest.approx(360.0)
        assert found[f"{RUN_HERE[policy]}/mean"] == pytest.approx((240 + 300) / 2)
    assert [row.id for row in toy().outcomes("cluster")] == ["max-min/mean", "max-min/last"]


@pytest.mark.release
@pytest.mark.real
@pytest.mark.parametrize("name", SLOW_RUNS)
def test_what_is_stored_is_what_a_run_gives(name, measured_frames):
    """If not, a scheduler or the simulator has changed: run benchmarks/measured_slow.py again."""
    frames = measured_frames("shockwave")
    found = policy_outcomes(ShockwaveRuns(frames), "shockwave", "shockwave", BY_WORK, fitted=SLOW_RUNS[name])
    assert found == pytest.approx(stored_predictions(name), rel=1e-5)


@pytest.mark.real
def test_a_round_lasts_longer_than_it_is_said_to(measured_frames):
    """The source's own fit: 136 to 138 s while the cluster is busy; at its end rounds are shorter."""
    frames = measured_frames("shockwave")
    for policy in {end.policy for end in ShockwaveRuns(frames).job_ends}:
        assert 1.08 * STATED_ROUND_S < fitted_round_s(ShockwaveRuns(frames), without=policy) < 1.16 * STATED_ROUND_S
