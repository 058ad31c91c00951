"""The verifier runs without packages, agrees with an untouched deposit, and says what does not agree."""

import ast
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest

from artifact.archive.contents import PROGRAMS
from artifact.ledger.outcome import Outcome
from artifact.ledger.settled import settled_share, settled_value

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_small_and_needs_no_package(name):
    """Python 3.9 parses it, and it imports its own files and the standard library only."""
    text = (ROOT / "archive" / name).read_text(encoding="utf-8")
    assert text.count("\n") < 300
    tree = ast.parse(text, feature_version=(3, 9))
    imported = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported - {each.removesuffix(".py") for each in PROGRAMS} <= set(sys.stdlib_module_names)
    # What Python 3.9 parses but does not have.
    assert not [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "strict" and _is_zip(tree, node)
    ]
    assert not {"tomllib", "graphlib"} & imported


def _is_zip(tree, keyword):
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and keyword in node.keywords)
    return any(isinstance(call.func, ast.Name) and call.func.id in ("zip", "map") for call in calls)


def test_an_untouched_deposit_agrees(unpacked, verifier):
    code, lines = verifier(unpacked)
    assert (code, lines[:-1]) == (0, [])


def test_it_runs_as_its_reader_runs_it(unpacked, tmp_path):
    """Isolated, without site-packages, from elsewhere; it leaves nothing behind."""
    before = sorted(path for path in unpacked.rglob("*"))
    command = [sys.executable, "-I", "-S", str(unpacked / "verify.py")]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env={})
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.startswith("all agrees; root digest ")
    assert sorted(path for path in unpacked.rglob("*")) == before


@pytest.mark.usefixtures("verifier")
def test_settled_agrees_with_scipy_s_intervals():
    """The ledger asks scipy for quantiles, the verifier computes the incomplete beta function itself."""
    own = sys.modules["verify_formulas"]
    rng, words = random.Random(1), set()
    for _ in range(2000):
        seeds, spread, value = rng.randint(1, 40), rng.choice([0.0, 0.3, 2.0]), rng.uniform(5, 15)
        want = settled_value(Outcome(value, spread if seeds > 1 else math.nan, seeds), 10.0, 1.0)
        assert own.settled_mean(own.Outcome(value, seeds, None, spread if seeds > 1 else math.nan), 10.0, 1.0) == want
        won, needed = rng.randint(0, seeds), rng.choice([0.5, 0.75, 0.9, 1.0])
        share = settled_share(Outcome(won / seeds, math.nan, seeds, holds=True, at_least=needed))
        assert own.settled_share(own.Outcome(won / seeds, seeds, True, at_least=needed)) == share
        words |= {(want, share)}
    assert {"yes", "no", "single run"} == {word for pair in words for word in pair}


@pytest.mark.usefixtures("verifier")
@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("-3.2% of the published value", "-3.3% of the published value", True),
        ("-3.2% of the published value", "-3.4% of the published value", False),
        ("1.04 [0.98, 1.10] on 12 windows", "1.04 [0.98, 1.10] on 13 windows", False),
        ("1.04 [0.98, 1.10] on 12 windows", "1.04 [0.97, 1.10] on 12 windows", True),
        ("off by +1.23e-05", "off by +1.24e-05", True),
        ("off by +1.23e-05", "off by +1.23e-04", False),
        ("holds in 90% of 20 seeds", "holds in 95% of 20 seeds", False),
        ("robust (holds in 3 of 4)", "tied in all 4", False),
    ],
)
def test_sentences_agree_up_to_the_last_printed_place(one, other, agree):
    assert sys.modules["verify_ledger"].alike(one, other) is agree


def test_another_root_is_noticed(unpacked, verifier):
    code, lines = verifier(unpacked, "0" * 64)
    assert code == 1
    assert "root digest" in lines[0]


def test_nothing_to_check(tmp_path, verifier):
    assert verifier(tmp_path)[0] == 2
