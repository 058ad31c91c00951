"""`rarlib claims`: short lines, stand-ins counted apart."""

import pandas as pd
import pytest

from artifact.ledger.ledger import CLAIM_COLUMNS

LONG = "a reason that goes on and on, because a number has a history that cannot be told in a single line of a terminal"
EMPTY = dict.fromkeys(CLAIM_COLUMNS, "")


def row(name, verdict, **more):
    own = {"published": name, "paper": "sia", "statement": "avg JCT", "value": "2.5", "unit": "h", "ours": "2.4"}
    return {**EMPTY, **own, "verdict": verdict, "role": "tested", "standin": "False", "trust": "table", **more}


@pytest.fixture
def results(tmp_path):
    rows = [
        row("sia-a-rather-long-name-of-a-claim-001", "reproduced", reason=LONG, statement=f"{LONG}, {LONG}"),
        row("sia-002", "reproduced", standin="True"),
        row("sia-003", "reproduced", standin="True"),
        row("gadget-1", "wrong size", paper="gadget", reason="too small", not_headline="2 seeds instead of 30"),
        row("own-1", "holds", value="true", unit="", trust="own", role="own"),
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "claims.csv", index=False)
    return tmp_path


def test_a_claim_takes_two_lines_of_80_columns(results, run, monkeypatch):
    """Ids stay whole, reasons are cut."""
    monkeypatch.delenv("COLUMNS", raising=False)
    code, told = run("claims", results)
    lines = told.out.splitlines()
    assert code == 0
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("sia-a-rather-long-name-of-a-claim-001 ")
    assert lines[1].startswith("  reproduced: 2.4 (published 2.5 h); a reason")
    assert lines[1].endswith("…")
    assert lines[2].startswith("sia-002")
    assert "on a stand-in" in lines[3]


def test_stand_ins_are_counted_apart(results, run):
    """What made-up jobs reproduce says less than what recorded ones do."""
    _, told = run("claims", results)
    said = " ".join(told.out.split())
    assert "5 claims: reproduced 1, and 2 on stand-ins; wrong size 1; holds 1" in said
    assert "NOT THE HEADLINE, in 1 of 5 claims: 2 seeds instead of 30" in said


@pytest.mark.parametrize(
    ("words", "found"),
    [(["--paper", "gadget"], "gadget-1"), (["--verdict", "holds"], "own-1"), (["--find", "too SMALL"], "gadget-1")],
)
def test_filters(results, words, found, run):
    code, told = run("claims", results, *words)
    assert code == 0
    assert told.out.startswith(found) and "1 claims:" in told.out


def test_nothing_found_and_unknown_values(results, run, refused):
    code, told = run("claims", results, "--find", "nothing has this")
    assert (code, told.out) == (0, "no claim\n")
    assert "known: holds, reproduced, wrong size" in refused("claims", results, "--verdict", "maybe")
