"""What decides about a reading: the loss, by hand, and the file that states it."""

import math
from pathlib import Path

import pytest
import yaml

from artifact.ledger.reading import MISSING, mean_values, numbers_met, outside, read_plan, reading_loss
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

FILE = {
    "paper": "toy",
    "fitted": {
        "reason": "the first figure",
        "numbers": ["toy-1", "toy-2"],
        "printed_twice": {"toy-4": "toy-1"},
        "other_kinds": ["toy-5"],
    },
    "orders": [["toy-1", "toy-2"]],
    "alive": {"at_least": 0.1, "at_most": 0.5, "without": {"slope": 0.0}},
    "violated": 0.2,
    "seeds": {"search": 2, "judged": 4},
    "unknowns": {
        "slope": {"symbol": "s", "where": "eq. 1", "why": "not given", "text": 1.0, "range": [0.0, 10.0]},
        "how": {"symbol": "", "where": "Alg. 1", "why": "two lines differ", "text": "add", "choices": ["add", "take"]},
    },
}
ROWS = ("toy-1,toy,Fig. 1,S,x,10,slot,figure", "toy-2,toy,Fig. 1,S,y,20,slot,figure",
        "toy-3,toy,Fig. 2,S,x,40,slot,figure", "toy-4,toy,Fig. 2,S,y,10,slot,figure",
        "toy-5,toy,Fig. 3,S,x,7,s,figure", "toy-6,toy,text,S,x,true,,text",
        "toy-7,toy,Table 1,S,plan,15-1,,memory")  # fmt: skip


def written(folder: Path, **changed):
    """A folder with the toy's files, some keys replaced, or left out where they are None."""
    content = {key: value for key, value in (FILE | changed).items() if value is not None}
    (folder / "toy.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    (folder / "published.csv").write_text("\n".join(["id,paper,where,series,x,value,unit,trust", *ROWS]) + "\n")
    return folder


def plan_of(folder: Path, **changed):
    return read_plan("toy", written(folder, **changed), folder)


def test_a_number_is_fitted_or_tested_once(tmp_path):
    """What is printed twice, of another kind, or a statement, is neither."""
    plan = plan_of(tmp_path)
    assert (plan.fitted, plan.tested) == (("toy-1", "toy-2"), ("toy-3",))
    assert plan.text == {"slope": 1.0, "how": "add"}
    assert list(plan.judged) == [1000, 1001, 1002, 1003]


def test_the_loss_by_hand(tmp_path):
    """Means over instances 20 and 20 of printed 10 and 20: ln 2 and 0; not ascending, so the order is violated."""
    plan = plan_of(tmp_path)
    values = [{"toy-1": 15.0, "toy-2": 30.0, "alive": 0.2}, {"toy-1": 25.0, "toy-2": 10.0, "alive": 0.4}]
    assert reading_loss(plan, values) == pytest.approx(math.log(2.0) / 2 + 0.2)
    right = [{"toy-1": 10.0, "toy-2": 40.0, "alive": 0.0}]
    assert reading_loss(plan, right) == pytest.approx(math.log(2.0) / 2)
    assert (numbers_met(plan, values, plan.fitted), numbers_met(plan, right, plan.fitted)) == (1, 1)
    assert outside(plan, values) == 0.0
    assert outside(plan, right) == pytest.approx(0.1)
    assert outside(plan, [{"alive": 0.7}]) == pytest.approx(0.2)


def test_a_missing_number_costs_the_most_and_no_number_costs_more(tmp_path):
    """A number that half of the instances give or fewer is missing, and in no order."""
    plan = plan_of(tmp_path)
    half = [{"toy-1": 10.0, "toy-2": 20.0}, {"toy-1": math.nan, "toy-2": 20.0}]
    assert math.isnan(mean_values(half, ["toy-1"])[0])
    assert reading_loss(plan, half) == pytest.approx(MISSING / 2 + 0.2)
    assert reading_loss(plan, [{"toy-1": 1e-6, "toy-2": 20.0}]) == pytest.approx(MISSING / 2)
    assert numbers_met(plan, half, ["toy-1"]) == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 1}, "unknown key 'seed'"),
        ({"orders": [["toy-1", "toy-9"]]}, "'toy-9' is not a published number of toy"),
        ({"fitted": FILE["fitted"] | {"numbers": ["toy-6"]}}, "'toy-6' is not a published number"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, changed, message):
    with pytest.raises(InputError, match=message) as refused:
        plan_of(tmp_path, **changed)
    assert "toy.yaml" in str(refused.value)


# Of Sia, nothing is fitted.
FITTED_PAPERS = sorted(path.stem for path in (ROOT / "config/readings").glob("*.yaml") if path.stem != "sia")


@pytest.mark.parametrize("paper", FITTED_PAPERS)
def test_every_paper_s_file_is_right(paper):
    """And fits some numbers, tests others, and has a reason for each unknown."""
    plan = read_plan(paper)
    assert plan.fitted and plan.tested
    assert not set(plan.fitted) & set(plan.tested)
    assert plan.chosen.keys() == plan.text.keys()
    assert all(unknown.says for unknown in plan.unknowns)
