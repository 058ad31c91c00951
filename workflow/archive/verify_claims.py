"""Part of verify.py: the numbers and the verdict of every claim follow from stored rows and formulas.

See source/config/claims/README.md for what formulas, roles and verdicts mean.
"""

import json
import math

from verify_arena import NAN, Missing, Outcome, contest

GOOD, DIRECTION, DISORDER, SIZE, FAILS, NOT_RUN, NONE = (
    "reproduced", "direction only", "wrong order", "wrong size", "does not hold", "not yet run", "",
)  # fmt: skip


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
        """Rows with these values."""
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
    """Rows of a claim's selection, of which a formula may replace keys."""

    def __init__(self, deposit, paper, select):
        self.table = lambda name: deposit.table(f"{paper}-{name}")
        self.select = select

    def per_seed(self, name, stated):
        """Value by seed."""
        rows = self.table(name).select({**self.select, **stated})
        if not rows:
            raise Missing(f"{name} has no such row")
        values = {row["seed"]: row["value"] for row in rows}
        if len(values) != len(rows):
            raise ValueError(f"several rows of one seed in {name}")
        if all(value != value for value in values.values()):
            raise NoSchedule
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
    kind, needed = formula["kind"], formula.get("at_least", 1.0)
    if kind == "all":
        parts = [evaluate(part, lookup) for part in formula["of"]]
        weakest = min(parts, key=lambda part: (bool(part.holds), part.value))
        return Outcome(weakest.value, weakest.seeds, all(part.holds for part in parts))
    if kind == "order":
        return order(formula, lookup, needed)
    if kind not in ("value", "check"):
        return contest(formula, lookup)
    used = [v for v in lookup.values(formula, {}).values() if v == v]
    if not used:
        raise NoSchedule
    mean = math.fsum(used) / len(used)
    if kind == "check":
        return Outcome(mean, len(used), mean >= needed)
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in used) / (len(used) - 1)) if len(used) > 1 else NAN
    return Outcome(mean, len(used), None, spread)


def order(formula, lookup, needed):
    """In which share of seeds values ascend."""
    points = [lookup.values(formula, {formula["along"]: at}) for at in formula["ascending"]]
    runs = [[point[s] for point in points] for s in points[0] if all(s in point for point in points)]
    used = [run for run in runs if not any(v != v for v in run)]
    if not used:
        raise NoSchedule
    up = (lambda a, b: a < b) if formula.get("strict", True) else (lambda a, b: a <= b)
    mean = sum(all(up(*pair) for pair in zip(run, run[1:])) for run in used) / len(used)
    return Outcome(mean, len(used), mean >= needed)


def judge(claim, value, lookup):
    """Verdict and outcome, before the role of the number is considered."""
    outcome, compared = None, claim["role"] not in ("hardware", "unclear")
    try:
        outcome = evaluate(claim["formula"], lookup) if claim["formula"] else None
        if not compared:
            return NONE, outcome if outcome and outcome.holds is None else None
        return found_verdict(claim, value, outcome, lookup) if outcome else NOT_RUN, outcome
    except NoSchedule:
        missed = FAILS if value == "true" else SIZE
        return missed if compared else NONE, outcome
    except Missing:
        return NOT_RUN if compared else NONE, outcome


def found_verdict(claim, value, outcome, lookup):
    """What an outcome says of the published value."""
    if outcome.holds is not None:
        missed = DISORDER if claim["formula"]["kind"] in ("order", "beats", "widens") else FAILS
        return GOOD if outcome.holds else missed
    published, ours = float(value), outcome.value
    if abs(ours - published) <= tolerated(claim, published):
        return GOOD
    try:
        right = evaluate(claim["direction"], lookup) if claim["direction"] else None
    except NoSchedule:
        return SIZE
    if right is None or (right.holds and published and not 0.5 <= ours / published <= 2.0):
        return SIZE
    return DIRECTION if right.holds else DISORDER


def tolerated(claim, published):
    """How far our value may lie from the published one."""
    tolerance = claim["tolerance"]
    return max(tolerance.get("relative", 0.0) * abs(published), tolerance.get("absolute", 0.0))


def expected(deposit, claim, row):
    """What the ledger must say of a claim."""
    own = row["trust"] == "own"
    claim = {**claim, "role": "own" if own else claim["role"]}
    verdict, outcome = judge(claim, row["value"], Lookup(deposit, row["paper"], claim["select"]))
    ours = outcome and outcome.value
    return {
        "verdict": verdict_of(deposit, claim, row, verdict),
        "role": claim["role"],
        "ours": ours,
        "spread": outcome and outcome.spread,
        "seeds": outcome.seeds if outcome else 0,
        "as_stated": None if own else literal(deposit, claim, row, ours),
        "chance": None if own else chance(deposit, claim, row),
    }


def verdict_of(deposit, claim, row, verdict):
    """The verdict in the role of the number."""
    if claim["role"] == "own":
        return {GOOD: "holds", DISORDER: FAILS}.get(verdict, verdict)
    if verdict in (NONE, NOT_RUN):
        return verdict
    if claim["role"] == "fitted":
        return "fits" if verdict == GOOD else "does not fit"
    if verdict == GOOD:
        return "met trivially" if claim["trivial"] else GOOD
    return "impossible" if proven(deposit, claim, row) else verdict


def literal(deposit, claim, row, ours):
    """Our value where nothing is fitted."""
    if not claim["as_stated"] or not claim["formula"]:
        return ours
    lookup = Lookup(deposit, row["paper"], {**claim["select"], **claim["as_stated"]})
    try:
        return evaluate(claim["formula"], lookup).value
    except (Missing, NoSchedule):
        return None


def chance(deposit, claim, row):
    """Share of random readings that give the number within its tolerance."""
    if row["value"] in ("true", "false"):
        return None
    try:
        drawn = deposit.table(f"{row['paper']}-inference").select({"metric": row["id"]})
    except Missing:
        return None
    published = float(row["value"]) if drawn else NAN  # a configuration is a word, and never drawn
    met = [abs(each["value"] - published) <= tolerated(claim, published) for each in drawn]
    return sum(met) / len(met) if met else None


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
    lists = [f"source/data/{file}.csv" for file in ("published", "statements")]
    listed = {row["id"]: row for name in lists for row in deposit.rows(name)}
    deposit.done["claims"] = len(listed)
    for name, row in listed.items():
        deposit.guarded(f"claim {name}", compare_claim, listed, claims["claims"], row, ledger.pop(name, None))
    for name in ledger:
        deposit.say(f"claim {name}: in the ledger, but neither published nor stated")


def compare_claim(deposit, listed, claims, row, found):
    """One line for each claim that does not agree."""
    name, claim = row["id"], claims.get(row["id"])
    if found is None:
        return deposit.say(f"claim {name}: not in the ledger")
    statement, of, want = f"{row['series']}, {row['x']}", name, {"verdict": NOT_RUN}
    if claim:
        of, statement = claim["same_as"] or name, claim["statement"] or statement
        want = expected(deposit, claims[of], listed[of])
    want.update({key: row[key] for key in ("paper", "where", "value", "unit", "trust")}, statement=statement)
    want["same_as"] = of if of != name else ""
    wrong = [key for key, value in want.items() if not agrees(found[key], value)]
    if wrong:
        said = ", ".join(f"{key} reads {found[key]!r}, recomputed {want[key]!r}" for key in wrong)
        deposit.say(f"claim {name}: {said}")
    return None


def agrees(text, value):
    """Whether a field of the ledger, whose numbers have six digits, says this."""
    if isinstance(value, str):
        return text == value
    return close(number(text), NAN if value is None else value, 1e-5)
