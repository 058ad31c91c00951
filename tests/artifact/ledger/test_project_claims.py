"""The claims of the project itself: every id is answered, proofs have tests, numbers printed twice agree."""

from pathlib import Path

import pytest

from artifact.ledger import ledger
from artifact.ledger.claims import read_claims
from artifact.ledger.published import read_listed
from artifact.ledger.verdicts import VERDICTS

ROOT = Path(__file__).parents[3]


def test_the_projects_own_claims_are_sound():
    """All files load, and every published id has exactly one row, whatever has been run."""
    published = read_listed(ROOT / "data")
    read_claims(ROOT / "config/claims", set(published["id"]))
    rows = ledger.build(ROOT / "data", ROOT / "config/claims", Path("nowhere"))
    assert rows["published"].tolist() == published["id"].tolist()
    assert set(rows["verdict"]) <= {"", *VERDICTS}


def test_the_test_that_proves_a_number_impossible_exists():
    claims = read_claims(ROOT / "config/claims", set(read_listed(ROOT / "data")["id"]))
    for claim in claims.values():
        if claim.impossible:
            file, name = claim.impossible.test.split("::")
            assert f"def {name.split('[')[0]}(" in (ROOT / file).read_text(), claim.published


def test_numbers_printed_twice_are_the_same_number():
    """To the digits of the one that is printed with fewer: 5.3 in the text is 5.28 in the table."""
    listed = read_listed(ROOT / "data").set_index("id")["value"]
    for name, claim in read_claims(ROOT / "config/claims", set(listed.index)).items():
        if claim.same_as and listed[name] != listed[claim.same_as]:
            printed = [listed[name], listed[claim.same_as]]
            digits = min(len(text.partition(".")[2]) for text in printed)
            assert len({round(float(text), digits) for text in printed}) == 1, name


@pytest.mark.parametrize("paper", ["sjf-bco", "gadget", "pipedream", "aiturbo", "sia", "arena"])
def test_every_id_of_a_regenerated_paper_is_answered(paper):
    published = read_listed(ROOT / "data")
    ids = set(published[published["paper"] == paper]["id"])
    assert ids <= read_claims(ROOT / "config/claims", set(published["id"])).keys()
