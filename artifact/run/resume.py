"""What a killed run leaves behind in its folder: Snakemake's lock, and jobs that are still at work."""

import fcntl
import os
import shutil
from pathlib import Path

STATE = Path(".snakemake")
"""Snakemake's folder, in the folder of a run."""
INTERRUPTED = "The last run was interrupted; it resumes, and finished parts are kept."
_LOCKS = STATE / "locks"


def hold_run_lock() -> int | None:
    """Take the lock of this folder; the operating system releases it when the process ends, also by kill -9.

    Returns:
        The lock's file descriptor; None if another process holds it.
    """
    STATE.mkdir(exist_ok=True)
    handle = os.open(STATE / "run.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def left_a_lock() -> bool:
    """Whether Snakemake's lock lies in this folder."""
    return _LOCKS.is_dir() and any(_LOCKS.iterdir())


def end_orphans() -> int | None:
    """End jobs of this folder that have lost their Snakemake.

    Returns:
        None; or the number of a process, if that is a Snakemake at work in this folder: then nothing is ended.
    """
    import psutil  # noqa: PLC0415  # rarely needed, and a second run should start quickly

    here, own = str(Path.cwd().resolve()), {os.getpid(), *(each.pid for each in psutil.Process().parents())}
    orphans = []
    for process in psutil.process_iter(["pid", "cmdline", "cwd"]):
        words = process.info["cmdline"] or []
        if process.info["cwd"] != here or process.info["pid"] in own:
            continue
        if any(Path(word).name == "snakemake" for word in words):
            return int(process.info["pid"])
        if any(f"{STATE.name}/scripts/" in word for word in words):
            orphans.append(process)
    for process in orphans:
        process.terminate()
    for process in psutil.wait_procs(orphans, timeout=10)[1]:
        process.kill()
    return None


def resume_run() -> str:
    """Take this folder for a run that Snakemake has begun, and clear away what a killed one has left.

    If another run is at work nothing is touched: Snakemake itself refuses to start beside it.

    Returns:
        What to tell; empty if nothing had to be cleared away.
    """
    if hold_run_lock() is None or not left_a_lock() or end_orphans() is not None:
        return ""
    shutil.rmtree(_LOCKS)
    return INTERRUPTED
