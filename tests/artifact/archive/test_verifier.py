"""The verifier runs without packages, agrees with an untouched deposit, and says what does not agree."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from artifact.archive.contents import PROGRAMS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_small_and_needs_no_package(name):
    """Python 3.9 parses it, and it imports its own files and the standard library only."""
    text = (ROOT / "workflow/archive" / name).read_text(encoding="utf-8")
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


def test_another_root_is_noticed(unpacked, verifier):
    code, lines = verifier(unpacked, "0" * 64)
    assert code == 1
    assert "root digest" in lines[0]


def test_nothing_to_check(tmp_path, verifier):
    assert verifier(tmp_path)[0] == 2
