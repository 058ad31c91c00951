"""Parameters of the figures change the cells as the theory says, and impossible values are told."""

from collections import Counter

import pytest

from rarlib.model.errors import InputError
from rarlib.notebook.knobs import with_knobs
from rarlib.papers.sjf_bco import optimality
from rarlib.papers.sjf_bco.cells import run_cell
from rarlib.papers.sjf_bco.instance import JOB_MIX, gangs_of
from rarlib.workflow.settings import configuration
from tests.papers.sjf_bco.headline import headline


def test_the_paper_s_mix_is_scaled():
    """160 jobs are the stated ones; twice as many are each gang twice; any number is met, its shares within one job."""
    assert Counter(gangs_of(160).tolist()) == JOB_MIX
    assert Counter(gangs_of(320).tolist()) == {gang: 2 * count for gang, count in JOB_MIX.items()}
    for jobs in range(4, 200):
        counts = Counter(gangs_of(jobs).tolist())
        assert sum(counts.values()) == jobs
        assert all(abs(counts[gang] - jobs * count / 160) < 1 for gang, count in JOB_MIX.items())


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
