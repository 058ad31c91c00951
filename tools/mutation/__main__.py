"""Mutation tests of the core: the share of small errors that the tests find.

python -m tools.mutation                  # 100 errors in each package; goes on where it was stopped
python -m tools.mutation --each 300       # more of the same random order
python -m tools.mutation --only NAME      # one of them again, with its change and its tests
python -m tools.mutation --accept         # what was found into results/expected/mutants.csv and survivors.csv
python -m tools.mutation --again          # the accepted survivors of the seed; with --accept, those killed by now leave

An error is killed when a test fails or does not end. Errors are drawn at random, in an order that --seed fixes, so the
share is an estimate for all of a package's errors; its interval is printed. Tests run as plain Python, without Numba.
With --package, --accept replaces the rows of these packages and this seed only.
"""

import argparse
import hashlib
import importlib
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.mutation import PACKAGES, ROOT
from tools.mutation.reach import Reach
from tools.mutation.results import accept, accept_again, append, counts, rows, summary, survivors
from tools.mutation.selection import TESTS
from tools.mutation.sites import Mutant, mutants
from tools.mutation.trial import Trial

_FOLDER = ROOT / "build" / "mutants"
_BUDGET_S = 60.0
"""The tests tried on one error take no longer than this in sum, the quickest first."""

_PRELOADED = ("numpy", "numba", "pandas", "scipy.optimize", "scipy.sparse", "ortools.sat.python.cp_model", "hypothesis")


def main() -> int:
    """Try errors until there are enough in each package."""
    parser = argparse.ArgumentParser(description="Mutation tests of rarlib's core.")
    parser.add_argument("--each", type=int, default=100, help="errors in each package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--package", choices=PACKAGES, action="append", help="only these packages")
    parser.add_argument("--only", metavar="NAME", help="one error, by its name in the list of survivors")
    parser.add_argument("--again", action="store_true", help="the survivors in results/expected/survivors.csv")
    parser.add_argument("--accept", action="store_true", help="write results/expected/mutants.csv and survivors.csv")
    given = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    os.chdir(ROOT)
    packages = given.package or PACKAGES
    wanted = _survivors(given.seed) if given.again else _drawn(packages, given.each, given.seed)
    if given.only:
        wanted = [mutant for package in PACKAGES for mutant in mutants(package) if mutant.name == given.only]
    if not given.accept:
        _try(wanted, again=bool(given.only), workers=given.workers)
    names = {mutant.name for mutant in wanted}
    found = [row for row in rows(_results()) if row["name"] in names]
    of = {package: len(mutants(package)) for package in packages}
    if given.accept and given.again:
        accept_again(found, given.seed)
    elif given.accept:
        accept(found, of, given.seed)
    elif found:
        print(summary(counts(found, of, given.seed)))
    return 0


def _try(wanted: Sequence[Mutant], *, again: bool, workers: int) -> None:
    """Try errors whose outcome is not known, or all of them again."""
    reach = _reach(workers)
    for name in _PRELOADED:
        importlib.import_module(name)
    assert "rarlib" not in sys.modules, "the children import rarlib, with the error"
    done = set() if again else {row["name"] for row in rows(_results())}
    _run([mutant for mutant in wanted if mutant.name not in done], reach, workers)


def _survivors(seed: int) -> list[Mutant]:
    """The accepted survivors of a seed, where their change is still possible, whatever their name by now."""
    changes = {(row["file"], row["before"], row["after"]) for row in survivors() if int(row["seed"]) == seed}
    texts = {file: (ROOT / file).read_text(encoding="utf-8").split("\n") for file, _, _ in changes}
    lines = {(file, before) for file, before, _ in changes}
    found: dict[tuple[str, str, str], Mutant] = {}
    for package in sorted({file.split("/")[1] for file in texts}):
        for mutant in (mutant for mutant in mutants(package) if mutant.file in texts):
            line = texts[mutant.file][mutant.line - 1].strip()
            if (mutant.file, line) in lines and (change := (mutant.file, *mutant.lines())) in changes:
                found.setdefault(change, mutant)
    return list(found.values())


def _drawn(packages: Sequence[str], each: int, seed: int) -> list[Mutant]:
    """The first ones of each package in random order; packages take turns."""
    drawn = []
    for package in packages:
        ordered = sorted(mutants(package), key=lambda one: one.order(seed))
        drawn.append(list(itertools.islice(filter(Mutant.says_something, ordered), each)))
    return [mutant for turn in itertools.zip_longest(*drawn) for mutant in turn if mutant is not None]


def _results() -> Path:
    """The file of results for the present sources: after a change of the code or the tests all are tried again."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for file in sorted((ROOT / "rarlib" / package).rglob("*.py")):
            digest.update(file.read_bytes())
    return _FOLDER / f"{digest.hexdigest()[:12]}.csv"


def _reach(workers: int) -> Reach:
    """The tests run once under coverage.py, `workers` folders of them at a time; a folder that is done is kept."""
    paths = {room: _results().with_suffix(f".{Path(room).name}.json") for room in TESTS}
    left = [room for room, path in paths.items() if not path.is_file()]
    if left:
        print(f"Which tests reach which lines? {len(left)} folders of tests run: up to an hour of one core.")
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda room: _collect(room, paths[room]), left))
    return Reach(paths.values())


def _collect(room: str, into: Path) -> None:
    subprocess.run([sys.executable, "-m", "tools.mutation.selection", str(into), room], check=True)


def _run(left: Sequence[Mutant], reach: Reach, workers: int) -> None:
    """Try these errors, `workers` at a time; each is written as soon as it is decided."""
    waiting, start, decided = iter(left), time.monotonic(), 0
    running: list[Trial] = []
    try:
        while True:
            for mutant in itertools.islice(waiting, workers - len(running)):
                running.append(Trial(mutant, reach.tests(mutant.file, mutant.line, _BUDGET_S)))
            if not running:
                return
            time.sleep(0.05)
            for trial in [each for each in running if each.outcome()]:
                running.remove(trial)
                decided += 1
                append(_results(), trial)
                minutes = (time.monotonic() - start) / decided * (len(left) - decided) / 60
                print(
                    f"{decided}/{len(left)} | {minutes:.0f} min left | {trial.outcome()}: {trial.mutant.name}",
                    flush=True,
                )
    finally:
        for trial in running:
            trial.end()


if __name__ == "__main__":
    sys.exit(main())
