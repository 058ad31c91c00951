"""What is seen of a run: on a terminal, in a file, and of a run that fails."""

import io
import os
import re
import time

from artifact.run.display import _BETWEEN_S, Screen
from artifact.run.jobs import ERASE
from artifact.run.progress import Planned, Progress


class Terminal(io.StringIO):
    """A terminal's screen: the carriage goes back, and a line is emptied from there on."""

    def isatty(self):
        return True

    def screen(self):
        lines, column = [""], 0
        for token in re.findall(r"\x1b\[K|\r|\n|[^\x1b\r\n]+", self.getvalue()):
            if token == "\n":
                lines.append("")
            elif token == "\x1b[K":
                lines[-1] = lines[-1][:column]
            elif token != "\r":
                lines[-1] = lines[-1][:column] + token + lines[-1][column + len(token) :]
            column = column + len(token) if token.isprintable() else column * (token == "\x1b[K")
        return lines


def running():
    progress = Progress([Planned(1, "cell", "arena/runs/pollux-with-a-long-name", 1000.0)], 1)
    progress.start(1, 0.0)
    return progress


def test_messages_take_the_place_of_the_line_and_stay_whole(monkeypatch):
    """Snakemake's and those that jobs write on their own; no rest of the line behind them, no line left above them."""
    for name, value in {"TERM": "xterm", "COLUMNS": "60", "NUMBA_CACHE_DIR": "none"}.items():
        monkeypatch.setenv(name, value)
    stream, progress = Terminal(), running()
    screen = Screen(stream, 0.0)
    screen.show(progress, 70.0)
    assert "arena/runs" in stream.screen()[0]
    screen.write("short")
    screen.show(progress, 71.0)
    stream.write(f"{ERASE}from a job\n")
    screen.show(progress, 72.0)
    first, second, line = stream.screen()
    assert (first, second) == ("short", "from a job")
    assert len(line) < 60  # a line that wraps could not be taken back
    assert line.endswith("…")


def test_a_file_gets_a_line_now_and_then():
    """Neither thousands of lines in a log of a night, nor an hour of silence; no control characters."""
    stream, progress = io.StringIO(), running()
    screen = Screen(stream, 0.0)
    shown = []
    for now in range(1000):
        before = len(stream.getvalue())
        screen.show(progress, float(now))
        if len(stream.getvalue()) > before:
            shown.append(now)
    gaps = [b - a for a, b in zip([0, *shown], shown, strict=False)]
    assert gaps
    assert set(gaps) == {_BETWEEN_S}
    assert "\x1b" not in stream.getvalue()
    assert "\r" not in stream.getvalue()


def test_a_first_run_says_that_kernels_are_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    for ago, told in ((0.0, True), (60.0, False)):
        (tmp_path / "kernel").mkdir(exist_ok=True)
        os.utime(tmp_path / "kernel", (time.time() - ago,) * 2)
        stream = io.StringIO()
        Screen(stream, 0.0).show(running(), 100.0)
        assert stream.getvalue().startswith("compiling, once | ") == told


def test_a_failing_run_as_make_shows_it(project):
    """Which cells and why, also where one died without a word; the list at the end; no bookkeeping of Snakemake's."""
    las, fifo = (project.root / "rarlib" / "schedulers" / f"{name}.py" for name in ("las", "fifo"))
    las.write_text(las.read_text().replace("    levels: tuple", "    __hash__ = 1 / 0\n    levels: tuple"))
    fifo.write_text(f"{fifo.read_text()}\n__import__('os').kill(__import__('os').getpid(), 9)\n")
    done = project.make("--cores", "2", "--", "results/tiny/tables/philly-jct.csv")
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert sum(line.startswith("error: a fault of rarlib: ZeroDivisionError") for line in lines) == 1
    assert any(re.fullmatch(r"failed after [\d:]+: cell philly/jct/las", line) for line in lines)
    assert re.search(r"^failed after [\d:]+: cell philly/jct/fifo: ended from outside", done.stdout, re.MULTILINE)
    listed = lines.index("Failed:")
    assert lines[listed + 1].startswith("  cell/philly-jct-fifo: error: ended from outside")
    assert lines[listed + 2].startswith("  cell/philly-jct-las: error: a fault of rarlib: ZeroDivisionError")
    assert re.search(r"^ *\d+ % \| 1 of 4 jobs \| 2 failed \| took [\d:]+$", done.stdout, re.MULTILINE)
    assert any(line.startswith("philly-pollux: a STAND-IN") for line in lines)
    assert not re.search(r"Finished jobid|Select jobs|Execute \d+ jobs|CalledProcessError", done.stdout)
    log = max((project.root / ".snakemake/log").iterdir())
    assert "Finished jobid" in log.read_text()
