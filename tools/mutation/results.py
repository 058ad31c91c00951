"""Results of mutation tests: rows as they are decided, the summary, and the survivors with their explanations."""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scipy.stats import binomtest

from tools.mutation import KILLED, PACKAGES, ROOT, TIMED_OUT

if TYPE_CHECKING:
    from tools.mutation.trial import Trial

COLUMNS = ("name", "package", "line", "outcome", "tests", "seconds", "before", "after")
EXPECTED = ROOT / "results" / "expected"
SUMMARY, SURVIVORS = EXPECTED / "mutants.csv", EXPECTED / "survivors.csv"
NO_EFFECT = "no effect: "
"""How the explanation of a survivor begins that no test can find, since every result is the same with it."""
Row = Mapping[str, str]


def rows(path: Path) -> list[Row]:
    """The rows of a file of results; a last row that was cut off is left out."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file, COLUMNS) if row["after"] is not None]


def append(path: Path, trial: "Trial") -> None:
    """Add a trial that is decided."""
    mutant, (before, after) = trial.mutant, trial.mutant.lines()
    took = f"{trial.seconds:.1f}"
    values = (mutant.name, mutant.package, mutant.line, trial.outcome(), len(trial.tests), took, before, after)
    path.parent.mkdir(parents=True, exist_ok=True)
    cut_off = path.is_file() and not path.read_bytes().endswith(b"\n")
    with path.open("a", newline="", encoding="utf-8") as file:
        file.write("\n" * cut_off + _line(values))


def summary(found: Iterable[Row], of: Mapping[str, int] | None = None) -> str:
    """CSV with a row for each package: errors tried, killed, and without effect; share killed, 95 % interval (Wilson).

    The share is of the errors that have an effect.

    Args:
        found: rows of results.
        of: number of all errors of a package; left out without it.
    """
    lines = [_line(("package", *(["errors"] if of else []), "tried", "killed", "no_effect", "share", "low", "high"))]
    found, why = list(found), _explanations()
    for package in (*PACKAGES, "all"):
        mine = [row for row in found if package in {row["package"], "all"}]
        if not mine:
            continue
        killed = sum(row["outcome"] in {KILLED, TIMED_OUT} for row in mine)
        same = sum(row["outcome"] not in {KILLED, TIMED_OUT} and _has_no_effect(row, why) for row in mine)
        interval = binomtest(killed, len(mine) - same).proportion_ci(method="wilson")
        size = [sum(of.values()) if package == "all" else of[package]] if of else []
        shares = (f"{share:.3f}" for share in (killed / (len(mine) - same), interval.low, interval.high))
        lines.append(_line((package, *size, len(mine), killed, same, *shares)))
    return "".join(lines)


def accept(found: Iterable[Row], of: Mapping[str, int]) -> None:
    """Write the summary and the survivors; an explanation in the list of survivors is kept where its error is."""
    found, why = list(found), _explanations()
    lines = [_line(("file", "line", "before", "after", "outcome", "why", "name"))]
    for row in sorted(found, key=lambda row: (row["name"].split(":")[0], int(row["line"]), row["name"])):
        if row["outcome"] not in {KILLED, TIMED_OUT}:
            change = _change(row)
            lines.append(_line((change[0], row["line"], *change[1:], row["outcome"], why.get(change, ""), row["name"])))
    SURVIVORS.write_text("".join(lines), encoding="utf-8")
    SUMMARY.write_text(summary(found, of), encoding="utf-8")


def _change(row: Row) -> tuple[str, str, str]:
    return row["name"].split(":")[0], row["before"], row["after"]


def _explanations() -> dict[tuple[str, str, str], str]:
    """What the list of survivors says of a change: (file, before, after) -> why."""
    if not SURVIVORS.is_file():
        return {}
    with SURVIVORS.open(newline="", encoding="utf-8") as file:
        return {(row["file"], row["before"], row["after"]): row["why"] for row in csv.DictReader(file)}


def _has_no_effect(row: Row, why: Mapping[tuple[str, str, str], str]) -> bool:
    return why.get(_change(row), "").startswith(NO_EFFECT)


def _line(values: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
