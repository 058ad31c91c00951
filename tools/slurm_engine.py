"""The pipeline on a Slurm: `python -m tools.slurm_engine` (make slurm-engine).

A part of the pipeline is run twice: on this machine, and through profiles/slurm on a Slurm that is brought up for it
(rarlib/slurm/loopback.py). Meanwhile a running job is cancelled, then the daemon of a node killed, then the controller;
both daemons are started again. The results must be the same, byte for byte, and at least four jobs must have run at
once. It takes about ten minutes and ends itself after half an hour.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.slurm.client import Slurm, require_programs
from rarlib.slurm.loopback import DAEMONS, Loopback
from tools.trials import SAME, Bench, judge, pipeline

PART = """
only: [philly]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo, fifo-backfill, sjf, srtf, las]}}
"""
NODES, CPUS, MEMORY_MB = 3, 2, 4_000
AT_ONCE = 4
_LONGEST_S = 1800.0


class Disturbances(threading.Thread):
    """Cancels a job and kills daemons while the pipeline runs, each as soon as jobs are there to be disturbed.

    Attributes:
        done: what was done, in words.
        most: the largest number of jobs that ran at once.
    """

    def __init__(self, loopback: Loopback) -> None:
        super().__init__(daemon=True)
        self._loopback, self._ended = loopback, threading.Event()
        self.done: list[str] = []
        self.most = 0

    def finish(self) -> None:
        """End, and wait for what is being done."""
        self._ended.set()
        self.join()

    def run(self) -> None:
        """Carry out one disturbance after the other, the next one not before jobs have been given again."""
        left: list[Callable[[str, str], str]] = [self._cancel, self._kill_node, self._kill_controller]
        calm_since = time.monotonic()
        while not self._ended.wait(1.0):
            running = _running(self._loopback.slurm)
            self.most = max(self.most, len(running))
            if left and len(running) >= AT_ONCE - len(self.done) and time.monotonic() - calm_since > 5.0:
                job, node = running[-1]
                self.done.append(left.pop(0)(job, node))
                calm_since = time.monotonic()

    def _cancel(self, job: str, node: str) -> str:
        self._loopback.slurm.call("scancel", job)
        return f"job {job} cancelled on {node}"

    def _kill_node(self, job: str, node: str) -> str:
        self._loopback.kill(node)
        time.sleep(5.0)
        self._loopback.start_node(node)
        return f"slurmd of {node} killed under job {job} and started again after 5 s"

    def _kill_controller(self, job: str, node: str) -> str:
        self._loopback.kill("slurmctld")
        time.sleep(10.0)
        self._loopback.start_controller()
        return "slurmctld killed and started again after 10 s"


def _running(slurm: Slurm) -> list[tuple[str, str]]:
    """Jobs that run, and their nodes; none while the controller does not answer."""
    try:
        lines = slurm.call("squeue", "--noheader", "--states=RUNNING", "--format=%i %N").splitlines()
    except InputError:
        return []
    return [(job, node) for job, node in (line.split() for line in lines)]


def compare(folder: Path) -> int:
    """Run the part on this machine and on a Slurm; the exit code."""
    bench, began = Bench(folder / "bench", PART), time.monotonic()
    reference = bench.reference
    print(f"On this machine: {time.monotonic() - began:.0f} s", flush=True)
    loopback = Loopback(folder / "slurm", [CPUS] * NODES, memory_mb=MEMORY_MB)
    with loopback, bench.copy() as project:
        disturbances, began = Disturbances(loopback), time.monotonic()
        disturbances.start()
        variables = {"SLURM_CONF": str(loopback.configuration)}
        made = project.run(*pipeline("--profile", "profiles/slurm"), variables=variables)
        disturbances.finish()
        outcome = judge(project, made, reference)
    print(f"On a Slurm: {time.monotonic() - began:.0f} s, {disturbances.most} jobs at once at most")
    print("\n".join(disturbances.done))
    wrong = [] if outcome.result == SAME else [f"{outcome.result}: {outcome.note}"]
    wrong += [] if disturbances.most >= AT_ONCE else [f"only {disturbances.most} jobs ran at once"]
    wrong += [] if len(disturbances.done) == 3 else ["the pipeline ended before all disturbances"]
    if wrong:
        print(made.stdout[-5000:])
        print(f"error: {'; '.join(wrong)}", file=sys.stderr)
        return 1
    print("Same bytes as on this machine.")
    return 0


def main() -> int:
    """Parse the arguments and run."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    try:
        require_programs(DAEMONS)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="rarlib-") as folder:
        return compare(Path(folder))


if __name__ == "__main__":
    sys.exit(main())
