"""The pipeline on a Slurm: `python -m tools.slurm_engine`.

A part of the pipeline is run twice: on this machine, and through profiles/slurm on a Slurm that is brought up for it
(rarlib/slurm/loopback.py). Meanwhile a running job is cancelled, then the daemon of a node killed, then the controller;
both daemons are started again. Snakemake may give up while the controller does not answer; the same command then
resumes, as after any failure. The results must be the same, byte for byte, and at least four jobs must have run at
once. It takes about ten minutes, and a run of Snakemake is ended after half an hour.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.slurm.client import Slurm, require_programs
from rarlib.slurm.loopback import DAEMONS, Loopback
from tools.trials import SAME, Bench, Project, judge, pipeline

PART = """
only: [philly]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo, fifo-backfill, sjf, srtf, las]}}
"""
NODES, CPUS, MEMORY_MB = 3, 2, 4_000
AT_ONCE = 4
_CALM_S, _LONGEST_S, _RESUMPTIONS = 10.0, 1800.0, 2


class Disturbances:
    """Cancels a job and kills daemons while the pipeline runs, one after the other.

    Attributes:
        done: what was done, in words.
        most: the largest number of jobs that ran at once.
    """

    def __init__(self, loopback: Loopback) -> None:
        self._loopback, self._calm_since = loopback, time.monotonic()
        self._left: list[Callable[[str, str], str]] = [self._cancel, self._kill_node, self._kill_controller]
        self.done: list[str] = []
        self.most = 0

    def look(self) -> None:
        """Count the jobs that run; carry out the next disturbance if jobs are there to be disturbed."""
        running = _running(self._loopback.slurm)
        self.most = max(self.most, len(running))
        enough = self.most >= AT_ONCE and bool(running)
        if self._left and enough and time.monotonic() - self._calm_since > _CALM_S:
            self.done.append(self._left.pop(0)(*running[-1]))
            self._calm_since = time.monotonic()

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
        return f"slurmctld killed while job {job} ran on {node} and started again after 10 s"


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
        made, resumed = _disturbed(project, loopback, disturbances), 0
        while made.returncode and resumed < _RESUMPTIONS:
            print(f"Snakemake gave up, and is started again: {made.stdout[-500:]}", flush=True)
            loopback.wait_idle()
            made, resumed = _disturbed(project, loopback, disturbances), resumed + 1
        outcome = judge(project, made, reference)
    took_s, most = time.monotonic() - began, disturbances.most
    print(f"On a Slurm: {took_s:.0f} s, {most} jobs at once at most, resumed {resumed} times")
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


def _disturbed(project: Project, loopback: Loopback, disturbances: Disturbances) -> subprocess.CompletedProcess[str]:
    """Run the part through the profile; a run that takes too long is killed."""
    variables, deadline = loopback.variables(), time.monotonic() + _LONGEST_S
    with (project.root / "screen.txt").open("w+", encoding="utf-8") as screen:
        process = project.start(*pipeline("--profile", "profiles/slurm"), variables=variables, stdout=screen)
        while process.poll() is None:
            if time.monotonic() > deadline:
                os.killpg(process.pid, signal.SIGKILL)
            disturbances.look()
            time.sleep(1.0)
    text = (project.root / "screen.txt").read_text(encoding="utf-8", errors="replace")
    return subprocess.CompletedProcess(process.args, process.returncode, text)


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
