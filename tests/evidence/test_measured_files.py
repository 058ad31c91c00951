"""Files of the measured ledger that were changed by hand: what is wrong is named, and where."""

import shutil

import pytest

from rarlib.evidence.measured.goals import read_goals
from rarlib.evidence.measured.ledger import ACCEPTED, DECLARED, measured_ledger
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

GOAL = "{title: t, source: s, table: x, quantity: q, unit: s, headline: h"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"goals: {{1: {GOAL}}}}}", "field goals: must be named by a text, found 1"),
        (f"goals: {{G1: {GOAL}, tests: 5}}}}", "field G1.tests: must be a list"),
        (f"goals: {{G1: {GOAL}, tests: [{{error: 1, over: [[a]]}}]}}}}", "must be all, each or a list of groups"),
    ],
)
def test_a_goal_that_is_none(tmp_path, text, said):
    (tmp_path / "goals.yaml").write_text(text)
    with pytest.raises(InputError, match=r"goals\.yaml") as refused:
        read_goals(tmp_path)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("measured-goals.csv", lambda rows: [rows[0], *rows[2:]], "field goal: needs one row of G1"),
        ("measured.csv", lambda rows: [*rows[:2], rows[1], *rows[2:]], "row 3: repeats goal, predictor and group"),
        ("measured.csv", lambda rows: [rows[0], *rows[2:]], "field group: needs a row of"),
    ],
)
def test_accepted_scores_of_which_a_row_is_missing_or_twice(tmp_path, name, change, said):
    for part in (DECLARED, ACCEPTED):
        shutil.copytree(ROOT / part, tmp_path / part)
    path = tmp_path / ACCEPTED / name
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))
    with pytest.raises(InputError, match=name) as refused:
        measured_ledger(tmp_path, {})
    assert said in str(refused.value)
