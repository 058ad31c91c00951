"""Start Snakemake with a progress display; resume a run that was killed, and never disturb one that is still running.

A killed Snakemake leaves its lock behind, and its jobs keep running. Both may be removed only if no other run is active
in this folder: this runner holds an operating-system lock (released even by kill -9) and looks for a Snakemake that was
started by hand.
"""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

STATE = Path(".snakemake")
LOGGERS = Path(__file__).parents[1].resolve() / "loggers"


def hold_run_lock() -> None:
    """Take the run lock; this process keeps it, also after it has become Snakemake."""
    STATE.mkdir(exist_ok=True)
    handle = os.open(STATE / "run.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("error: another run is at work in this folder; wait for it or stop it first")
    os.set_inheritable(handle, True)


def clear_away_a_killed_run() -> None:
    """End the jobs and remove the lock that a killed Snakemake has left in this folder."""
    import psutil  # noqa: PLC0415  # rarely needed, and a second run should start quickly

    here = str(Path.cwd().resolve())
    orphans = []
    for process in psutil.process_iter(["pid", "cmdline", "cwd"]):
        words = process.info["cmdline"] or []
        if process.info["cwd"] != here or process.info["pid"] == os.getpid():
            continue
        if any(Path(word).name == "snakemake" for word in words):
            sys.exit(f"error: Snakemake is at work in this folder (process {process.info['pid']}); wait for it first")
        if any(f"{STATE.name}/scripts/" in word for word in words):
            orphans.append(process)
    print("The last run was interrupted; it resumes, and finished parts are kept.", flush=True)
    for process in orphans:
        process.terminate()
    for process in psutil.wait_procs(orphans, timeout=10)[1]:
        process.kill()
    subprocess.run([sys.executable, "-m", "snakemake", "--quiet", "all", "--unlock"], check=True)


def bring_back_the_future() -> None:
    """Set the times of files that a clock ahead of ours has left, and say so."""
    from rarlib.workflow.file_times import bring_back  # noqa: PLC0415  # a second run should end quickly

    if count := bring_back(Path.cwd()):
        print(f"Was the clock set back? {count} files were changed in the future; their times are now.", flush=True)


def main() -> None:
    """Remove what a killed run has left behind, then become Snakemake."""
    hold_run_lock()
    locks = STATE / "locks"
    if locks.is_dir() and any(locks.iterdir()):
        clear_away_a_killed_run()
    bring_back_the_future()
    # Snakemake looks for its plugins where Python looks for modules.
    paths = [str(LOGGERS), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", "--logger=rarlib", *sys.argv[1:]])


if __name__ == "__main__":
    main()
