"""Start Snakemake so that a killed run resumes and a living one is left alone.

Snakemake leaves its lock behind when it is killed. The lock may be removed only if nobody works here any more:
this runner holds an operating-system lock (released even by kill -9) and looks for a Snakemake started by hand.
"""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import psutil

STATE = Path(".snakemake")


def hold_run_lock() -> None:
    """Take the run lock; it stays with this process, and with Snakemake after it."""
    STATE.mkdir(exist_ok=True)
    handle = os.open(STATE / "run.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("error: another run is at work in this folder; wait for it or stop it first")
    os.set_inheritable(handle, True)


def at_work_here() -> list[int]:
    """Process ids of other Snakemakes (and of jobs they left behind) in this folder."""
    here, found = Path.cwd().resolve(), []
    for process in psutil.process_iter(["pid", "cmdline", "cwd"]):
        command = " ".join(process.info["cmdline"] or [])
        if process.info["cwd"] == str(here) and process.info["pid"] != os.getpid() and "snakemake" in command:
            found.append(process.info["pid"])
    return found


def main() -> None:
    """Remove a stale lock, then become Snakemake."""
    snakemake = [sys.executable, "-m", "snakemake"]
    hold_run_lock()
    locks = STATE / "locks"
    if locks.is_dir() and any(locks.iterdir()):
        if at_work_here():
            sys.exit(f"error: Snakemake is at work in this folder (process {at_work_here()[0]}); wait for it first")
        print("The last run was interrupted; it resumes, finished parts are kept.", flush=True)
        subprocess.run([*snakemake, "--quiet", "all", "--unlock"], check=True)
    os.execv(sys.executable, [*snakemake, *sys.argv[1:]])


if __name__ == "__main__":
    main()
