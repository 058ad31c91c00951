"""Results of mutation tests: rows as they are decided, the summary, and the survivors with their explanations.

The accepted files have rows for every sample, which is a seed and a package; each sample is accepted on its own.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scipy.stats import binomtest

from tools.mutation import KILLED, PACKAGES, ROOT, TIMED_OUT

if TYPE_CHECKING:
    from tools.mutation.trial import Trial

COLUMNS = ("name", "package", "line", "outcome", "tests", "seconds", "before", "after")
EXPECTED = ROOT / "results" / "expected"
SUMMARY, SURVIVORS = EXPECTED / "mutants.csv", EXPECTED / "survivors.csv"
NO_EFFECT = "no effect: "
"""How the explanation of a survivor begins that no test can find, since every result is the same with it."""
_LISTED = ("seed", "file", "line", "before", "after", "outcome", "why", "name")
Row = Mapping[str, str]


def rows(path: Path) -> list[Row]:
    """The rows of a file of results, the last one of each error; a last row that was cut off is left out."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list({row["name"]: row for row in csv.DictReader(file, COLUMNS) if row["after"] is not None}.values())


def append(path: Path, trial: "Trial") -> None:
    """Add a trial that is decided."""
    mutant, (before, after) = trial.mutant, trial.mutant.lines()
    took = f"{trial.seconds:.1f}"
    values = (mutant.name, mutant.package, mutant.line, trial.outcome(), len(trial.tests), took, before, after)
    path.parent.mkdir(parents=True, exist_ok=True)
    cut_off = path.is_file() and not path.read_bytes().endswith(b"\n")
    with path.open("a", newline="", encoding="utf-8") as file:
        file.write("\n" * cut_off + _line(values))


class Counts(NamedTuple):
    """Errors of one package in one sample.

    Attributes:
        errors: all errors of the package.
        tried: those of the sample.
        killed: those that tests find.
        since: those among the killed ones that survived first, and for which tests were written then.
        no_effect: survivors with which every result is the same.
    """

    errors: int
    tried: int
    killed: int
    since: int
    no_effect: int

    def shares(self) -> tuple[float, float, float]:
        """Share killed of the errors that have an effect, and its 95 % interval (Wilson); NaN if none has."""
        tried = self.tried - self.no_effect
        if not tried:
            return nan, nan, nan
        interval = binomtest(self.killed, tried).proportion_ci(method="wilson")
        return self.killed / tried, float(interval.low), float(interval.high)


Sample = tuple[int, str]
"""Seed and package."""


def counts(found: Iterable[Row], of: Mapping[str, int], seed: int) -> dict[Sample, Counts]:
    """What became of the errors of one seed, by package.

    Args:
        found: rows of results.
        of: number of all errors of a package.
        seed: of the sample.
    """
    found, why, counted = list(found), _explanations(), {}
    for package in PACKAGES:
        mine = [row for row in found if row["package"] == package]
        if mine:
            killed = sum(_is_killed(row) for row in mine)
            same = sum(not _is_killed(row) and _has_no_effect(row, why) for row in mine)
            counted[seed, package] = Counts(of[package], len(mine), killed, 0, same)
    return counted


def summary(counted: Mapping[Sample, Counts]) -> str:
    """CSV with a row for each package of each seed, and one for all packages of a seed."""
    lines = [_line(("seed", "package", *Counts._fields, "share", "low", "high"))]
    for seed in sorted({seed for seed, _ in counted}):
        mine = {package: counted[seed, package] for package in PACKAGES if (seed, package) in counted}
        mine["all"] = Counts(*(sum(column) for column in zip(*mine.values(), strict=True)))
        for package, each in mine.items():
            lines.append(_line((seed, package, *each, *(f"{share:.3f}" for share in each.shares()))))
    return "".join(lines)


def accept(found: Iterable[Row], of: Mapping[str, int], seed: int) -> None:
    """Write counts and survivors of a sample; those of other seeds and of packages without a row in `found` stay.

    An explanation in the list of survivors is kept where its error is.
    """
    found, why = list(found), _explanations()
    new = counts(found, of, seed)
    listed = [row for row in survivors() if (int(row["seed"]), _package(row["file"])) not in new]
    for row in found:
        if not _is_killed(row):
            file, before, after = _change(row)
            listed.append(_survivor(seed, row, why.get((file, before, after), "")))
    _write(listed, accepted() | new)


def accept_again(found: Iterable[Row], seed: int) -> None:
    """Take from the survivors of an accepted sample those that tests find by now; `found` are rows of survivors."""
    again = {_change(row): row for row in found}
    listed, counted = [], accepted()
    for row in survivors():
        now = again.get((row["file"], row["before"], row["after"]))
        if now is None or int(row["seed"]) != seed:
            listed.append(row)
        elif _is_killed(now):
            sample = seed, _package(row["file"])
            same = row["why"].startswith(NO_EFFECT)
            old = counted[sample]
            counted[sample] = old._replace(killed=old.killed + 1, since=old.since + 1, no_effect=old.no_effect - same)
        else:
            listed.append(_survivor(seed, now, row["why"]))
    _write(listed, counted)


def survivors() -> list[Row]:
    """The rows of the accepted list of survivors."""
    if not SURVIVORS.is_file():
        return []
    with SURVIVORS.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def accepted() -> dict[Sample, Counts]:
    """The accepted counts; what is without effect is counted anew, by the explanations that the list has now."""
    if not SUMMARY.is_file():
        return {}
    with SUMMARY.open(newline="", encoding="utf-8") as file:
        rows_of = [row for row in csv.DictReader(file) if row["package"] != "all"]
    same = [(row["seed"], _package(row["file"])) for row in survivors() if row["why"].startswith(NO_EFFECT)]
    found = {}
    for row in rows_of:
        sample = row["seed"], row["package"]
        values = {name: int(row[name]) for name in Counts._fields} | {"no_effect": same.count(sample)}
        found[int(row["seed"]), row["package"]] = Counts(**values)
    return found


def _write(listed: Iterable[Row], counted: Mapping[Sample, Counts]) -> None:
    ordered = sorted(listed, key=lambda row: (int(row["seed"]), row["file"], int(row["line"]), row["name"]))
    text = [_line(_LISTED), *(_line(row[name] for name in _LISTED) for row in ordered)]
    SURVIVORS.write_text("".join(text), encoding="utf-8")
    SUMMARY.write_text(summary(counted), encoding="utf-8")


def _survivor(seed: int, row: Row, why: str) -> Row:
    """A row of the list of survivors."""
    return {**row, "seed": str(seed), "file": _change(row)[0], "why": why}


def _is_killed(row: Row) -> bool:
    return row["outcome"] in {KILLED, TIMED_OUT}


def _package(file: str) -> str:
    return file.split("/")[1]


def _change(row: Row) -> tuple[str, str, str]:
    return row["name"].split(":")[0], row["before"], row["after"]


def _explanations() -> dict[tuple[str, str, str], str]:
    """What the list of survivors says of a change: (file, before, after) -> why."""
    return {(row["file"], row["before"], row["after"]): row["why"] for row in survivors()}


def _has_no_effect(row: Row, why: Mapping[tuple[str, str, str], str]) -> bool:
    return why.get(_change(row), "").startswith(NO_EFFECT)


def _line(values: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue()
