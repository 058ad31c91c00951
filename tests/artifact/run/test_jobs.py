"""What surrounds every job of the pipeline, and the environment it runs in."""

import os
import subprocess
import sys

import nbformat
import pandas as pd
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from artifact.run.environment import deviations, locked
from artifact.run.jobs import LIMIT, failed_cells, failures

JOB = """
import os, sys
from artifact.run.jobs import logged
from rarlib.model.errors import InputError
with logged(sys.argv[1]) as say:
    print("a long account")
    os.write(2, b"from a compiled library\\n")
    say("one line")
    {end}
"""


def run(tmp_path, end):
    log = tmp_path / "logs" / "job.log"
    done = subprocess.run(
        [sys.executable, "-c", JOB.format(end=end), str(log)], capture_output=True, text=True, check=False
    )
    return done, log.read_text()


def test_screen_gets_one_line_and_the_log_gets_all(tmp_path):
    done, log = run(tmp_path, "pass")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "one line\n")
    assert all(text in log for text in ("a long account", "from a compiled library", "one line"))


@pytest.mark.parametrize(
    ("end", "code", "told"),
    [
        ("raise InputError('is wrong', file='a.csv', row=3)", 2, "error: a.csv, row 3: is wrong"),
        ("1 / 0", 70, "error: a fault of rarlib: ZeroDivisionError: division by zero"),
        ("open('/proc/none')", 2, "error: /proc/none: No such file or directory"),
    ],
)
def test_failure_is_one_line_on_the_screen(tmp_path, end, code, told):
    done, log = run(tmp_path, end)
    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert ("Traceback" in log) == ("details in" in done.stderr) == ("InputError" not in end)


def test_a_cell_without_sources_is_no_scheduler_that_failed():
    """The measured ledger without its sources has empty cells; a scheduler that was found and raised has one, too."""
    frames = {"predictors": pd.DataFrame(), "broken": pd.DataFrame(), "fifo": pd.DataFrame({"value": [1.0]})}
    assert failed_cells(frames, ["arena/runs/broken", "arena/runs/fifo"]) == ["broken"]
    assert failed_cells(frames, []) == []


def test_lock_lines_for_other_pythons_do_not_count(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "a==1.0 ; python_full_version < '3' \\\n    --hash=sha256:0\na==2.0 ; python_full_version >= '3' \\\n"
    )
    assert locked(lock) == {"a": "2.0"}


def test_deviations_name_package_and_versions(tmp_path):
    lock = tmp_path / "requirements.lock"
    lock.write_text("numpy==0.1 \\\nno-such-package==1.0 \\\n")
    first, second = deviations(lock)
    assert first.startswith("numpy: locked 0.1, here ")
    assert second == "no-such-package: locked 1.0, here missing"


LOOPS = {
    "python": ("", "while True: pass"),
    "compiled": (
        # A generator that never reaches 0, which no compiler finds out.
        "import numba\n@numba.njit\ndef endless(x):\n    while x != 0:\n        x ^= x << 13\n        x ^= (x >> 7)"
        " & (2**57 - 1)\n        x ^= x << 17\n    return x\nendless(0)",
        "endless(1)",
    ),
    "system": ("import ctypes", "ctypes.PyDLL(None).sleep(600)"),  # PyDLL: without releasing the interpreter lock
}


@pytest.mark.parametrize("kind", LOOPS)
def test_a_job_that_takes_too_long_is_ended_and_tells_where_it_was(tmp_path, monkeypatch, kind):
    """A loop nobody sees costs a night, and compiled code hears no signal that Python would answer."""
    monkeypatch.setenv(LIMIT, "0.02")
    before, body = LOOPS[kind]
    code = f"from artifact.run.jobs import logged\n{before}\ndef culprit():\n    {body}\n"
    log = tmp_path / "logs/cell/slow.log"
    code += f"with logged({str(log)!r}):\n    print('begun')\n    culprit()\n"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 1
    assert failures(tmp_path / "logs", 0.0) == [f"cell/slow: error: took longer than 0.02 minutes (where: {log})"]
    assert "in culprit" in log.read_text()


def test_a_notebook_that_takes_too_long_leaves_no_kernel(tmp_path, monkeypatch):
    """The kernel does the work: it must end as well, and its own traceback is the one of use."""
    monkeypatch.setenv(LIMIT, "0.1")
    pid, log = tmp_path / "pid", tmp_path / "logs/figure/slow.log"
    body = f"import ctypes, os\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n"
    body += "def culprit():\n    ctypes.PyDLL(None).sleep(600)\nculprit()"
    cells = [new_code_cell("a = 1", metadata={"tags": ["parameters"]}), new_code_cell(body)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), tmp_path / "slow.ipynb")
    code = f"""
from pathlib import Path
from artifact.run.jobs import logged
from artifact.run.notebooks import run_notebook
folder = Path({str(tmp_path)!r})
with logged({str(log)!r}):
    run_notebook(folder / "slow.ipynb", folder / "done.ipynb", {{}}, Path({str(log)!r}))
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 2
    assert failures(tmp_path / "logs", 0.0) == [f"figure/slow: error: took longer than 0.1 minutes (where: {log})"]
    assert "in culprit" in log.read_text()
    assert not psutil.pid_exists(int(pid.read_text()))


def test_a_killed_job_is_named(tmp_path):
    """Out of memory, it has no chance to say so; one that ended well or ran earlier is none of it."""
    logs = tmp_path / "logs"
    for name, end in (("good", "pass"), ("wrong", "raise InputError('bad')"), ("killed", "os.kill(os.getpid(), 9)")):
        command = [sys.executable, "-c", JOB.format(end=end), str(logs / "cell" / f"{name}.log")]
        subprocess.run(command, capture_output=True, check=False)
    (logs / "earlier.log").write_text("begun\n")
    os.utime(logs / "earlier.log", (0, 0))
    killed, wrong = failures(logs, 1.0)
    assert killed.startswith("cell/killed: error: ended from outside: stopped, killed, or out of memory")
    assert wrong == "cell/wrong: error: bad"


def test_a_log_that_cannot_be_written_does_not_silence_the_job():
    """Nor change its exit code, whether Python buffers what it prints or not."""
    command = [sys.executable, "-c", JOB.format(end="pass"), "/dev/full"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=buffered)
    assert (done.returncode, done.stderr) == (2, "error: /dev/full: No space left on device\n")
