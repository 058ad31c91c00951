"""Our own ratios and the sections of the page: as the stored runs, the accepted results and the measured files give."""

import csv

import pytest

from artifact.ledger.ledger import read_ledger
from artifact.ledger.measured.ledger import measured_ledger
from artifact.machines import inputs
from artifact.machines.pollux import PolluxRuns
from artifact.machines.shockwave import ShockwaveRuns
from rarlib.model.project import ROOT
from tools import measured

OWN = measured.own_ratios()


def test_the_page_is_current():
    """Remedy: python -m tools.measured"""
    assert measured.VERDICTS.stated() == measured.verdicts(measured_ledger(ROOT, {}).goals)
    assert measured.TESTBEDS.stated() == measured.testbeds(OWN)


def test_sia_is_as_accepted_and_published():
    found = measured.sia_ratios(read_ledger(ROOT / "results" / "expected" / "claims.csv"))
    assert found == pytest.approx(OWN["Sia, 44 GPUs"], rel=1e-5)
    with (ROOT / "data" / "published.csv").open(newline="") as file:
        published = {row["id"]: row for row in csv.DictReader(file)}
    for policy, claims in measured.SIA_PAIRS.items():
        for claim, where in zip(claims, ("simulated", "real"), strict=True):
            assert policy in published[claim]["series"] and where in published[claim]["x"]


@pytest.mark.real
def test_what_is_kept_is_what_the_files_give():
    frames = {name: inputs.load_measured(name) for name in ("shockwave", "pollux")}
    if not all(frames.values()):
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    assert measured.pollux_ratios(PolluxRuns(frames["pollux"])) == pytest.approx(OWN["Pollux, 64 GPUs"], rel=1e-5)
    found = measured.shockwave_ratios(ShockwaveRuns(frames["shockwave"]))
    assert found == pytest.approx(OWN["Shockwave, 32 GPUs"], rel=1e-5)


def test_errors_by_hand():
    """A mean that is a tenth too long, and a policy that only one of the two simulators ran."""
    ours = {testbed: {"Pollux": 1.1} for testbed in OWN}
    shockwave, pollux, _ = measured.testbeds(ours).splitlines()[2:]
    assert pollux.startswith("| Pollux, 64 GPUs | Pollux -10.6%, +10.0%; ")
    assert "| AlloX +2.0%, (not run); " in shockwave and "; Pollux (not run), +10.0% |" in shockwave
