"""Start Snakemake with a progress display; resume a run that was killed, and never disturb one that is still running.

A killed Snakemake leaves its lock behind, and its jobs keep running. Both may be removed only if no other run is active
in this folder: this runner holds an operating-system lock (released even by kill -9) and looks for a Snakemake that was
started by hand.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from artifact.run.resume import INTERRUPTED, end_orphans, hold_run_lock, left_a_lock
from artifact.run.unchanged import ASKED, is_unchanged

LOGGERS = Path(__file__).parents[1].resolve() / "loggers"


def take_this_folder() -> None:
    """Take the run lock; this process keeps it, also after it has become Snakemake."""
    handle = hold_run_lock()
    if handle is None:
        sys.exit("error: another run is at work in this folder; wait for it or stop it first")
    os.set_inheritable(handle, True)


def clear_away_a_killed_run() -> None:
    """End the jobs and remove the lock that a killed Snakemake has left in this folder."""
    if (busy := end_orphans()) is not None:
        sys.exit(f"error: Snakemake is at work in this folder (process {busy}); wait for it first")
    print(INTERRUPTED, flush=True)
    subprocess.run([sys.executable, "-m", "snakemake", "--quiet", "all", "--unlock"], check=True)


def main() -> None:
    """Remove what a killed run has left behind, then become Snakemake."""
    take_this_folder()
    if left_a_lock():
        clear_away_a_killed_run()
    elif is_unchanged(sys.argv[1:]):
        print("Nothing to do: nothing has changed since these results were made.")
        return
    os.environ[ASKED] = json.dumps(sys.argv[1:])
    # Snakemake looks for its plugins where Python looks for modules.
    paths = [str(LOGGERS), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", "--logger=rarlib", *sys.argv[1:]])


if __name__ == "__main__":
    main()
