"""Every compiled kernel against its Python twin, at work in small computations (`kernel_scenarios.py`)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rarlib.property.kernels import kernels

pytestmark = pytest.mark.release
PROGRAM = Path(__file__).with_name("kernels.py")


@pytest.fixture(scope="module")
def outcomes():
    """What the computations gave: by the Python twins, and compiled."""
    ways = ("plain", "compiled")
    running = [subprocess.Popen([sys.executable, str(PROGRAM), way], stdout=subprocess.PIPE, text=True) for way in ways]
    texts = [each.communicate()[0] for each in running]
    assert [each.returncode for each in running] == [0, 0]
    return [json.loads(text) for text in texts]


def test_every_kernel_is_called(outcomes):
    """A kernel that no computation calls is compared nowhere: add one that does to `kernel_scenarios.py`."""
    assert kernels() - set(outcomes[0]["called"]) == set()
    assert outcomes[1]["called"] == []


def test_compiled_kernels_give_what_their_twins_give(outcomes):
    """Integers that wrap, divisions by zero and draws differ first, if anything does."""
    plain, compiled = (each["results"] for each in outcomes)
    assert plain.keys() == compiled.keys()
    for name, found in plain.items():
        assert found == compiled[name], name
