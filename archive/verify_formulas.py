"""Part of verify.py: every verdict from stored rows and formulas, implemented without rarlib.

See source/config/claims/README.md for what formulas, readings and answers mean.
"""

import json
import math

from verify_arena import NAN, Missing, Outcome, contest

WORDS = ("reproduced", "direction only", "not reproduced", "not reproducible as specified", "met trivially", "holds",
         "does not hold", "not yet run")  # fmt: skip
GOOD, DIRECTION, BAD, VAGUE, TRIVIAL, _, _, NOT_RUN = WORDS


class NoSchedule(Exception):
    """Rows that were run and have no value."""


def number(text):
    """A number of a CSV file; an empty field is NaN."""
    return float(text) if text != "" else NAN


def close(one, other, within=1e-9):
    """Whether two numbers agree to so many digits; NaN agrees with NaN."""
    return one == other or abs(one - other) <= within * max(abs(one), abs(other)) or (one != one and other != other)


class Table:
    """Tidy rows; each selection is made once."""

    def __init__(self, rows):
        self.rows, self.columns, self.found = rows, {}, {}
        for row in rows:
            row["value"] = number(row["value"])

    def select(self, wanted):
        """Rows with these values; Missing if there is none."""
        key = json.dumps(wanted, sort_keys=True)
        if key not in self.found:
            chosen = set(range(len(self.rows)))
            for column, value in wanted.items():
                places = self.columns.setdefault(column, {})
                if not places:
                    for place, row in enumerate(self.rows):
                        places.setdefault(str(row[column]), set()).add(place)
                chosen &= set().union(*(at for text, at in places.items() if same(text, value)))
            self.found[key] = [self.rows[place] for place in sorted(chosen)]
        if not self.found[key]:
            raise Missing(key)
        return self.found[key]


def same(text, wanted):
    """Numbers are compared as numbers, since a column may hold numbers and words."""
    if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        try:
            return float(text) == float(wanted)
        except ValueError:
            return False
    return text == str(wanted)


class Lookup:
    """Rows in the headline, or in a reading that replaces keys of the selection and names of tables."""

    def __init__(self, deposit, paper, select, reading=None):
        self.table = lambda name: deposit.table(f"{paper}-{name}")
        self.select, self.reading, self.own = select, reading, False

    def per_seed(self, name, stated):
        """Value by seed."""
        rows, reading = None, self.reading
        if reading:
            other = reading["tables"].get(name, name), {**self.select, **reading["select"], **stated}
            if other != (name, {**self.select, **stated}):
                try:
                    rows = self.table(other[0]).select(other[1])
                    self.own = True
                except Missing:
                    pass
        rows = rows or self.table(name).select({**self.select, **stated})
        values = {row["seed"]: row["value"] for row in rows}
        if len(values) != len(rows):
            raise ValueError(f"several rows of one seed in {name}")
        if all(value != value for value in values.values()):
            raise NoSchedule(name)
        return values

    def values(self, formula, point):
        """Value by seed, or its ratio to that of `relative_to`."""
        stated = {**formula.get("select", {}), **point}
        values = self.per_seed(formula["table"], stated)
        if "relative_to" in formula:
            base = self.per_seed(formula["table"], {**stated, **formula["relative_to"]})
            values = {s: over(v, base[s]) for s, v in values.items() if s in base}
        return values


def over(one, other):
    """A ratio, as IEEE 754 has it."""
    return one / other if other else NAN if one == 0 or one != one else math.copysign(math.inf, one)


def evaluate(formula, lookup):
    """The outcome of a formula."""
    kind = formula["kind"]
    if kind == "all":
        parts = [evaluate(part, lookup) for part in formula["of"]]
        weakest = min(parts, key=lambda part: (bool(part.holds), part.value))
        return Outcome(weakest.value, weakest.seeds, all(part.holds for part in parts))
    if kind == "order":
        points = [lookup.values(formula, {formula["along"]: at}) for at in formula["ascending"]]
        runs = [[point[s] for point in points] for s in points[0] if all(s in point for point in points)]
        used = [run for run in runs if not any(v != v for v in run)]
        up = (lambda a, b: a < b) if formula.get("strict", True) else (lambda a, b: a <= b)
        used = [float(all(up(*pair) for pair in zip(run, run[1:]))) for run in used]
    elif kind in ("value", "check"):
        used = [v for v in lookup.values(formula, {}).values() if v == v]
    else:
        return contest(formula, lookup)
    if not used:
        raise NoSchedule(formula["table"])
    mean = math.fsum(used) / len(used)
    if kind != "value":
        return Outcome(mean, len(used), mean >= formula.get("at_least", 1.0))
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in used) / (len(used) - 1)) if len(used) > 1 else NAN
    return Outcome(mean, len(used), None, spread)


def judge(claim, value, lookup, specified):
    """Verdict and outcome of one claim, in the headline or in a reading."""
    outcome = None
    try:
        outcome = evaluate(claim["formula"], lookup) if claim["formula"] else None
        if not specified:
            return VAGUE, outcome if outcome and outcome.holds is None else None
        if outcome is None:
            return NOT_RUN, None
        return found_verdict(claim, value, outcome, lookup), outcome
    except NoSchedule:
        return (BAD if specified else VAGUE), outcome
    except Missing:
        return (NOT_RUN if specified else VAGUE), outcome


def found_verdict(claim, value, outcome, lookup):
    """What an outcome says of the published value."""
    met = TRIVIAL if claim["trivial"] else GOOD
    if outcome.holds is not None:
        return met if outcome.holds else BAD
    published, ours, tolerance = float(value), outcome.value, claim["tolerance"]
    within = max(tolerance.get("relative", 0.0) * abs(published), tolerance.get("absolute", 0.0))
    if abs(ours - published) <= within:
        return met
    try:
        right = bool(claim["direction"]) and evaluate(claim["direction"], lookup).holds
    except NoSchedule:
        right = False
    return DIRECTION if right and (not published or 0.5 <= ours / published <= 2.0) else BAD


def expected(deposit, claim, row):
    """What the ledger must say of a claim."""
    value, formula = row["value"], claim["formula"]
    verdict, outcome = judge(claim, value, Lookup(deposit, row["paper"], claim["select"]), claim["specified"])
    tried = []
    if formula and (claim["specified"] or (value == "true") != (formula["kind"] == "value")):
        for reading in claim["readings"]:
            lookup = Lookup(deposit, row["paper"], claim["select"], reading)
            word, found = judge(claim, value, lookup, True)
            if lookup.own and word != NOT_RUN:
                far = (
                    math.inf if not found else abs(found.value - float(value)) if found.holds is None else -found.value
                )
                tried.append(((WORDS.index(word), far), reading["name"], word, found, reading["tables"]))
    best = min(tried, key=lambda each: each[0]) if tried else ((), "", "", None, {})
    answer = "open"
    if verdict in (GOOD, TRIVIAL):
        answer = verdict
    elif best[2] == GOOD:
        answer = "reproduced in a stated reading"
    elif proven(deposit, claim, row):
        answer = "impossible"
    elif best[2] == TRIVIAL:
        answer = TRIVIAL
    own = row["trust"] == "own"
    used = [*claim["tables"], *(best[4].get(name, name) for name in claim["tables"] if best[1])]
    at_hand = [f"{row['paper']}-{name}" for name in dict.fromkeys(used) if has_table(deposit, f"{row['paper']}-{name}")]
    said = {"verdict": {GOOD: "holds", BAD: "does not hold"}.get(verdict, verdict) if own else verdict}
    said.update(
        ours=outcome and outcome.value, spread=outcome and outcome.spread, seeds=outcome.seeds if outcome else 0
    )
    said["evidence"] = " ".join(f"tables/{name}.csv" for name in at_hand)
    said["standin"] = str(any(deposit.json(f"results/tables/{name}.json")["standin"] for name in at_hand))
    if own:
        return {**said, "answer": "", "best_reading": "", "ours_in_it": None, "verdict_in_it": "", "readings": 0}
    said.update(answer=answer, best_reading=best[1], verdict_in_it=best[2], readings=len(tried))
    return {**said, "ours_in_it": best[3] and best[3].value,
            "reproduced_in": " ".join(name for _, name, word, _, _ in tried if word == GOOD)}  # fmt: skip


def has_table(deposit, name):
    """Whether the run made a table."""
    try:
        return bool(deposit.table(name))
    except Missing:
        return False


def proven(deposit, claim, row):
    """Whether the proof that no run can give the number holds in the tables."""
    try:
        return claim["proof"] and evaluate(claim["proof"], Lookup(deposit, row["paper"], claim["select"])).holds
    except (Missing, NoSchedule):
        return False


def compare_ledger(deposit):
    """Each row of the ledger says what follows from its formula and rows."""
    claims = deposit.json("claims.json")
    ledger = {row["published"]: row for row in deposit.rows("results/claims.csv")}
    listed = {row["id"]: row for file in ("published", "statements") for row in deposit.rows(f"source/data/{file}.csv")}
    for name, row in listed.items():
        deposit.guarded(f"claim {name}", compare_claim, listed, claims, row, ledger.pop(name, None))
    for name in ledger:
        deposit.say(f"claim {name}: in the ledger, but neither published nor stated")


def compare_claim(deposit, listed, claims, row, found):
    """One line for each claim that does not agree."""
    name, claim = row["id"], claims.get(row["id"])
    if found is None:
        return deposit.say(f"claim {name}: not in the ledger")
    of = claim["same_as"] if claim and claim["same_as"] else name
    want = (
        expected(deposit, claims[of], listed[of]) if claim else {"verdict": NOT_RUN, "evidence": "", "standin": "False"}
    )
    want.update({key: row[key] for key in ("paper", "where", "value", "unit", "trust")})
    wrong = [key for key, value in want.items() if not agrees(found[key], value)]
    if wrong:
        said = ", ".join(f"{key} reads {found[key]!r}, recomputed {want[key]!r}" for key in wrong)
        deposit.say(f"claim {name}: {said}")
    return None


def agrees(text, value):
    """Whether a field of the ledger (six digits) says this."""
    if isinstance(value, str):
        return text == value
    return close(number(text), NAN if value is None else value, 1e-5)


def statistic(table, rule):
    """The number that a rule of marks.json finds in a table."""
    values = [row["value"] for row in table.select(rule["select"]) if row["value"] == row["value"]]
    if rule["is"] == "x":
        (x,) = {row["x"] for row in table.select(rule["select"])}
        return float(x)
    return {"mean": lambda: math.fsum(values) / len(values), "least": lambda: min(values), "most": lambda: max(values),
            "sum": lambda: math.fsum(values)}[rule["is"]]()  # fmt: skip
