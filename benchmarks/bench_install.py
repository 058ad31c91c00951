"""Seconds and megabytes of an installation without extras: python -m benchmarks.bench_install

The wheel of this checkout goes into a new environment, with what it requires, from the index that pip uses here: with a
distant one, the time is mostly that of 50 MB on the line. The environment itself is made before.
"""

import resource
import tempfile
import time
from pathlib import Path

from tests.rarlib.library.clean import ROOT, built, environment, install, installed_mb


def measured(folder: Path) -> str:
    (wheel,) = built(environment(folder / "builder", "hatchling>=1.27,<2"), ROOT, folder / "dist", ["wheel"])
    core = environment(folder / "core")
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    install(core, str(wheel))
    after, passed_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{passed_s:.0f} s, {cpu_s:.0f} s of a processor, {installed_mb(core):.0f} MB"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(measured(Path(place)))  # noqa: T201
