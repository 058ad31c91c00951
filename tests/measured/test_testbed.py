"""Sia's testbed on the page: current, and errors computed again from the published numbers."""

import csv

from rarlib.evidence.ledger import read_ledger
from rarlib.model.project import ROOT
from tools import measured_testbed

LEDGER = ROOT / "results" / "expected" / "claims.csv"


def test_the_page_is_current():
    assert measured_testbed.SECTION.stated() == measured_testbed.render(read_ledger(LEDGER)).strip()


def test_errors_are_against_the_machines():
    with (ROOT / "data" / "published.csv").open(newline="") as file:
        published = {row["id"]: row for row in csv.DictReader(file)}
    said = measured_testbed.render(read_ledger(LEDGER)).splitlines()[2:]
    for line, (policy, (simulated, measured)) in zip(said, measured_testbed.PAIRS.items(), strict=True):
        assert policy in published[simulated]["series"] and "simulated" in published[simulated]["x"]
        assert policy in published[measured]["series"] and "real" in published[measured]["x"]
        error = float(published[simulated]["value"]) / float(published[measured]["value"]) - 1
        assert f"| {error:+.1%} |" in line
