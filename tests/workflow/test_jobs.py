"""What surrounds every job of the pipeline, and the environment it runs in."""

import subprocess
import sys

import pytest

from rarlib.model.errors import InputError
from rarlib.workflow.environment import deviations, locked

JOB = """
import os, sys
from rarlib.workflow.jobs import logged
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
    """Progress must stay readable, and nothing a library says may be lost."""
    done, log = run(tmp_path, "pass")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "one line\n")
    assert all(text in log for text in ("a long account", "from a compiled library", "one line"))


@pytest.mark.parametrize(
    ("end", "code", "told"),
    [
        ("raise InputError('is wrong', file='a.csv', row=3)", 2, "error: a.csv, row 3: is wrong"),
        ("1 / 0", 1, "ZeroDiv"),
    ],
)
def test_failure_is_one_line_on_the_screen(tmp_path, end, code, told):
    """The culprit must not drown in a traceback; whoever needs the traceback finds it in the log."""
    done, log = run(tmp_path, end)
    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert ("Traceback" in log) == (code == 1)


def test_lock_lines_for_other_pythons_do_not_count(tmp_path):
    """The lock holds several versions of a package, one for each Python."""
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "a==1.0 ; python_full_version < '3' \\\n    --hash=sha256:0\na==2.0 ; python_full_version >= '3' \\\n"
    )
    assert locked(lock) == {"a": "2.0"}


def test_deviations_name_package_and_versions(tmp_path):
    """Results from other versions may differ; the reader must see which."""
    lock = tmp_path / "requirements.lock"
    lock.write_text("numpy==0.1 \\\nno-such-package==1.0 \\\n")
    first, second = deviations(lock)
    assert first.startswith("numpy: locked 0.1, here ")
    assert second == "no-such-package: locked 1.0, here missing"
    with pytest.raises(InputError, match="no such file"):
        deviations(tmp_path / "nowhere")
