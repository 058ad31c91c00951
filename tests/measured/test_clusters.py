"""Replays and runs of a cluster: by hand on two jobs, and against what was measured where the files are at hand."""

import pandas as pd
import pytest

from rarlib.measured import inputs
from rarlib.measured.policy_runs import POLICIES_RUN, SLOW_RUNS, STORED, policy_outcomes, stored_predictions
from rarlib.measured.predictor import predictors
from rarlib.measured.round_length import fitted_round_s
from rarlib.measured.shockwave import RUN_HERE, STATED_ROUND_S, ShockwaveRuns
from rarlib.measured.testbed_runs import ASSUMED
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

BY_NAME = {each.name: each for each in predictors() if each.quantity in ("replay", "run")}


def toy(length=150.0):
    """Two jobs of 2,400 samples at 10 samples/s, the second with double batch and speed from its second round on."""
    jobs = [("a", 10, 1, "static", 240, 240.0, 0.0), ("a", 10, 1, "gns", 240, 240.0, 60.0)]
    names = ["application", "batch", "gpus", "adaptation", "steps", "duration_s", "arrival_s"]
    ends = [("max_min_fairness", 0, 1.5 * length, 1), ("max_min_fairness", 1, 3.5 * length - 60.0, 3)]
    ends += [("finish_time_fairness", 0, 4.5 * length, 4)]
    held = [(0, 0), (0, 1), (1, 2), (1, 3)]
    runs = [("max_min_fairness", "cluster", 300.0, 300.0, 250.0), ("allox", "cluster", 1.0, 1.0, 1.0)]
    return ShockwaveRuns(
        {
            "jobs": pd.DataFrame(jobs, columns=names).assign(job=[0, 1]),
            "throughputs": pd.DataFrame({"application": "a", "batch": [10, 20], "gpus": 1, "steps_per_s": 1.0}),
            "runs": pd.DataFrame(
                runs, columns=["policy", "world", "stored_makespan_s", "last_completion_s", "mean_completion_s"]
            ),
            "completion": pd.DataFrame(ends, columns=["policy", "job", "cluster_s", "last_round"]),
            "rounds": pd.DataFrame(
                [("max_min_fairness", at, job) for job, at in held], columns=["policy", "round", "job"]
            ),
            "samples": pd.DataFrame({"policy": ["max_min_fairness"], "job": 1, "round": 3, "batch": 20}),
        }
    )


def test_replays_by_hand():
    """At 10 samples/s two rounds of 120 s hold 2,400 samples; at twice the speed, half of the second one is enough."""
    found = BY_NAME["replay-table"].predict(toy())
    assert found["max-min/0"] == pytest.approx(240.0)
    assert found["max-min/1"] == pytest.approx(3.5 * 120 - 60)
    assert "finish-time/0" not in found  # no rounds, no prediction
    assert BY_NAME["replay-last-round"].predict(toy())["max-min/1"] == pytest.approx(4 * 120 - 60)


def test_the_length_of_a_round_comes_from_other_runs():
    source = toy(150.0)
    assert fitted_round_s(source, without="max_min_fairness") == pytest.approx(150.0)
    found = BY_NAME["replay-fitted-rounds"].predict(source)
    assert found["max-min/1"] == pytest.approx(3.5 * 150 - 60)
    alone = ShockwaveRuns(source.frames | {"completion": source.frames["completion"].iloc[:2]})
    with pytest.raises(InputError, match="needs runs under two policies"):
        fitted_round_s(alone, without="max_min_fairness")


@pytest.mark.parametrize(("field", "value", "said"), [("job", 7, "is not in jobs"), ("cluster_s", 0.0, "above 0")])
def test_bad_rows_are_named(field, value, said):
    source = toy()
    source.frames["completion"].loc[1, field] = value
    with pytest.raises(InputError, match=f"row 3, field {field}: .*{said}"):
        _ = source.replays


def test_runs_of_the_toy():
    """Both jobs fit: the second one starts in the round at 120 s, whatever the policy."""
    for policy, (name, params) in POLICIES_RUN.items():
        found = policy_outcomes(toy(), policy, name, params, fitted=False)
        assert found[f"{RUN_HERE[policy]}/last"] == pytest.approx(360.0)
        assert found[f"{RUN_HERE[policy]}/mean"] == pytest.approx((240 + 300) / 2)
    assert [row.id for row in toy().outcomes("cluster")] == ["max-min/mean", "max-min/last"]


def test_every_slow_prediction_is_stored():
    for name in SLOW_RUNS:
        assert set(stored_predictions(name)) == {"shockwave/mean", "shockwave/last"}
    stored = pd.read_csv(ROOT / STORED)
    assert (
        set(stored["predictor"]) == SLOW_RUNS.keys() | ASSUMED.keys()
    )  # nothing is left of a run that is no longer made


@pytest.mark.release
@pytest.mark.real
@pytest.mark.parametrize("name", SLOW_RUNS)
def test_what_is_stored_is_what_a_run_gives(name):
    """If not, a scheduler or the simulator has changed: run benchmarks/measured_slow.py again."""
    frames = inputs.load_measured("shockwave")
    if not frames:
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    params, fitted = SLOW_RUNS[name]
    found = policy_outcomes(ShockwaveRuns(frames), "shockwave", "shockwave", params, fitted=fitted)
    assert found == pytest.approx(stored_predictions(name), rel=1e-5)


@pytest.mark.real
def test_a_round_lasts_longer_than_it_is_said_to():
    """The source's own fit: 136 to 138 s while the cluster is busy; at its end rounds are shorter."""
    frames = inputs.load_measured("shockwave")
    if not frames:
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    for policy in {row.group for row in ShockwaveRuns(frames).replays}:
        assert 1.08 * STATED_ROUND_S < fitted_round_s(ShockwaveRuns(frames), without=policy) < 1.16 * STATED_ROUND_S
