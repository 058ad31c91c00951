"""Whatever the options name, a command ends with one short line and exit code 2."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rarlib.cli import main as cli
from rarlib.cli.text import say

TRACE = "submit_s,gpus,duration_s\n0,1,5\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--trace", "n" * 5_000],
        ["--trace", "/dev/zero"],
        ["--trace", "."],
        ["--cluster", "100000000x1"],
        ["--cluster", "2x9223372036854775807"],
        ["--cluster", "n" * 5_000 + ".yaml"],
        ["--cluster", "/dev/zero.yaml"],
        ["--cluster", "x" * 100_000],
        ["--cluster", "\x1b[2J4x8"],
        ["--format", "x" * 100_000],
        ["--cost", "x" * 100_000],
        ["--contention", "gbps=0"],
        ["--contention", "x" * 100_000],
        ["--contention", "alpha=" + "9" * 5_000],
        ["--origin", "x" * 100_000],
        ["--preset", "x" * 100_000],
    ],
    ids=lambda words: f"{words[0]}={words[1][:24]!r}",
)
def test_one_line_and_exit_code_2(tmp_path, refused, words):
    (tmp_path / "t.csv").write_text(TRACE)
    usual = ["--trace", tmp_path / "t.csv", "--cluster", "1x1", "--scheduler", "fifo"]
    if words[0] == "--trace":
        usual = usual[2:]
    said = refused("simulate", *usual, "--out", tmp_path / "out", "--quiet", *words).removesuffix("\n")
    assert said.startswith("error: ")
    assert said.isprintable()
    assert len(said) < 2_500
    assert not (tmp_path / "out").exists()


CODE = "\x1b[2J"
ODD = f'job_id,submit_s,gpus,duration_s,application\n"a{CODE}",0,1,24.75,"b{CODE}"\nc,42.5,1,11,\n'


def is_quiet(text):
    """Whether a terminal shows text line by line and does nothing else."""
    return all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "--scheduler", "first-fit", "--out", f"run{CODE}"],
        ["compare", "--scheduler", "fifo", "--out", f"table{CODE}"],
        ["bound"],
    ],
    ids=lambda words: words[0],
)
def test_words_of_a_trace_and_names_of_files_do_nothing_to_a_terminal(tmp_path, monkeypatch, run, words):
    """Ids, applications, the trace's own name and that of the output hold a code that clears the screen."""
    monkeypatch.chdir(tmp_path)
    name = f"t{CODE}.csv"
    (tmp_path / name).write_text(ODD)
    code, told = run(words[0], "--trace", name, "--cluster", "1x8", *words[1:])
    assert code == 0, told.err
    assert is_quiet(told.out + told.err)
    if "--out" in words:
        assert "\\x1b[2J" in told.out


RAISED = [
    (KeyError("x"), 70, "a fault of rarlib: KeyError: 'x'"),
    (RecursionError("deep"), 70, "RecursionError"),
    (MemoryError(), 2, "error: not enough memory"),
    (OSError(errno.ENOSPC, "No space left on device", "a.csv"), 2, "error: a.csv: No space left on device"),
    (PermissionError(errno.EACCES, "Permission denied", "b.csv"), 2, "error: b.csv: Permission denied"),
]


@pytest.mark.parametrize(("error", "code", "line"), RAISED)
def test_whatever_is_raised_ends_in_one_line(error, code, line, monkeypatch, run):
    def fails(**_):
        raise error

    monkeypatch.setattr(cli, "app", fails)
    found, told = run("claims")
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


def test_codes_of_a_terminal_are_shown_and_not_obeyed(capsys, run):
    say("a\x1b[2Jb", "c\nd")
    assert capsys.readouterr().out == "a\\x1b[2Jb\nc\\x0ad\n"
    code, told = run("why", "no\x1b[2Jwhere")
    assert (code, "\x1b" in told.err) == (2, False)
