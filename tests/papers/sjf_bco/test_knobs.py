"""Parameters of the figures change the cells as the theory says, and impossible values are told."""

from collections import Counter

import numpy as np
import pytest

from rarlib.model.errors import InputError
from rarlib.notebook.knobs import with_knobs
from rarlib.papers.sjf_bco import optimality
from rarlib.papers.sjf_bco.cells import run_cell
from rarlib.papers.sjf_bco.instance import JOB_MIX, gangs_of
from rarlib.workflow.settings import configuration
from tests.papers.sjf_bco.headline import headline

ONE = {"seeds": 1, "readings": ["stated"]}


def makespan(figure, scheduler="sjf-bco", **over):
    """Makespan by x of one instance."""
    frame = run_cell(figure, scheduler, headline(figure, **ONE | over))
    return frame[frame["metric"] == "makespan"].set_index("x")["value"]


def test_the_paper_s_mix_is_scaled():
    """160 jobs are the stated ones; twice as many are each gang twice; any number is met, its shares within one job."""
    assert Counter(gangs_of(160).tolist()) == JOB_MIX
    assert Counter(gangs_of(320).tolist()) == {gang: 2 * count for gang, count in JOB_MIX.items()}
    for jobs in range(4, 200):
        counts = Counter(gangs_of(jobs).tolist())
        assert sum(counts.values()) == jobs
        assert all(abs(counts[gang] - jobs * count / 160) < 1 for gang, count in JOB_MIX.items())


def test_more_jobs_take_longer():
    """Four times the jobs on the same GPUs: the bound, to which their area contributes, more than doubles."""
    frames = [run_cell("fig4", "first-fit", headline("fig4", **ONE, jobs=jobs)) for jobs in (160, 640)]
    one, four = (frame.set_index("metric")["value"] for frame in frames)
    assert four["bound"] > 2 * one["bound"]
    assert four["makespan"] >= four["bound"]


def test_contention_is_that_of_the_reading_unless_given():
    """With more of it LS, whose plan it does not enter, ends no earlier."""
    assert makespan("fig4", "list-scheduling", alpha=4)[20] >= makespan("fig4", "list-scheduling")[20]
    assert makespan("fig4", alpha=0.3).equals(makespan("fig4"))


def test_a_horizon_below_every_schedule_leaves_none():
    """T binds SJF-BCO and RAND; FF and LS have limits of their own."""
    assert np.isnan(makespan("fig4", T=20)[20])
    assert np.isfinite(makespan("fig4", "first-fit", T=20)[20])


def test_axes_are_settings():
    assert list(makespan("fig5", kappas=[1, 32]).index) == [1, 32]
    assert list(makespan("fig6", servers=[12, 20]).index) == [12, 20]
    assert list(makespan("fig7", lambdas=[1, 3]).index) == [1, 3]


def test_lambda_does_not_matter_when_every_gang_is_packed():
    """At kappa = 32 no gang counts as large, so Fig. 7 is flat."""
    assert makespan("fig7", kappa=32).nunique() == 1


def test_optimality_follows_its_settings():
    """Sizes of small instances are an axis; more contention cannot shorten a proven optimum."""
    frames = {}
    for alpha in (0.0, 8.0):
        settings = headline("small", "optimality", seeds=4, sizes=[4, 5], limit=2, alpha=alpha, xi=1.0)
        frame = optimality.run_cell("small", "exact", settings)
        frames[alpha] = frame[frame["metric"] == "makespan"].set_index(["x", "seed"])["value"]
    assert set(frames[0.0].index.get_level_values("x")) == {4, 5}
    assert (frames[8.0] >= frames[0.0]).all()


@pytest.mark.parametrize(
    ("tables", "knobs", "rule"),
    [
        (["sjf-bco-fig4"], {"servers": 21}, "21"),
        (["sjf-bco-fig4"], {"readings": ["headline"]}, "headline"),
        (["sjf-bco-fig5"], {"kappas": [64]}, "64"),
        (["sjf-bco-fig4"], {"jobs": 1}, "1"),
        (["sjf-bco-fig7"], {"lambdas": []}, "empty|short"),
        (["sjf-bco-eq8"], {"peak_share": 0}, "0"),
        (["sjf-bco-inference"], {"draws": 0}, "0"),
        (["optimality-small"], {"sizes": [40]}, "40"),
        (["philly-jct"], {"restart_s": -1}, "-1"),
        (["sjf-bco-eq8"], {"seeds": 3}, "unknown parameter"),
    ],
)
def test_an_impossible_value_names_its_parameter(tables, knobs, rule):
    with pytest.raises(InputError, match=rule) as told:
        with_knobs(configuration(), tables, knobs)
    assert told.value.field == next(iter(knobs))


@pytest.mark.parametrize(
    ("run", "field"),
    [
        (lambda: run_cell("eq8", "all", headline("eq8", sharers=[16])), "sharers"),
        (lambda: optimality.run_cell("scale", "bounds", headline("scale", "optimality", servers=1)), "servers"),
    ],
)
def test_what_only_a_cell_can_refuse_names_its_parameter(run, field):
    with pytest.raises(InputError) as told:
        run()
    assert told.value.field == field
