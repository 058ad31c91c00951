"""How large the house is, and how large it may be: `python -m tools.budgets` (part of make lint).

Budgets are in `pyproject.toml`, section `tool.budgets`. They may be lowered, and a change that needs more has to say in
its pull request what no reader would miss instead.
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from statistics import median

from artifact.run.closure import cell_modules, import_closure
from rarlib.model.project import ROOT

PYTHON = {
    "rarlib": ("rarlib",),
    "artifact": ("artifact",),
    "tests": ("tests",),
    "tools": ("tools", "benchmarks"),
}
"""Budget -> folders whose lines of Python it counts."""

CLOSURES = {
    "simulate_fifo": ["rarlib.simulator.engine", "rarlib.schedulers.fifo", "rarlib.cost.trace"],
    "sjf_bco_fig4": cell_modules("artifact.papers.sjf_bco.cells", "sjf-bco"),
}
"""Budget -> modules whose lines it counts, with all that they import."""


def measured(root: Path = ROOT) -> dict[str, float]:
    """What each budget limits, counted in the files under version control (and new ones that git does not ignore)."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    files = [name for name in dict.fromkeys(names) if (root / name).is_file()]
    lines = {name: _lines(root / name) for name in files if name.endswith(".py")}
    code = [count for name, count in lines.items() if name.startswith(("rarlib/", "artifact/"))]
    found: dict[str, float] = {
        budget: sum(count for name, count in lines.items() if name.split("/")[0] in folders)
        for budget, folders in PYTHON.items()
    }
    found |= {name: sum(_lines(root / file) for file in import_closure(*of)) for name, of in CLOSURES.items()}
    return found | {
        "python": sum(lines.values()),
        "longest_file": max(lines.values()),
        "median_file": median(code),
        "words": sum(_words(root / name) for name in _pages(files)),
        "targets": sum(
            1
            for line in (root / "Makefile").read_text(encoding="utf-8").splitlines()
            if ":" in line and "## " in line and line[0].islower()
        ),
        "top_entries": len({name.split("/")[0] for name in files}),
    }


def _lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def _words(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").split())


def _pages(files: Iterable[str]) -> list[str]:
    """Pages of the manual, and those beside what they describe."""
    return [name for name in files if name.endswith(".md") and not name.startswith((".github/", "tests/"))]


def main() -> int:
    """Print what is used of each budget; 1 if one is exceeded."""
    budgets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["budgets"]
    found = measured()
    for name, limit in budgets.items():
        over = "" if found[name] <= limit else "   OVER"
        print(f"{name:13}{found[name]:>9,.0f} of {limit:>9,}{over}")
    return int(any(found[name] > limit for name, limit in budgets.items()))


if __name__ == "__main__":
    sys.exit(main())
