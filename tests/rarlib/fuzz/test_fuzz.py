"""Odd inputs that were ever a finding, for every boundary of the artifact; `make release` draws new ones."""

import csv
import re
import subprocess
import sys

from rarlib.model.project import ROOT
from tests.rarlib.fuzz.registry import TARGETS


def fuzz(*words, timeout_s):
    command = [sys.executable, "-m", "tools.fuzz", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout_s, check=False)


def test_what_was_once_a_finding_is_none():
    """Each file of the corpus is an input that once ended in a traceback, took too much, or touched other files."""
    done = fuzz("--corpus", timeout_s=1_200)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]
    assert int(re.search(r"corpus: (\d+) cases", done.stdout)[1]) > 30


def test_the_accepted_summary_names_every_target_and_no_finding():
    """Remedy: python -m tools.fuzz --accept"""
    rows = list(csv.DictReader((ROOT / "results/expected/fuzz.csv").open(encoding="utf-8")))
    assert [row["target"] for row in rows] == [*sorted(TARGETS), "all"]
    for row in rows:
        assert int(row["cases"]) == int(row["valid"]) + int(row["refused"]) > 0
        assert row["findings"] == "0"
    assert int(rows[-1]["cases"]) == sum(int(row["cases"]) for row in rows[:-1])
