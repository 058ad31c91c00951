"""A history that our own simulator has made must be agreed with; a disturbed one must not."""

import numpy as np
import pytest

from artifact.slurm.compare import contenders, starts
from artifact.slurm.excerpt import Excerpt, read_excerpt
from artifact.slurm.history import History
from artifact.slurm.replay import REGIMES
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.records.write import write_run
from rarlib.schedulers.fifo import Fifo
from rarlib.simulator.engine import simulate
from tests.rarlib.simulator.toys import jobs_of


@pytest.fixture(params=REGIMES, ids=lambda regime: regime.name)
def regime(request):
    return request.param


@pytest.fixture
def excerpt():
    rng = stream(3, "test-slurm")
    submit = np.sort(rng.uniform(0, 60, 60)).round(2)
    rows = zip(submit - submit[0], rng.choice([1, 1, 2, 4, 8, 16], 60), rng.uniform(1, 90, 60).round(2), strict=True)
    return Excerpt(jobs_of(list(rows)), Cluster.parse("8x4"), 600.0, "drawn")


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
    assert (history.start_s > history.submit_s).sum() > 20
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


def test_a_run_is_a_window_with_its_own_cluster(tmp_path):
    jobs = jobs_of([(100, 3, 1200), (700, 1, 600), (1300, 4, 60)])
    run = simulate(jobs, Cluster.parse("2x2"), Fifo(), TraceCost())
    write_run(run, tmp_path, {"node_groups": [["gpu", 2, 2]], "cluster": "2x2"})
    excerpt = read_excerpt(str(tmp_path), None, first=1, count=5, scale=600.0)
    assert excerpt.cluster.gpus.tolist() == [2, 2]
    assert excerpt.jobs.submit_s.tolist() == [0.0, 1.0]
    assert excerpt.jobs.duration_s.tolist() == [1.0, 0.1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"scale": 0.5}, "--scale: must be a number from 1"),
        ({"cluster": None}, "--cluster: a trace needs a cluster"),
        ({"first": 3}, "--first: there are 3 jobs, 3 are to be left out"),
        ({"cluster": "1x2"}, "job 0 asks for 3 GPUs"),
    ],
)
def test_what_makes_no_window_is_said(tmp_path, given, message):
    path = tmp_path / "my.csv"
    path.write_text("submit_s,gpus,duration_s\n0,3,10\n1,1,10\n2,1,10\n")
    with pytest.raises(InputError, match=message):
        read_excerpt(str(path), **{"cluster": "2x2", "first": 0, "count": 9, "scale": 600.0} | given)
