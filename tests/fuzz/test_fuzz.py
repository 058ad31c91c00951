"""New odd inputs in every run of the tests, and all that were ever a finding, for every boundary of the artifact."""

import csv
import os
import subprocess
import sys
import warnings

from rarlib.model.project import ROOT
from tests.fuzz.registry import TARGETS

CASES, LIMIT_S = 2_000, 120.0


def fuzz(*words, timeout_s):
    command = [sys.executable, "-m", "tools.fuzz", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout_s, check=False)


def test_new_inputs_end_in_a_result_or_in_the_documented_error():
    """RARLIB_FUZZ_SEED repeats a run; the seed and the number of cases stand in the summary of the tests."""
    seed = os.environ.get("RARLIB_FUZZ_SEED") or int.from_bytes(os.urandom(4))
    done = fuzz("--seed", seed, "--cases", CASES, "--limit-s", LIMIT_S, timeout_s=1_200)
    stopped = [line for line in done.stdout.splitlines() if line.startswith("!!!!")]
    total = next((line for line in done.stdout.splitlines() if line.startswith("all,")), "none ran")
    said = f"fuzz: seed {seed}; all, cases, valid, refused, findings, seed: {total} {stopped}"
    warnings.warn(said, UserWarning, stacklevel=1)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]


def test_what_was_once_a_finding_is_none():
    """Each file of the corpus is an input that once ended in a traceback, took too much, or touched other files."""
    done = fuzz("--corpus", timeout_s=1_200)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]


def test_the_accepted_summary_names_every_target_and_no_finding():
    """Remedy: make fuzz ARGS=--accept"""
    rows = list(csv.DictReader((ROOT / "results/expected/fuzz.csv").open(encoding="utf-8")))
    assert [row["target"] for row in rows] == [*sorted(TARGETS), "all"]
    for row in rows:
        assert int(row["cases"]) == int(row["valid"]) + int(row["refused"]) > 0
        assert row["findings"] == "0"
    assert int(rows[-1]["cases"]) == sum(int(row["cases"]) for row in rows[:-1])
