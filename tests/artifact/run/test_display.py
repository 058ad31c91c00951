"""What is seen of a run: in a file, and of a run that fails."""

import io
import re

from artifact.run.display import _LONGEST_S, _SHORTEST_S, Screen
from artifact.run.progress import Planned, Progress


def running():
    progress = Progress([Planned(1, "cell", "arena/runs/pollux-with-a-long-name", 1000.0)], 1)
    progress.start(1, 0.0)
    return progress


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
    assert min(gaps) >= _SHORTEST_S
    assert max(gaps) <= _LONGEST_S
    assert "\x1b" not in stream.getvalue()
    assert "\r" not in stream.getvalue()


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
