"""Faults of a machine, and what the pipeline makes of them: `python -m tools.faults`.

The part of the pipeline that is run: a stand-in of Philly, two cells, their table, figure and ledger, the manifest and
the report. Every case runs in a copy of its own in a temporary folder and ends with the bytes of an undisturbed run, or
with a sentence that says what is wrong. Rows go to build/faults.csv.
"""

import argparse
import functools
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tools import trials
from tools.cases import run_cases
from tools.lost_network import WAYS, sources_at, vanishing_server
from tools.trials import FAILED, SAID, Bench, Case, Outcome, Project, judge, pipeline, sentence

PART = """
only: [philly]
traces: {philly-pollux: {limit: 300, cluster: 10x8}}
experiments:
  philly: {cluster: 10x8, cells: {jct: [fifo, las]}}
"""
SHARES_OF_DISK = (0.01, 0.1, 0.3, 0.6, 0.9)
"""Free space on the disk, as shares of what the run writes."""
LIMITS_OF_FILE = (0, 200, 2_000, 20_000, 200_000)
"""Largest file in bytes, where no file system can be mounted."""
DAY_S = 86_400.0


def killed(bench: Bench, after_s: Callable[[], float]) -> Outcome:
    """Kill -9 to the whole process group after some seconds, then the same command again."""
    moment_s = after_s()
    with bench.copy() as project:
        process = project.start(*pipeline())
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=moment_s)
        late = process.poll() is not None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        outcome = judge(project, project.make(), bench.reference)
        return outcome._replace(note=outcome.note or ("the run had ended" if late else ""))


def disk_full(bench: Bench, share: float) -> Outcome:
    """A disk with space for a share of what the run writes; then the disk is enlarged, and the same command again."""
    base, made = (_bytes(folder) for folder in (bench.fresh, bench.finished))
    with bench.copy() as project:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={2 * made}", "rarlib", project.root], check=True)
        try:
            shutil.copytree(bench.fresh, project.root, dirs_exist_ok=True)
            _resize(project.root, int(base + share * (made - base)))
            first = project.make()
            _resize(project.root, 4 * made)
            return _after_a_sentence(project, first, bench)
        finally:
            subprocess.run(["umount", "--lazy", project.root], check=True)


def _resize(folder: Path, size: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", folder], check=True)


def _bytes(folder: Path) -> int:
    """Space that the files of a folder take in pages of memory."""
    return sum(-(-path.lstat().st_size // 4096) * 4096 for path in folder.rglob("*") if path.is_file())


def file_too_large(bench: Bench, most: int) -> Outcome:
    """No file may exceed a size, the stand-in for a full disk where none can be mounted; then the command again."""
    with bench.copy() as project:
        first = project.make(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
        return _after_a_sentence(project, first, bench)


def _after_a_sentence(project: Project, first: subprocess.CompletedProcess[str], bench: Bench) -> Outcome:
    """The first run must say that the disk is full if it fails; the same command must then give the right bytes."""
    told = judge(project, first, bench.reference)
    if told.result == FAILED:
        return told
    if told.result == SAID and not re.search("full|No space left|File too large", first.stdout):
        return Outcome(FAILED, f"another reason than the disk: {told.note}")
    second = judge(project, project.make(), bench.reference)
    return second._replace(note=second.note or told.note)


def lost_network(bench: Bench, way: str) -> Outcome:
    """A source whose server vanishes in some way; once it is gone, the command is given again and draws a stand-in."""
    with bench.copy() as project, vanishing_server(way) as (address, vanish):
        sources_at(project.root / "data/sources.tsv", address)
        online = {"RARLIB_OFFLINE": "0", "no_proxy": "127.0.0.1"}
        first = project.make(variables=online)
        told = judge(project, first, bench.reference)
        vanish()
        last = judge(project, project.make(variables=online), bench.reference)
        return told if told.result == FAILED else last._replace(note=last.note or told.note)


def flipped_bit(bench: Bench, seed: int) -> Outcome:
    """One bit of a finished cell, its time kept: `rarlib verify` names it, and the command it states makes it again."""
    with bench.copy(after=True) as project:
        draw = random.Random(seed)
        cell = draw.choice(sorted(project.results.glob("cells/**/*.csv")))
        times, content = cell.stat(), bytearray(cell.read_bytes())
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        cell.write_bytes(content)
        os.utime(cell, ns=(times.st_atime_ns, times.st_mtime_ns))
        verify = ("-m", "rarlib.cli.main", "verify", "results/tiny")
        found = project.run(*verify)
        name = cell.relative_to(project.root).as_posix()
        if found.returncode != 1 or f'"--forcerun {name}"' not in found.stdout:
            return Outcome(FAILED, f"verify ended with {found.returncode} and said: {found.stdout}")
        outcome = judge(project, project.make("--forcerun", name), bench.reference)
        again = project.run(*verify).returncode
        return outcome if again == 0 else Outcome(FAILED, "verify still finds a difference")


def two_runs(bench: Bench, after_s: Callable[[], float]) -> Outcome:
    """A second run while the first is at work says so and fails; the first is not disturbed."""
    moment_s = after_s()
    with bench.copy() as project:
        first = project.start(*pipeline())
        _wait_for(project.root / ".snakemake/run.lock")
        time.sleep(moment_s)
        second = project.make()
        alone = first.poll() is not None
        output, _ = first.communicate(timeout=trials.LONGEST_S)
        outcome = judge(project, subprocess.CompletedProcess([], first.returncode, output), bench.reference)
        told = sentence(second.stdout)
        if not alone and not (second.returncode and told):
            return Outcome(FAILED, f"the second run ended with {second.returncode}: {second.stdout[-200:]}")
        return outcome._replace(note=outcome.note or ("the first had ended" if alone else told))


def _wait_for(path: Path) -> None:
    deadline = time.monotonic() + 120.0
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)  # the lock is taken just after its file is made


def clock_set_back(bench: Bench, what: str) -> Outcome:
    """Times of files are moved by a day, as if the clock had been set: inputs ahead, or results behind or ahead."""
    shift = {"inputs ahead": DAY_S, "results behind": -DAY_S, "results ahead": DAY_S, "cells behind": -DAY_S}[what]
    fresh = what == "inputs ahead"
    with bench.copy(after=not fresh) as project:
        moved = {"inputs ahead": project.root, "cells behind": project.results / "cells"}.get(what, project.results)
        for path in moved.rglob("*"):
            os.utime(path, (path.stat().st_atime + shift, path.stat().st_mtime + shift))
        if not fresh:  # something is left to do
            next(project.results.glob("figures/*.svg")).unlink()
            (project.results / "report.html").unlink()
        return judge(project, project.make(), bench.reference)


def can_mount() -> bool:
    """Whether this user may mount a file system."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "rarlib", folder], capture_output=True, check=False)
        return not done.returncode and not subprocess.run(["umount", folder], check=False).returncode


def cases(bench: Bench, kills: int, seed: int) -> list[Case]:
    """All cases, the cheap kinds first; kills are drawn uniformly over the run's time."""
    act = functools.partial

    def seconds(share: float) -> Callable[[], float]:
        return lambda: share * bench.took_s

    draw = random.Random(seed)
    moments = [draw.random() for _ in range(kills)]
    full = (
        [Case("disk full", f"{share:.0%} of what is written", act(disk_full, bench, share)) for share in SHARES_OF_DISK]
        if can_mount()
        else [Case("file too large", f"{most} bytes", act(file_too_large, bench, most)) for most in LIMITS_OF_FILE]
    )
    return [
        *(Case("flipped bit", f"seed {seed + i}", act(flipped_bit, bench, seed + i)) for i in range(3)),
        *(Case("two runs at once", f"after {s:.0%}", act(two_runs, bench, seconds(s / 2))) for s in (0.0, 0.5)),
        *(
            Case("clock set back", what, act(clock_set_back, bench, what))
            for what in ("inputs ahead", "results behind", "results ahead", "cells behind")
        ),
        *full,
        *(Case("lost network", way, act(lost_network, bench, way)) for way in WAYS),
        *(Case("kill -9", f"{i}: at {s:.1%}", act(killed, bench, seconds(s))) for i, s in enumerate(moments)),
    ]


def main() -> int:
    """Carry out the cases that have no row yet, and print the summary."""
    parser = argparse.ArgumentParser(description="Faults of a machine, and what the pipeline makes of them.")
    parser.add_argument("--kills", type=int, default=50, help="moments at which a run is killed (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="of these moments and of the flipped bits (default: 1)")
    return run_cases("faults", parser, lambda bench, _, given: cases(bench, given.kills, given.seed))


if __name__ == "__main__":
    sys.exit(main())
