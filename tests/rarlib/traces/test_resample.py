"""Resampling keeps what it says, and stretching reaches the load it is told."""

import numpy as np
import pytest

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.traces.audit import audit
from rarlib.traces.describe import week_s
from rarlib.traces.load import Trace
from rarlib.traces.resample import at_load, resampled, stretched

CLUSTER = Cluster.parse("2x8")


def trace_of(days: int = 30, starts: str = "2020-03-02T00:00:00", seed: int = 1) -> Trace:
    rng = np.random.default_rng(seed)
    n = days * 20
    submit = np.sort(rng.uniform(0, days * 86_400, n))
    submit[0] = 0
    # The length names the day of submission, so that a drawn job tells where it comes from.
    jobs = Jobs.build(
        submit_s=submit,
        gpus=rng.choice([1, 2, 8], n),
        duration_s=1 + submit // 86_400,
        user=[f"u{i}" for i in range(n)],
    )
    return Trace(jobs, {"name": "t", "starts": starts, "note": "", "read": n, "kept": n, "dropped": {}})


def test_days_stay_together() -> None:
    trace = trace_of()
    made = resampled(trace, "days", 4)
    of_user = dict(zip(trace.jobs.user, week_s(trace), strict=True))
    recorded = np.array([of_user[user] for user in made.jobs.user])
    times = week_s(made)
    assert recorded % 86_400 == pytest.approx(times % 86_400, abs=1e-3), "time of day"
    assert (recorded // 86_400 % 7).tolist() == (times // 86_400 % 7).tolist(), "weekday"
    assert len({*recorded // 86_400}) < 30, "some days are drawn twice"
    for day in np.unique(times // 86_400):
        mine = times // 86_400 == day
        source = np.unique(recorded[mine] // 86_400)
        assert len(source) == 1
        assert mine.sum() == (week_s(trace) // 86_400 == source[0]).sum(), "the whole day"


def test_jobs_keep_their_joint_distribution() -> None:
    trace = trace_of()
    made = resampled(trace, "jobs", 4)
    assert made.jobs.submit_s == pytest.approx(trace.jobs.submit_s)
    of_user = {user: (g, d) for user, g, d in zip(trace.jobs.user, trace.jobs.gpus, trace.jobs.duration_s, strict=True)}
    drawn = list(zip(made.jobs.gpus, made.jobs.duration_s, strict=True))
    assert drawn == [of_user[user] for user in made.jobs.user]
    # Of n drawn with replacement, a share of 1 - 1/e is drawn at least once.
    assert len({*made.jobs.user}) / len(made.jobs) == pytest.approx(1 - 1 / np.e, abs=0.05)


@pytest.mark.parametrize("load", [0.3, 0.9, 1.4])
def test_the_load_is_reached(load: float) -> None:
    facts = audit(at_load(trace_of(), load, CLUSTER), CLUSTER).set_index("quantity")["value"]
    assert facts["offered load on 2x8"] == pytest.approx(load)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda trace: resampled(trace, "weeks", 0), "--by: must be one of days, jobs"),
        (lambda trace: resampled(trace_of(1), "days", 0), "--by: all jobs are of one day"),
        (lambda trace: stretched(trace, float("nan")), "--stretch: must be a number above 0"),
        (lambda trace: at_load(trace, 0, CLUSTER), "--load: must be a number above 0"),
    ],
)
def test_what_cannot_be_is_refused(call, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        call(trace_of())
