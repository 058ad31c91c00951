"""Odd inputs that were ever a finding, for every boundary of the artifact; `make release` draws new ones."""

import re
import subprocess
import sys

from rarlib.model.project import ROOT


def test_what_was_once_a_finding_is_none():
    """Each file of the corpus is an input that once ended in a traceback, took too much, or touched other files."""
    command = [sys.executable, "-m", "tools.fuzz", "--corpus"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1_200, check=False)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]
    assert int(re.search(r"corpus: (\d+) cases", done.stdout)[1]) > 30
