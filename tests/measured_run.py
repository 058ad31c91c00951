"""A call in a process of its own, with the time and memory that it took."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MOST_S, MOST_BYTES = 5.0, 2**30
"""What no input may take: seconds of a processor, bytes of memory."""

_PROGRAM = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
from pathlib import Path
from rarlib.model.errors import InputError
from rarlib.model.cluster import Cluster
from rarlib.traces.load import load_trace
start, said = time.process_time(), ""
try:
    made = eval(sys.argv[1], globals(), {"given": sys.argv[2]})
except InputError as error:
    said = str(error)
took = time.process_time() - start
held = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps([said, took, int(held.split()[1]) * 1024]))
"""


class Outcome(NamedTuple):
    """What came of a call.

    Attributes:
        said: message of the InputError; empty if there was none.
        seconds: time of the processor, without imports.
        memory: most bytes of memory, with imports.
    """

    said: str
    seconds: float
    memory: int

    @property
    def small(self) -> bool:
        """Whether time and memory are within what an input may take."""
        return self.seconds < MOST_S and self.memory < MOST_BYTES and len(self.said) < 2_500


def measured_run(call: str, given: object, timeout_s: float = 60.0) -> Outcome:
    """Evaluate an expression over `given`, `load_trace`, `Cluster` and `Path` in a process of its own.

    Raises:
        CalledProcessError: it raised anything but an InputError.
        TimeoutExpired: it did not end.
    """
    words = [sys.executable, "-c", _PROGRAM, call, str(given)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, check=True, timeout=timeout_s, stdout=subprocess.PIPE, text=True, env=environment)
    return Outcome(*json.loads(done.stdout))
