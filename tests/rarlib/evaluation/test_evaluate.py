"""Scores: those of the same scheduler in this process, within the proven bound, and the same every time."""

from pathlib import Path

import numpy as np
import pytest

from rarlib.evaluation.evaluate import POLICY_BASELINES, evaluate
from rarlib.model.errors import InputError

SRTF = """
from rarlib.schedulers.shared.ordering import Ordered
class Same(Ordered):
    name = "srtf"
    order, head_blocks, preemptive = "remaining", False, True
    def __init__(self):
        super().__init__(placement="any")
"""


@pytest.fixture(scope="module")
def srtf(tmp_path_factory):
    path = tmp_path_factory.mktemp("policies") / "mine.py"
    path.write_text(SRTF)
    return path


def test_a_policy_is_as_good_as_itself(srtf):
    """SRTF in a file ties with SRTF exactly; no mean JCT is below its bound; the same seeds give the same tables."""
    found, again = (evaluate(srtf, seeds=2, budget_s=300.0) for _ in range(2))
    assert (found.failure, found.seeds) == ("", 2)
    assert np.allclose(found.settings["srtf"], 1.0, rtol=1e-12)
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
    assert found.failure.startswith("too slow: setting ")
    assert found.failure.endswith(": the budget of 0.001 s was over")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("class A:\n    def decide(self, view):\n        while True: pass", "its time was over"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module' (line 1)"),
        ("import ctypes\nctypes.string_at(0)", "it crashed (SIGSEGV)"),
        ("import os; os._exit(3)", "it ended itself (exit code 3)"),
        ("x = bytearray(1 << 33)", "MemoryError (line 1)"),
        ("class A:\n    def decide(self, view):\n        return 1 / 0", "ZeroDivisionError: division by zero ("),
        ("class A:\n    def decide(self, view): return []", "the scheduler never starts it"),
        ("x = (", "SyntaxError: '(' was never closed (policy.py, line 1)"),
        ("x = 1", "the file must define one class with a method decide, 0 found"),
    ],
)
def test_reasons_say_what_to_mend(text, reason, tmp_path):
    """And nothing is written beside the file."""
    path = tmp_path / "policy.py"
    path.write_text(text)
    found = evaluate(path, budget_s=5.0, seeds=1)
    assert found.failure.startswith("first look: ") and reason in found.failure
    assert (found.seeds, len(found.settings), np.isnan(found.score)) == (0, 0, True)
    assert list(tmp_path.iterdir()) == [path]


def test_a_policy_that_fails_after_the_first_look_gets_no_score(tmp_path):
    """It knows the first look by its few jobs; the reason names the setting and the seed."""
    path = tmp_path / "two_faced.py"
    path.write_text(SRTF + "    def decide(self, view):\n        if len(view.prices.work) > 25: 1 / 0\n"
                    "        yield from super().decide(view)\n")  # fmt: skip
    found = evaluate(path, seeds=1)
    assert found.failure.startswith("setting 'steady', seed 1: scheduler srtf failed in pass 1 at 0 s: ZeroDiv")
    assert found.seeds == 0


@pytest.mark.parametrize("options", [{"budget_s": 0.0}, {"budget_s": float("nan")}, {"seeds": 0}])
def test_options_out_of_range_are_refused(srtf, options):
    with pytest.raises(InputError, match="must be"):
        evaluate(srtf, **options)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / "policy.py").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        evaluate(tmp_path / "policy.py")
