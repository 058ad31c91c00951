"""Interrupted runs resume; a living one is left alone."""

import fcntl
import os
import signal
import subprocess
import sys
import time

import pytest

TARGET = "results/tiny/cells/philly/jct/fifo.csv"
WORDS = ("--", TARGET)


def leftover_job(project):
    """A job that outlives its Snakemake; writing later, it would spoil what the resumed run makes."""
    script = project.root / ".snakemake/scripts/left.py"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text("import time; time.sleep(300)")
    return subprocess.Popen([sys.executable, str(script)], cwd=project.root)


@pytest.mark.release
def test_killed_run_resumes_by_itself(project):
    """kill -9 leaves Snakemake's lock and a half-done job; a newcomer must not have to know about either."""
    runner = ("workflow/scripts/run.py", "--configfile", "config/tiny.yaml")
    process = project.start(*runner, *WORDS, stdout=subprocess.DEVNULL)
    locks = project.root / ".snakemake/locks"
    deadline = time.monotonic() + 60
    while not (locks.is_dir() and any(locks.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert any(locks.iterdir()), "the run ended before it could be killed"
    orphan = leftover_job(project)
    done = project.make(*WORDS)
    assert orphan.wait(timeout=10) != 0
    assert done.returncode == 0, done.stdout[-2000:]
    assert "it resumes" in done.stdout
    assert (project.root / TARGET).stat().st_size > 0


def test_second_instance_is_refused(project):
    (project.root / ".snakemake").mkdir()
    with (project.root / ".snakemake/run.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = project.make(*WORDS)
    assert done.returncode == 1
    assert done.stdout == "error: another run is at work in this folder; wait for it or stop it first\n"


def test_snakemake_started_by_hand_is_left_alone(project):
    (project.root / ".snakemake/locks").mkdir(parents=True)
    (project.root / ".snakemake/locks/0.input.lock").write_text("x")
    code = "import time; print('ready', flush=True); time.sleep(60)"
    other = subprocess.Popen(
        [sys.executable, "-c", code, "snakemake"], cwd=project.root, stdout=subprocess.PIPE, text=True
    )
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        done = project.make(*WORDS)
    finally:
        other.kill()
        other.communicate()
    assert done.returncode == 1
    assert f"(process {other.pid})" in done.stdout
    assert (project.root / ".snakemake/locks/0.input.lock").exists()
