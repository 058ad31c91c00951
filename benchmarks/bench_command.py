"""How fast a whole command is: start-up, reading, simulating, checking and writing the full Philly table.

python -m pytest benchmarks/bench_command.py --benchmark-only
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rarlib.traces.load import load_trace

ROOT = Path(__file__).parents[1]


def simulate(scheduler: str, folder: Path) -> None:
    command = [sys.executable, "-m", "rarlib.cli.main", "simulate", "--trace", "philly-pollux", "--cluster", "50x8"]
    command += ["--scheduler", scheduler, "--out", str(folder), "--quiet"]
    subprocess.run(command, check=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)


@pytest.mark.parametrize("scheduler", ["fifo", "fifo-backfill", "sjf", "srtf", "las"])
def test_simulate(benchmark, scheduler, tmp_path):
    benchmark.group = "rarlib simulate, 50x8"
    benchmark.pedantic(simulate, (scheduler, tmp_path), rounds=3, warmup_rounds=1)


def test_reading(benchmark):
    benchmark.group = "reading"
    benchmark.pedantic(load_trace, ("philly-pollux",), rounds=5, warmup_rounds=1)
