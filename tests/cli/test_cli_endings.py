"""How commands end when something goes wrong that nobody foresaw: one line, a code of its own, no traceback."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rarlib.cli import main as cli
from rarlib.cli.text import say

RAISED = [
    (KeyError("x"), 70, "a fault of rarlib: KeyError: 'x'"),
    (RecursionError("deep"), 70, "RecursionError"),
    (MemoryError(), 2, "error: not enough memory"),
    (OSError(errno.ENOSPC, "No space left on device", "a.csv"), 2, "error: a.csv: No space left on device"),
    (PermissionError(errno.EACCES, "Permission denied", "b.csv"), 2, "error: b.csv: Permission denied"),
]


def run(*arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    return end.value.code, capsys.readouterr()


@pytest.mark.parametrize(("error", "code", "line"), RAISED)
def test_whatever_is_raised_ends_in_one_line(error, code, line, monkeypatch, capsys):
    def fails(**_):
        raise error

    monkeypatch.setattr(cli, "app", fails)
    found, told = run("claims", capsys=capsys)
    assert (found, told.err.count("\n"), told.out) == (code, 1, "")
    assert line in told.err
    assert ("report it with the command and this line" in told.err) == (code == 70)
    monkeypatch.setattr(sys, "argv", ["rarlib", "--debug"])
    with pytest.raises(type(error)):
        cli.main(["--debug", "claims"])


def rarlib(*arguments, **more):
    return subprocess.Popen([sys.executable, "-m", "rarlib.cli.main", *arguments], stderr=subprocess.PIPE, **more)


@pytest.mark.parametrize("arguments", [["schedulers"], ["cite"]])
def test_nobody_reads_the_output(arguments):
    """As in `rarlib cite | head -1`: quiet, and with the code that a shell expects."""
    reading, writing = os.pipe()
    os.close(reading)
    process = rarlib(*arguments, stdout=writing)
    os.close(writing)
    assert (process.communicate(timeout=120)[1], process.returncode) == (b"", 141)


def test_the_output_goes_to_a_full_disk():
    with Path("/dev/full").open("w") as full:
        process = rarlib("schedulers", stdout=full)
        said = process.communicate(timeout=120)[1]
    assert (process.returncode, said) == (2, b"error: cannot read or write: No space left on device\n")


def test_a_terminal_that_knows_ascii_only():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    process = rarlib("claims", "results/expected", stdout=subprocess.PIPE, env=environment)
    out, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (0, b"")
    assert b"\\u" in out or b"\\x" in out


def test_codes_of_a_terminal_are_shown_and_not_obeyed(capsys):
    say("a\x1b[2Jb", "c\nd")
    assert capsys.readouterr().out == "a\\x1b[2Jb\nc\\x0ad\n"
    code, told = run("why", "no\x1b[2Jwhere", capsys=capsys)
    assert (code, "\x1b" in told.err) == (2, False)
