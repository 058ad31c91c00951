"""Debian's reprotest builds the deposit twice, with everything varied that it can vary."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).parents[2] / "pack_once.py"


@pytest.mark.release
@pytest.mark.skipif(shutil.which("reprotest") is None, reason="needs Debian's reprotest: apt-get install reprotest")
def test_reprotest_finds_no_difference(results, tmp_path):
    """All variations that it can make as root, without a network, in its own copies of the folder."""
    shutil.copytree(results, tmp_path / "tested/results")
    command = f"{sys.executable} {_PROGRAM} results ."
    varied = ["--vary=-build_path,-user_group,-kernel,-domain_host"] if os.geteuid() else ["--vary=-kernel"]
    ended = subprocess.run(
        ["reprotest", *varied, "--no-diffoscope", "-c", command, str(tmp_path / "tested"), "*.tar *.zip"],
        check=False, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
