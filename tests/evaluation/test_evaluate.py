"""Scores: those of the same scheduler in this process, within the proven bound, and the same every time."""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rarlib.discovery import make_scheduler
from rarlib.evaluation.evaluate import POLICY_BASELINES, evaluate
from rarlib.evaluation.processes import PolicyLimits, PolicyProcesses
from rarlib.evaluation.remote import RemoteScheduler
from rarlib.evaluation.workloads import EVALUATION_SETTINGS
from rarlib.model.errors import InputError
from rarlib.simulator.engine import simulate

ORDERED = """
from rarlib.schedulers.shared.ordering import Ordered
class Same(Ordered):
    name = "{name}"
    order, head_blocks, preemptive = {rule[0]!r}, {rule[1]}, {rule[2]}
    def __init__(self):
        super().__init__(placement={rule[3]!r})
"""
RULES = {
    "fifo": ("submission", True, False, "any"),
    "sjf": ("duration", False, False, "random"),
    "srtf": ("remaining", False, True, "pack"),
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("setting", EVALUATION_SETTINGS[3:5], ids=lambda setting: setting.name)
def test_a_built_in_scheduler_in_a_file_gives_the_same_schedule(name, setting):
    """What crosses the connection is exact: the same bytes, random placements included."""
    drawn, rule = setting.draw(1), RULES[name]
    here = make_scheduler(name, {"placement": rule[3]})
    with PolicyProcesses() as processes:
        connect = partial(processes.start, limits=PolicyLimits(answer_s=60.0))
        there = RemoteScheduler("file", connect, ORDERED.format(name=name, rule=rule), 5)
        runs = [simulate(drawn.jobs, drawn.cluster, each, drawn.cost, seed=5, compiled=False) for each in (here, there)]
        there.close()
    one, other = (run.jobs_frame().to_csv() + run.allocations_frame().to_csv() for run in runs)
    assert one == other


@pytest.fixture(scope="module")
def srtf(tmp_path_factory):
    path = tmp_path_factory.mktemp("policies") / "mine.py"
    path.write_text(ORDERED.format(name="srtf", rule=("remaining", False, True, "any")))
    return path


def test_a_policy_is_as_good_as_itself(srtf):
    """SRTF in a file ties with SRTF exactly; no mean JCT is below its bound; the same seeds give the same tables."""
    found, again = (evaluate(srtf, seeds=2, budget_s=300.0) for _ in range(2))
    assert (found.failure, found.seeds) == ("", 2)
    assert np.allclose(found.settings["srtf"], 1.0, rtol=1e-12)
    assert found.first_look_s < 2.0
    assert (found.settings["over_bound"] >= 1.0).all()
    assert 0.0 < found.score <= 1.0
    assert found.score == pytest.approx(np.exp(-np.log(found.settings["over_bound"]).mean()), rel=1e-12)
    table = found.baselines.set_index("baseline")
    assert set(table.index) == set(POLICY_BASELINES)
    assert (table["low"] <= table["ratio"] + 1e-12).all()
    assert (table["ratio"] <= table["high"] + 1e-12).all()
    assert not table.loc["srtf", "distinguishable"]
    assert table.loc["fifo", "high"] < 1.0
    assert found.settings.equals(again.settings)
    assert found.baselines.equals(again.baselines)


def test_the_budget_ends_an_evaluation(srtf):
    """Before every setting has run once, that is the policy's failure."""
    found = evaluate(srtf, budget_s=1e-3)
    assert found.seeds == 0
    assert re.fullmatch(r"too slow: setting 'steady', [\w .]+: the budget of 0.001 s was over", found.failure)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("while True: pass", "no answer within 0.5 s"),
        ("1 / 0", "ZeroDivisionError: division by zero (line 8)"),
        ("import os; os._exit(3)", "it ended itself (exit code 3)"),
        ('open("/etc/passwd")', "PermissionError"),
        ("return [Start(0, ((0, 1),))]", "job 0 cannot start"),
    ],
)
def test_a_policy_that_behaves_in_the_first_look_only(line, reason, tmp_path):
    """It knows the first look by its few jobs; the reason names the setting and the seed, and no score is given."""
    path = tmp_path / "two_faced.py"
    path.write_text(
        f"""from rarlib import Start
from rarlib.schedulers.shared.ordering import Ordered
class TwoFaced(Ordered):
    name = "two-faced"
    order, head_blocks, preemptive = "submission", False, False
    def decide(self, view):
        if len(view.prices.work) > 25 and view.arrivals_left < 50:
            {line}
        yield from super().decide(view)
""".replace("            return [", "            yield from [")
    )
    found = evaluate(path, budget_s=120.0, seeds=1, allowed=PolicyLimits(answer_s=0.5))
    assert found.failure.startswith("setting 'steady', seed 1: ") and reason in found.failure
    assert (found.seeds, len(found.settings), np.isnan(found.score)) == (0, 0, True)


@pytest.mark.parametrize("options", [{"budget_s": 0.0}, {"budget_s": float("nan")}, {"seeds": 0}])
def test_options_out_of_range_are_refused(srtf, options):
    with pytest.raises(InputError, match="must be"):
        evaluate(srtf, **options)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / "policy.py").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        evaluate(tmp_path / "policy.py")
