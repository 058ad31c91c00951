"""Without a compiler the same code runs as plain Python and must find the same times, to the bit."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
if {plain}:
    sys.modules["numba"] = None
from rarlib.model.jit import numba
assert (numba is None) == {plain}
from rarlib.fabric.case import run_case
from tests.rarlib.fabric.drawn import fabric_case
from rarlib.fabric.law import mean_times
case = fabric_case(1, 0, 9, (0.1, 0.8))
case = case._replace(jobs=[job._replace(iterations=12) for job in case.jobs])
print([time.hex() for time in (*run_case(case).ends.tolist(), *mean_times(case).tolist())])
"""


@pytest.mark.release
def test_same_times_without_a_compiler():
    """Integers that wrap differently, or an order of operations that is the compiler's choice, would show here."""
    plain, compiled = (
        subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", SCRIPT.format(plain=plain)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for plain in (True, False)
    )
    assert plain == compiled
    assert plain.count("0x") > 100
