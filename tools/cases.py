"""Cases of `tools.determinism`: a row for each as it ends, and the summary that is accepted.

Cases that have a row are skipped, so a run that was stopped goes on where it was; those that failed are tried again.
Rows hold the digest of the code that was run; rows of other code are not counted.
"""

import argparse
import csv
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pandas as pd

from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tools.trials import FAILED, NOT_RUN, PART, RESULTS_OF_A_CASE, Bench, Case, Outcome, code_digest

COLUMNS = ("code", "kind", "case", "result", "seconds", "note")
SUMMARY = ("kind", "cases", *(result.replace(" ", "_") for result in RESULTS_OF_A_CASE), "note")


def run_cases(
    name: str, parser: argparse.ArgumentParser, planned: Callable[[Bench, Path, argparse.Namespace], list[Case]]
) -> int:
    """What a tool's `main` does: carry out its cases and print the summary, or accept it; gives the exit code.

    Args:
        name: of the tool; rows go to build/NAME.csv, the accepted summary to results/expected/NAME.csv.
        parser: with the tool's own options.
        planned: the cases, from the project to try them on, a temporary folder and the options given.
    """
    parser.add_argument("--only", nargs="+", default=(), metavar="KIND", help="carry out only cases of these kinds")
    parser.add_argument(
        "--accept",
        action="store_true",
        help="carry out nothing; write the summary of the cases that are done to results/expected/",
    )
    given = parser.parse_args()
    path, code = ROOT / f"build/{name}.csv", code_digest()
    with tempfile.TemporaryDirectory(prefix=f"rarlib-{name}-") as folder:
        cases = planned(Bench(Path(folder), PART), Path(folder), given)
        if not given.accept:
            carry_out(cases, path, code, given.only)
    return conclude(cases, path, code, ROOT / f"results/expected/{name}.csv" if given.accept else None)


def carry_out(cases: Iterable[Case], path: Path, code: str, only: Sequence[str] = ()) -> None:
    """Carry out cases that have no row yet or failed, and write a row as each ends; `only` names kinds (none: all)."""
    done = _done(path, code)
    path.parent.mkdir(parents=True, exist_ok=True)
    for case in _by_turns(cases):
        if (case.kind, case.name) in done or (only and case.kind not in only):
            continue
        began = time.monotonic()
        try:
            outcome = case.act()
        except Exception as error:  # a fault of a case must not end the others
            outcome = Outcome(FAILED, f"{type(error).__name__}: {error}")
        note = " ".join(outcome.note.split())[:300]
        row = (code, case.kind, case.name, outcome.result, f"{time.monotonic() - began:.0f}", note)
        if outcome.output:
            write_text(path.parent / path.stem / f"{case.kind} {case.name}.log", outcome.output)
        new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, row] if new else [row])
        print(f"{case.kind} {case.name}: {outcome.result}{f' ({note})' if note else ''}", flush=True)


def rows(path: Path, code: str) -> list[dict[str, str]]:
    """Rows of cases that were carried out with this code."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["code"] == code]


def _done(path: Path, code: str) -> set[tuple[str, str]]:
    last = {(row["kind"], row["case"]): row["result"] for row in rows(path, code)}
    return {case for case, result in last.items() if result != FAILED}


def _by_turns(cases: Iterable[Case]) -> list[Case]:
    """The first case of each kind, then the second of each, and so on: a run that is stopped has tried most kinds."""
    seen: Counter[str] = Counter()
    turns = []
    for case in cases:
        turns.append((seen[case.kind], case))
        seen[case.kind] += 1
    return [case for _, case in sorted(turns, key=lambda turn: turn[0])]


def summary(cases: Iterable[Case], found: Sequence[dict[str, str]]) -> pd.DataFrame:
    """Cases of each kind by result; the note says what was not run and why. A case without a row was not run."""
    ended = {(row["kind"], row["case"]): (row["result"], row["note"]) for row in found}
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for case in cases:
        result = ended.get((case.kind, case.name), (NOT_RUN, ""))
        kinds.setdefault(case.kind, []).append((case.name, *result))
    table = []
    for kind, mine in kinds.items():
        counts = [sum(result == each for _, result, _ in mine) for each in RESULTS_OF_A_CASE]
        why = [f"{name}: {note}" for name, result, note in mine if result == NOT_RUN and note]
        if left := counts[-1] - len(why):
            why.append(f"{left} not carried out")
        table.append((kind, len(mine), *counts, "; ".join(why)))
    return pd.DataFrame(table, columns=list(SUMMARY))


def conclude(cases: Iterable[Case], path: Path, code: str, accepted: Path | None) -> int:
    """Print the summary and, if asked to, write the accepted one; the exit code is 1 if a case failed."""
    table = summary(cases, rows(path, code))
    print(table.to_string(index=False))
    if failed := int(table["failed"].sum()):
        print(f"error: {failed} cases failed, see {path}", file=sys.stderr)
        return 1
    if accepted is not None:
        write_text(accepted, table.to_csv(index=False, lineterminator="\n"))
        print(f"written: {accepted}")
    return 0
