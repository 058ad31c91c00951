"""Compiled code must not write outside its arrays: `NUMBA_BOUNDSCHECK=1`, with a cache of its own."""

import os
import subprocess
import sys

import pytest

from rarlib.model.project import ROOT

OUTSIDE = """
import numpy as np
from rarlib.model.jit import hot_kernel

@hot_kernel
def outside(values):
    values[len(values)] = 1.0

outside(np.zeros(3))
"""

SMALL = """
from rarlib.cost.ring import RingCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs
from rarlib.simulator.engine import simulate

jobs = Jobs.build(submit_s=[0, 0, 60, 120, 600], gpus=[6, 6, 2, 8, 1], duration_s=[3600, 1800, 900, 600, 300])
for name in ("fifo", "srtf"):
    assert simulate(jobs, Cluster.parse("3x4"), make_scheduler(name), RingCost()).finished.all()
"""


def checked(program, **more):
    """Run a program of Python, or a text of one, with bounds that are checked."""
    words = ["-c", program] if "\n" in program else program.split()
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": str(ROOT)} | more,
        check=False,
        capture_output=True,
        text=True,
    )


def test_a_write_outside_is_noticed(tmp_path):
    """Or the other tests here would show nothing; the same kernel in plain Python raises IndexError as well."""
    file = tmp_path / "outside.py"
    file.write_text(OUTSIDE)
    done = checked(str(file))
    assert done.returncode == 1 and "IndexError" in done.stderr


def test_a_small_run_stays_inside():
    done = checked(SMALL)
    assert done.returncode == 0, done.stderr


@pytest.mark.release
def test_every_kernel_stays_inside():
    done = checked(f"{ROOT / 'tests/rarlib/property/kernels.py'} compiled")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.release
def test_the_sample_of_the_matrix_stays_inside():
    done = checked("-m pytest -q --no-header tests/artifact/tools/test_matrix.py -k sample_runs")
    assert done.returncode == 0, done.stdout[-2000:]
