"""A history that our own simulator has made must be agreed with; a disturbed one must not."""

import numpy as np
import pytest

from artifact.slurm.compare import AS_ASKED, contenders, starts, summarize
from artifact.slurm.excerpt import Excerpt, read_excerpt
from artifact.slurm.history import History
from artifact.slurm.replay import REGIMES, limit_minutes
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate
from tests.rarlib.simulator.toys import jobs_of


@pytest.fixture(params=REGIMES, ids=lambda regime: regime.name)
def regime(request):
    return request.param


@pytest.fixture
def excerpt():
    rng = stream(3, "test-slurm")
    submit = np.sort(rng.uniform(0, 25, 24)).round(2)
    rows = zip(submit - submit[0], rng.choice([1, 1, 2, 4, 8], 24), rng.uniform(1, 90, 24).round(2), strict=True)
    return Excerpt(jobs_of(list(rows)), Cluster.parse("4x4"), 600.0, "drawn")


def lived(excerpt, regime, interval=0.0):
    """What Slurm would do if it were our counterpart that looks at the queue at every event."""
    _, scheduler, parameters = contenders(regime, interval)[0]
    run = simulate(excerpt.jobs, excerpt.cluster, make_scheduler(scheduler, dict(parameters)), TraceCost())
    rows = range(len(excerpt.jobs))
    held = [np.flatnonzero(run.alloc_job == row) for row in rows]
    placement = tuple(tuple(zip(run.alloc_node[h].tolist(), run.alloc_gpus[h].tolist(), strict=True)) for h in held)
    nothing = np.zeros(len(rows), np.bool_)
    looks = np.unique(np.concatenate([excerpt.jobs.submit_s, run.finish_s])) if regime.backfill else np.zeros(0)
    return History(excerpt.jobs.submit_s, run.start_s, run.finish_s, nothing, looks, placement, 7200.0, "slurm 0")


def test_our_own_schedule_is_agreed_with(excerpt, regime):
    history = lived(excerpt, regime)
    assert (history.start_s > history.submit_s).sum() > 10
    frame = starts(excerpt, regime, history, 2)
    assert frame["agrees"].all()
    assert frame["same_gpus"].all()


def test_a_start_that_is_late_is_not_agreed_with(excerpt, regime):
    history = lived(excerpt, regime)
    last = int(np.argmax(history.start_s))
    late = history.start_s.copy()
    late[last] += 10.0
    end = history.end_s.copy()
    end[last] += 10.0
    frame = starts(excerpt, regime, history._replace(start_s=late, end_s=end), 2)
    assert frame.index[~frame["agrees"]].tolist() == [last]


def test_the_summary_of_our_own_schedule_shows_no_difference(excerpt, regime):
    first = summarize(excerpt, regime, lived(excerpt, regime), 0).iloc[0]
    assert first["lengths"] == AS_ASKED
    assert (first["same_order"], first["largest_difference_s"]) == (1.0, 0.0)
    assert first["makespan_s"] == first["slurm_makespan_s"]


def test_limits_are_whole_minutes():
    assert [limit_minutes(s, 1.0) for s in (0.0, 59.0, 60.0, 60.01)] == [1, 1, 1, 2]
    assert limit_minutes(30.0, 3.0) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scale": 0.5}, "--scale: must be a number from 1"),
        ({"first": 3}, "--first: there are 3 jobs, 3 are to be left out"),
        ({"cluster": "1x2"}, "job 0 asks for 3 GPUs"),
    ],
)
def test_what_makes_no_window_is_said(tmp_path, given, message):
    path = tmp_path / "my.csv"
    path.write_text("submit_s,gpus,duration_s\n0,3,10\n1,1,10\n2,1,10\n")
    with pytest.raises(InputError, match=message):
        read_excerpt(str(path), **{"cluster": "2x2", "first": 0, "count": 9, "scale": 600.0} | given)
