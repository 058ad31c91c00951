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

ROOT = Path(__file__).parents[2]
MET, TRIVIAL, PARTLY, FAILED = "reproduced", "met trivially", "direction only", "not reproduced"
UNSPECIFIED, NOT_RUN = "not reproducible as specified", "not yet run"
OWN = {"holds": MET, "does not hold": FAILED}
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
    """Verdicts that a printed number admits."""
    formula, met = entry["formula"], TRIVIAL if entry.get("trivial") else MET
    if formula["kind"] == "value":
        published = float(value)
        inside = distance_to_edge(ours, published, entry["tolerance"])
        near = not published or 1 / 2 <= ours / published <= 2
        missed = {PARTLY, FAILED} if entry.get("direction") and near else {FAILED}
        slack = DIGITS * max(abs(ours), abs(published))
    elif formula["kind"] in SHARES:
        inside, missed, slack = ours - formula.get("at_least", 1), {FAILED}, DIGITS
    else:
        return {met, FAILED}
    if abs(inside) <= slack:
        return {met, *missed}
    return {met} if inside > 0 else missed


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
        entry = CLAIMS_OF[row["published"]]
        if row["same_as"] or row["verdict"] == NOT_RUN:
            return True
        if not entry.get("specified", True):
            return row["verdict"] == UNSPECIFIED
        return row["verdict"] in possible(entry, row["value"], float(row["ours"]))

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
        if row["verdict"] not in OWN:
            return row["verdict"] == NOT_RUN
        entry = CLAIMS_OF[row["published"]]
        counted = row["ours"] and entry["formula"]["kind"] in SHARES
        return not counted or OWN[row["verdict"]] in possible(entry, "true", float(row["ours"]))

    assert wrong([row for row in LEDGER.values() if row["trust"] == "own"], right) == {}


def agree(a, b):
    """The same value, or one printed with fewer digits than the other."""
    digits = min(len(value.partition(".")[2]) for value in (a, b))
    return a == b or round(float(a), digits) == round(float(b), digits)


def answers(row):
    """The headline's verdict counts first, then the best reading's, then a proof."""
    if row["verdict"] in (MET, TRIVIAL):
        return {row["verdict"]}
    if row["verdict_in_it"] == MET:
        return {"reproduced in a stated reading"}
    unproven = TRIVIAL if row["verdict_in_it"] == TRIVIAL else "open"
    return {"impossible", unproven} if CLAIMS_OF.get(row["published"], {}).get("impossible") else {unproven}


def test_answers_follow_from_the_verdicts():
    """A number that the paper prints twice takes the row of the other; readings are judged as the headline is."""

    def right(row):
        if row["same_as"]:
            other, copied = LEDGER[row["same_as"]], ("ours", "verdict", "answer", "best_reading", "ours_in_it")
            return agree(row["value"], other["value"]) and all(row[name] == other[name] for name in copied)
        tried = row["readings"] not in ("", "0")
        if row["answer"] not in answers(row) or not tried == bool(row["best_reading"]) == bool(row["verdict_in_it"]):
            return False
        entry = CLAIMS_OF.get(row["published"], {})
        return not row["ours_in_it"] or row["verdict_in_it"] in possible(entry, row["value"], float(row["ours_in_it"]))

    assert wrong([row for row in LEDGER.values() if row["trust"] != "own"], right) == {}
