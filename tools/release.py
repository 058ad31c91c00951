"""What a release has to show, stage by stage: `python -m tools.release` (make release).

It begins with what `make test` does and goes on with what takes long. A stage that has passed on this version of the
files is not run again, so an interrupted run goes on where it was; most stages resume inside, too. A stage whose
programs are missing here is left out, and the last lines say so.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rarlib.model.files import write_text
from rarlib.model.project import ROOT

PASSED = ROOT / "build/release"


class Stage(NamedTuple):
    """A part of what a release has to show.

    Attributes:
        name: of the stage.
        minutes: that it takes on 2 fast cores, about.
        command: for bash, in the project's folder, inside the environment.
        shows: what a reader knows after it.
        needs: programs without which it is left out.
    """

    name: str
    minutes: int
    command: str
    shows: str
    needs: tuple[str, ...] = ()


STAGES = (
    Stage("test", 10, "make test", "style, types, import rules and every quick test"),
    Stage(
        "long-tests",
        40,
        "make .venv-archive/.built-from-lock .venv-docs/.built-from-lock && "
        "python -m pytest -n auto --maxprocesses 4 --dist loadfile --release",
        "all tests with more examples, and those that take long or need TeX, reprotest or Slurm",
    ),
    Stage(
        "lab",
        30,
        "python -m pytest --release tests/artifact/browser",
        "every notebook and page in JupyterLab and Chromium",
    ),
    Stage("notebooks", 25, "python -m tools.notebooks --workers 2", "every notebook without results"),
    Stage(
        "site",
        3,
        "make docs && RARLIB_SITE=build/site python -m pytest --release tests/artifact/browser/test_site.py",
        "the manual",
    ),
    Stage("smoke", 3, "make smoke && rarlib verify results/smoke", "every rule of the workflow"),
    Stage("elsewhere", 5, "bash tools/deposit.sh --elsewhere", "the deposit alone, on another path and without git"),
    Stage(
        "reproduce",
        27,
        "make reproduce\n"
        "RARLIB_REPORT=results/report.html python -m pytest -rs tests/artifact/browser/test_report.py\n"
        "rarlib verify results --accepted results/expected/claims.csv\n"
        "cmp results/expected/sjf-bco-fig4.svg results/figures/sjf-bco-fig4.svg",
        "all results, and the accepted ledger",
    ),
    Stage("matrix", 600, "python -m tools.matrix", "every scheduler on every source under every cost model"),
    Stage(
        "bounds",
        30,
        "python -m pytest --release tests/rarlib/model/test_bounds.py",
        "kernels that write nowhere outside their arrays",
    ),
    Stage("fuzz", 40, "python -m tools.fuzz --seed 1 --cases 100000", "100,000 odd inputs"),
    Stage(
        "slurm",
        30,
        "python -m tools.slurm_judge",
        "a real Slurm beside the simulator",
        ("slurmctld",),
    ),
    Stage("full", 240, "make full", "the full configuration"),
)


def version() -> str:
    """The tree of the last commit; with changes that are not committed, a text that no earlier run has."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    return f"changed {time.time()}" if git("status", "--porcelain") else git("rev-parse", "HEAD^{tree}")


def run(stages: Iterable[Stage], made_from: str, folder: Path = PASSED) -> tuple[list[str], list[str]]:
    """Run stages one after the other; a failed one does not keep the others from running.

    Args:
        stages: to run.
        made_from: what identifies the files that are tested; a stage that has passed on them is not run again.
        folder: with a file for every stage that has passed.

    Returns:
        Names of the stages that failed, and sentences about those that were left out.
    """
    failed, left_out = [], []
    for stage in stages:
        mark = folder / stage.name
        if mark.is_file() and mark.read_text(encoding="utf-8").split("\n")[0] == made_from:
            print(f"== {stage.name}: has passed on these files", flush=True)
            continue
        lacking = [name for name in stage.needs if not shutil.which(name)]
        if lacking:
            left_out.append(f"{stage.name} ({stage.shows}): needs {', '.join(lacking)}")
            continue
        print(f"\n== {stage.name}: {stage.shows}; about {stage.minutes} min on 2 fast cores", flush=True)
        began = time.monotonic()
        if subprocess.run(["bash", "-euo", "pipefail", "-c", stage.command], cwd=ROOT, check=False).returncode:
            failed.append(stage.name)
        else:
            write_text(mark, f"{made_from}\n{time.monotonic() - began:.0f} s\n")
    return failed, left_out


def main() -> int:
    """Announce the stages, run them, and say which failed and which were left out."""
    parser = argparse.ArgumentParser(description="What a release has to show.")
    names = [stage.name for stage in STAGES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="STAGE", help=", ".join(names))
    parser.add_argument("--list", action="store_true", help="print the stages and run nothing")
    given = parser.parse_args()
    stages = [stage for stage in STAGES if stage.name in given.only]
    for stage in stages:
        print(f"{stage.name:14} {stage.minutes:4d} min  {stage.shows}")
    if given.list:
        return 0
    hours = sum(stage.minutes for stage in stages) / 60
    print(
        f"About {hours:.1f} hours on 2 fast cores. It may be interrupted; what has passed is not run again.", flush=True
    )
    failed, left_out = run(stages, version())
    for sentence in left_out:
        print(f"!!!! LEFT OUT: {sentence}")
    for name in failed:
        print(f"error: stage {name} failed; make release ARGS='--only {name}' repeats it", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
