"""Digests of results: written by the pipeline, recomputed by `rarlib verify`."""

import filecmp
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from artifact.ledger import ledger
from artifact.run.commit import NO_COMMIT
from artifact.run.settings import recorded_remarks
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text
from rarlib.model.project import ROOT
from rarlib.records.tidy import sha256

# Files that are the same on every run; executed notebooks, logs, benchmarks and the report contain times.
PATTERNS = ("data/*", "cells/**/*", "tables/*", "figures/*.svg", "claims.csv")

UNLISTED = "not in the manifest"

_MOVING = {"ours", "spread", "settled", "as_stated", "chance", "robustness", "reason"}
"""Columns of the ledger that may differ where a claim moves within its spread."""
_HALF_A_PERCENT = 0.005


def canonical(results: Path) -> dict[str, Path]:
    """Every canonical file of a results folder, by its path within the folder, sorted."""
    paths = {path for pattern in PATTERNS for path in results.glob(pattern) if path.is_file()}
    return dict(sorted((path.relative_to(results).as_posix(), path) for path in paths))


def _digests(results: Path) -> dict[str, str]:
    """SHA-256 of every canonical file of a results folder, by its path within the folder."""
    return {name: sha256(path) for name, path in canonical(results).items()}


def byte_differences(results: Path, other: Path) -> list[str]:
    """Canonical files that differ between two results folders or are in one of them only, one line each.

    Raises:
        InputError: when a folder contains no canonical file.
    """
    ours, theirs = canonical(results), canonical(other)
    for folder, files in ((results, ours), (other, theirs)):
        if not files:
            raise InputError("no results here", file=folder)
    lines = [f"{name}: missing" for name in theirs if name not in ours]
    lines += [
        f"{name}: differs" for name in ours if name in theirs and not filecmp.cmp(ours[name], theirs[name], False)
    ]
    return lines + [f"{name}: new" for name in ours if name not in theirs]


def write_manifest(results: Path, path: Path, commit: str = NO_COMMIT) -> None:
    """Write the manifest of a results folder: the commit that made it, with the name of its tree, and all digests."""
    write_text(path, json.dumps({"commit": commit, "sha256": _digests(results)}, indent=1) + "\n")


def read_manifest(path: Path) -> dict[str, str]:
    """Digests of a manifest."""
    digests = read_json(path, "no manifest here; make the results with `make reproduce`").get("sha256")
    if not isinstance(digests, dict):
        raise InputError("is no manifest", file=path)
    return {str(name): str(value) for name, value in digests.items()}


def wrong_files(results: Path) -> dict[str, str]:
    """What is wrong with files that are missing, changed or not listed, by name; empty when all digests agree."""
    said, found = read_manifest(results / "manifest.json"), _digests(results)
    wrong = {name: "missing" for name in said if name not in found}
    wrong |= {name: "differs from its recorded digest" for name in said if name in found and found[name] != said[name]}
    return wrong | {name: UNLISTED for name in found if name not in said}


def remake(results: Path, wrong: Mapping[str, str]) -> str:
    """How to make wrong files again, in one line; empty if none can be. A file that is not listed has no rule.

    Snakemake goes by the times of files, and those of a damaged file may be unchanged, so it has to be told.
    """
    folder = results.resolve()
    folder = folder.relative_to(ROOT) if folder.is_relative_to(ROOT) else folder
    files = " ".join((folder / name).as_posix() for name, what in wrong.items() if what != UNLISTED)
    return f'to make them again: the command that made them, with ARGS="--forcerun {files}"' if files else ""


def claim_differences(results: Path, data: Path, claims: Path) -> list[str]:
    """Rows of `claims.csv` that differ when the claims are evaluated again from the tables, one line each."""
    said = ledger.read_ledger(results / "claims.csv").set_index("published")
    again = ledger.as_written(ledger.build(data, claims, results / "tables", recorded_remarks(results))).set_index(
        "published"
    )
    lines = [f"claim {name}: not in published.csv or statements.csv" for name in said.index.difference(again.index)]
    lines += [f"claim {name}: missing in claims.csv" for name in again.index.difference(said.index)]
    return lines + _changed(said, again, "gives")


class Compared(NamedTuple):
    """Claims of a run beside those of an accepted run.

    Attributes:
        lines: what differs, one line each.
        moved: claims with the same verdict whose numbers differ by no more than from seed to seed, one line each.
        same_inputs: number of claims that were compared.
        standins: number of those that were not, because they rest on stand-ins.
        not_headline: number of those that were not, because they rest on other settings than the headline's.
    """

    lines: list[str]
    moved: list[str]
    same_inputs: int
    standins: int
    not_headline: int

    def summary(self) -> str:
        """The counts in one line."""
        left = {"rest on stand-ins": self.standins, "do not rest on the headline's settings": self.not_headline}
        rest = "".join(f", {count} not: they {why}" for why, count in left.items() if count)
        return f"{self.same_inputs} claims compared with those accepted{rest}"


def compare_accepted(results: Path, accepted: Path) -> Compared:
    """Compare `claims.csv` with that of an accepted run; claims that rest on other inputs are counted apart.

    Robustness is not compared if the arena did not run or ran on stand-ins, since claims that rest on other data have
    one, too. A search at random that compares sums takes another way where the last digit of a power differs, and this
    digit depends on the processor; so claims may move as they do from seed to seed, and so may the settings in which an
    order of schedulers flips, as long as it is called robust or fragile as before.
    """
    # Their columns in one order, whatever order the files have.
    tables = (ledger.read_ledger(path)[ledger.CLAIM_COLUMNS] for path in (results / "claims.csv", accepted))
    ours, before = (table.set_index("published") for table in tables)
    lines = [f"claim {name}: only in one of the two" for name in ours.index.symmetric_difference(before.index)]
    standin, apart = ours["standin"] == "True", ours["not_headline"] != ""
    recorded = ours[~standin & ~apart & ours.index.isin(before.index)]
    before = before.loc[recorded.index]
    given = (recorded["robustness"] != "") & ~recorded["robustness"].str.endswith(ledger.ON_STAND_IN)
    before["robustness"] = before["robustness"].where(given, recorded["robustness"])
    within = [name for name in before.index if _within_spread(before.loc[name], recorded.loc[name])]
    moved = [_how_moved(name, before.loc[name], recorded.loc[name]) for name in within]
    lines += _changed(before.drop(within), recorded, "here")
    return Compared(lines, moved, len(recorded), int(standin.sum()), int((apart & ~standin).sum()))


def _within_spread(old: "pd.Series[str]", new: "pd.Series[str]") -> bool:
    """Whether a claim differs, with the same verdict, by no more than its standard deviation or half a percent."""
    differs = set(old.index[old != new])
    numbers = differs & {"ours", "as_stated"}
    if not (numbers or "robustness" in differs) or differs - _MOVING:
        return False
    if _called(old) != _called(new):
        return False
    for column in numbers:
        if "" in (old[column], new[column]):
            return False
        spread = max(float(row["spread"] or 0.0) for row in (old, new))
        if not abs(float(new[column]) - float(old[column])) <= max(spread, _HALF_A_PERCENT * abs(float(old[column]))):
            return False
    return True


def _called(claim: "pd.Series[str]") -> str:
    """What is said of a claim's robustness without the settings in which it flips."""
    return str(claim["robustness"]).partition(":")[0]


def _how_moved(name: str, old: "pd.Series[str]", new: "pd.Series[str]") -> str:
    column = "ours" if old["ours"] != new["ours"] else "as_stated"
    column = column if old[column] != new[column] else "robustness"
    return f"claim {name}: {column} was {old[column]}, here {new[column]}"


def _changed(old: pd.DataFrame, new: pd.DataFrame, verb: str) -> list[str]:
    return [
        f"claim {name}: {column} reads {old.loc[name, column]!r}, {verb} {new.loc[name, column]!r}"
        for name in old.index.intersection(new.index, sort=False)
        for column in old.columns
        if old.loc[name, column] != new.loc[name, column]
    ]
