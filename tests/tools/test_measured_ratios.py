"""Our own ratios: as the stored runs, the accepted claims and the measured files give them."""

import pytest

from rarlib.arena.fidelity import own_runs
from rarlib.evidence.ledger import read_ledger
from rarlib.measured import inputs
from rarlib.measured.pollux import SOURCE_RUNS, PolluxRuns
from rarlib.measured.shockwave import ShockwaveRuns
from rarlib.model.project import ROOT
from tools import measured_pollux
from tools.measured_ratios import pollux_ratios, shockwave_ratios, sia_ratios

OWN = own_runs(ROOT)


def test_sia_is_as_accepted():
    """Errors computed again from accepted claims; the page of the ledger shows them in percent."""
    found = sia_ratios(read_ledger(ROOT / "results" / "expected" / "claims.csv"))
    assert found == pytest.approx(OWN["Sia, 44 GPUs"], rel=1e-5)
    said = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8")
    for ratio in found.values():
        assert f"| {ratio - 1:+.1%} |" in said


@pytest.mark.real
def test_what_is_kept_is_what_the_files_give():
    frames = {name: inputs.load_measured(name) for name in ("shockwave", "pollux")}
    if not all(frames.values()):
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    assert pollux_ratios(PolluxRuns(frames["pollux"])) == pytest.approx(OWN["Pollux, 64 GPUs"], rel=1e-5)
    assert shockwave_ratios(ShockwaveRuns(frames["shockwave"])) == pytest.approx(OWN["Shockwave, 32 GPUs"], rel=1e-5)


@pytest.mark.real
def test_the_page_is_made_from_the_files():
    """Remedy: python -m tools.measured_pollux"""
    frames = inputs.load_measured("pollux")
    if not frames:
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    assert measured_pollux.SECTION.stated() == measured_pollux.from_source(PolluxRuns(frames))


def test_a_run_that_was_not_made_is_said_so():
    """Three hours predicted of two measured are half too many."""
    hours = {f"{run}/mean": 2.0 for run in SOURCE_RUNS}
    first, *others = measured_pollux.render(hours, {"ours": {"pollux/mean": 3.0}}).splitlines()[2:]
    assert first == "| Pollux | +50.0% |" and len(others) == len(SOURCE_RUNS) - 1
    assert all(line.endswith("| not run |") for line in others)
