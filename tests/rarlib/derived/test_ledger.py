"""The verdicts of the accepted ledger, recomputed from its own numbers and the claims' tolerances.

Only the CSV and YAML files are read. A ledger that lacks a published number is older than the claims; `rarlib verify`
says so. Numbers are printed with six digits, so a value that close to the edge of its
tolerance may have either verdict.
"""

import csv
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
MET, TRIVIAL, PARTLY, NOT_RUN = "reproduced", "met trivially", "direction only", "not yet run"
ORDER, SIZE, FAILED, IMPOSSIBLE = "wrong order", "wrong size", "does not hold", "impossible"
FITS, MISFITS = "fits", "does not fit"
SHARES = ("order", "check")
DIGITS = 1e-5


def rows_of(path):
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


LEDGER = {row["published"]: row for row in rows_of("results/expected/claims.csv")}
LISTED = [row["id"] for name in ("published", "statements") for row in rows_of(f"data/{name}.csv")]
NUMBERED = [row for row in LEDGER.values() if row["ours"] and row["trust"] != "own"]


pytestmark = pytest.mark.skipif(set(LEDGER) != set(LISTED), reason="the accepted ledger is older than the claims")


def claims():
    """Entries by id, with the defaults of their file."""
    found = {}
    for path in sorted((ROOT / "config/claims").glob("*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for entry in content["claims"]:
            found[entry["published"]] = {"tolerance": (content.get("defaults") or {}).get("tolerance", {}), **entry}
    return found


CLAIMS_OF = claims()


def distance_to_edge(ours, value, tolerance):
    """How far inside its tolerance a number lies; below 0 outside."""
    allowed = max(tolerance.get("relative", 0) * abs(value), tolerance.get("absolute", 0))
    return allowed - abs(ours - value)


def possible(entry, value, ours):
    """Verdicts that a printed number admits, before its role and proofs are considered."""
    formula = entry["formula"]
    if formula["kind"] == "value":
        published = float(value)
        inside = distance_to_edge(ours, published, entry["tolerance"])
        near = not published or 1 / 2 <= ours / published <= 2
        missed = {SIZE}
        if entry.get("direction"):
            missed = {ORDER, PARTLY if near else SIZE}
        slack = DIGITS * max(abs(ours), abs(published))
    elif formula["kind"] in SHARES:
        inside, slack = ours - formula.get("at_least", 1), DIGITS
        missed = {ORDER if formula["kind"] == "order" else FAILED}
    else:
        return {MET, ORDER, FAILED}
    if abs(inside) <= slack:
        return {MET, *missed}
    return {MET} if inside > 0 else missed


def admitted(row):
    """Verdicts that a row of a published number admits."""
    entry = CLAIMS_OF[row["published"]]
    if row["role"] in ("hardware", "unclear"):
        return {""}
    found = possible(entry, row["value"], float(row["ours"]))
    if row["role"] == "fitted":
        return {FITS if word == MET else MISFITS for word in found}
    missed = found - {MET} | ({IMPOSSIBLE} if entry.get("impossible") and found != {MET} else set())
    return missed | ({TRIVIAL if entry.get("trivial") else MET} if MET in found else set())


def test_every_published_number_has_one_row():
    assert [row["published"] for row in rows_of("results/expected/claims.csv")] == LISTED
    published = {row["id"]: row for row in rows_of("data/published.csv")}
    assert {name: LEDGER[name]["value"] for name in published} == {
        name: row["value"] for name, row in published.items()
    }


def wrong(rows, check):
    """Ids of the rows that fail a check, with what they say."""
    return {row["published"]: (row["value"], row["ours"], row["verdict"]) for row in rows if not check(row)}


def test_verdicts_follow_from_the_numbers():
    """|ours - value| within the tolerance is reproduced; a statement is, when it holds often enough."""

    def right(row):
        return bool(row["same_as"]) or row["verdict"] == NOT_RUN or row["verdict"] in admitted(row)

    assert wrong(NUMBERED, right) == {}


def test_deviations_in_words_are_those_of_the_numbers():
    """`+25.2% of the published value`, to the digit printed."""

    def right(row):
        said = re.match(r"([+-]\d+\.\d)% of the published value", row["reason"])
        ratio = float(row["ours"]) / float(row["value"]) if said else 1.0
        return not said or abs(100 * (ratio - 1) - float(said[1])) <= 0.05 + 100 * DIGITS * abs(ratio)

    assert wrong(NUMBERED, right) == {}


def test_own_statements_hold_or_not():
    """Nothing of our own can be reproduced."""

    def right(row):
        if row["verdict"] not in ("holds", FAILED):
            return row["verdict"] == NOT_RUN
        entry = CLAIMS_OF[row["published"]]
        if not row["ours"] or entry["formula"]["kind"] not in SHARES:
            return True
        found = possible(entry, "true", float(row["ours"]))
        return row["verdict"] in {"holds" if word == MET else FAILED for word in found}

    assert wrong([row for row in LEDGER.values() if row["trust"] == "own"], right) == {}


def agree(a, b):
    """The same value, or one printed with fewer digits than the other."""
    digits = min(len(value.partition(".")[2]) for value in (a, b))
    return a == b or round(float(a), digits) == round(float(b), digits)


def test_roles_are_those_of_the_files():
    """Fitted is what config/readings names, and only that; a number printed twice takes the row of the other."""
    fitted = set()
    for path in (ROOT / "config/readings").glob("*.yaml"):
        fitted |= set(yaml.safe_load(path.read_text(encoding="utf-8")).get("fitted", {}).get("numbers", ()))

    def right(row):
        if row["same_as"]:
            other, copied = LEDGER[row["same_as"]], ("ours", "verdict", "role", "as_stated", "chance")
            return agree(row["value"], other["value"]) and all(row[name] == other[name] for name in copied)
        stated = CLAIMS_OF.get(row["published"], {}).get("role", "tested")
        return row["role"] == ("fitted" if row["published"] in fitted else stated)

    assert wrong([row for row in LEDGER.values() if row["trust"] != "own"], right) == {}
