"""Jobs run in children of one process that has their imports: as they would alone, and they end with who waits."""

import os
import subprocess
import sys
import time

import psutil
import pytest

STARTED = "import os\nos.makedirs('.snakemake')\nfrom artifact.run.forks import SERVER, start\nstart()\n"
HANDED = "from artifact.run.forks import hand_over\nhand_over()\nimport artifact.run.jobs, os, sys\n"
WAIT = "open('pid', 'w').write(str(os.getpid()))\nimport time\ntime.sleep(300)\n"


def in_folder(tmp_path, job, then="", begin=STARTED):
    """Run a job with buffered output, by a server or without one; `then` runs in the process that has started it."""
    (tmp_path / "job.py").write_text(HANDED + job)
    code = f"{begin}import subprocess, sys\njob = subprocess.Popen([sys.executable, 'job.py'])\n{then}"
    command = ["env", "-u", "PYTHONUNBUFFERED", sys.executable, "-c", f"{code}\nsys.exit(job.wait())"]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def soon(condition):
    deadline = time.monotonic() + 60
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


@pytest.mark.parametrize(
    ("end", "code"), [("", 0), ("sys.exit(7)", 7), ("sys.exit('no')", 1), ("raise ValueError('no')", 1)]
)
def test_a_job_says_and_ends_the_same_with_and_without_a_server(tmp_path, end, code):
    job = f"print(os.environ['HOME'], sys.argv, os.getcwd(), __name__)\n{end}\n"
    ends = []
    for begin in (STARTED, "import os\n"):
        process = in_folder(tmp_path, job, begin=begin)
        output, _ = process.communicate(timeout=60)
        ends.append((process.returncode, [line for line in output.splitlines() if not line.startswith("  ")]))
    assert ends[0] == ends[1]
    assert ends[0][0] == code
    assert ends[0][1][0] == f"{os.environ['HOME']} ['job.py'] {tmp_path} __main__"


def test_imports_are_there_when_a_child_begins(tmp_path):
    """Otherwise the server would be for nothing."""
    (tmp_path / "far").mkdir()
    for name in ("far/off", "far/away", "near"):
        (tmp_path / f"{name}.py").write_text("")
    job = "print({'far.off', 'far.away', 'near'} <= sys.modules.keys())\nfrom far import off, away\nimport near as by\n"
    assert in_folder(tmp_path, job).communicate(timeout=60)[0] == "True\n"


@pytest.mark.parametrize("who", ["os.getpid()", "job.pid"], ids=["Snakemake", "the script"])
def test_a_job_ends_with_the_one_who_waits_for_it(tmp_path, who):
    """kill -9 leaves no job at work that would write later."""
    then = f"import time\nwhile not os.path.exists('pid'): time.sleep(0.05)\ntime.sleep(0.2)\nos.kill({who}, 9)\n"
    process = in_folder(tmp_path, WAIT, then)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert soon(lambda: not psutil.pid_exists(int((tmp_path / "pid").read_text())))
    assert soon(lambda: not [*tmp_path.glob(".snakemake/*")])


def test_a_killed_job_is_a_failed_one(tmp_path):
    process = in_folder(tmp_path, "os.kill(os.getpid(), 9)\n")
    process.communicate(timeout=60)
    assert process.returncode == 1
