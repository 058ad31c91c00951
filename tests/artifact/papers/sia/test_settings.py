"""Settings of Sia's tables: a job alone has its fair share whatever they are; wrong ones are named."""

import pytest

from artifact.papers.sia.cells import run_cell
from artifact.run.settings import configuration, section_of, settings_of
from rarlib.model.errors import InputError

FILES = {"philly": [6], "helios": [6], "newtrace": [], "rate": [], "testbed": [1]}


def settings(part, **changed):
    found = settings_of(section_of(configuration(), "sia"), part)
    return {**found, "files": FILES, "sweeps": [6], "jobs": 6, **changed}


@pytest.mark.parametrize("changed", [{}, {"round_s": 120}, {"p": 0.5}, {"bootstrap": "oracle"}])
def test_a_job_alone_has_its_fair_share(data, changed):
    """On one GPU type a job that nobody else joins takes as long as alone: its policy has the same parameters there."""
    made = settings("table3", jobs=1, cluster="homogeneous", **changed)
    frame = run_cell("table3", "sia", made, data)
    assert frame[frame["metric"] == "rho"]["value"].tolist() == pytest.approx([1.0, 1.0], abs=0.02)


@pytest.mark.parametrize(
    ("part", "changed", "field"),
    [
        ("rigid", {"shares": [10, 50]}, "shares"),
        ("testbed", {"cluster": "two nodes"}, "cluster"),
        ("testbed", {"cluster": "a100:1x1"}, "cluster"),
        ("testbed", {"cluster": "abacus:16x4"}, "cluster"),
        ("table4", {"files": {**FILES, "philly": []}}, "files"),
        ("table4", {"files": {**FILES, "philly": [3]}}, "files"),
    ],
)
def test_what_cannot_be_run_is_named(data, part, changed, field):
    """The schema does not know clusters and files; the cell says which setting is wrong."""
    with pytest.raises(InputError) as refused:
        run_cell(part, "sia", settings(part, **changed), data)
    assert refused.value.field == field
