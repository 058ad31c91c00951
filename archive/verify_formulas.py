"""Part of verify.py: rows, formulas and the verdict on one claim, implemented without rarlib.

See source/config/claims/README.md for what formulas, roles and verdicts mean.
"""

import json
import math

from verify_arena import NAN, Missing, Outcome, contest
from verify_study import below, beta_share

WORDS = ("reproduced", "direction only", "wrong order", "wrong size", "does not hold", "not yet run", "")
GOOD, DIRECTION, DISORDER, SIZE, FAILS, NOT_RUN, NONE = WORDS
YES, NO, SINGLE = "yes", "no", "single run"


class NoSchedule(Exception):
    """Rows that were run and have no value; says which, in the words of the ledger."""


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
        rows = self.rows(name, {**self.select, **stated})
        values = {row["seed"]: row["value"] for row in rows}
        if len(values) != len(rows):
            raise ValueError(f"several rows of one seed in {name}")
        if all(value != value for value in values.values()):
            point = f"{rows[0]['scheduler']}, {rows[0]['x_name']} = {rows[0]['x']}"
            raise NoSchedule(f"no feasible schedule in any of {len(values)} seeds of {name} ({point})")
        return values

    def rows(self, name, wanted):
        """Rows of a table with these values; Missing if there is none."""
        found = self.table(name).select(wanted)
        if not found:
            raise Missing(f"{name} has no row with " + ", ".join(f"{key} = {value}" for key, value in wanted.items()))
        return found

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
        lost, holds = tuple(map(max, zip(*(part.lost for part in parts)))), all(part.holds for part in parts)
        return Outcome(weakest.value, weakest.seeds, holds, NAN, weakest.at_least, lost, weakest.says)
    if kind == "order":
        return order(formula, lookup, needed)
    if kind == "below":
        return below(formula, lookup.values(formula, {}))
    if kind not in ("value", "check"):
        return contest(formula, lookup)
    used = [v for v in lookup.values(formula, {}).values() if v == v]
    if not used:
        raise NoSchedule(f"no seed of {formula['table']} has both values of the ratio")
    mean = math.fsum(used) / len(used)
    if kind == "check":
        return Outcome(mean, len(used), mean >= needed, at_least=needed)
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in used) / (len(used) - 1)) if len(used) > 1 else NAN
    return Outcome(mean, len(used), None, spread)


def order(formula, lookup, needed):
    """In which share of seeds values ascend."""
    points = [lookup.values(formula, {formula["along"]: at}) for at in formula["ascending"]]
    runs = [[point[s] for point in points] for s in points[0] if all(s in point for point in points)]
    used = [run for run in runs if not any(v != v for v in run)]
    if not used:
        listed = ", ".join(map(str, formula["ascending"]))
        raise NoSchedule(f"no seed of {formula['table']} has a schedule at all of {listed}")
    up = (lambda a, b: a < b) if formula.get("strict", True) else (lambda a, b: a <= b)
    mean = sum(all(up(*pair) for pair in zip(run, run[1:])) for run in used) / len(used)
    lost = len(runs) - len(used), len(set().union(*points)) - len(runs)
    return Outcome(mean, len(used), mean >= needed, at_least=needed, lost=lost)


def judge(claim, value, lookup):
    """Verdict, outcome, reason, and whether more seeds could change it, before the role of the number is considered."""
    outcome, compared = None, claim["role"] not in ("hardware", "unclear")
    try:
        outcome = evaluate(claim["formula"], lookup) if claim["formula"] else None
        if not compared:
            return NONE, outcome if outcome and outcome.holds is None else None, claim["reason"], ""
        if outcome is None:
            return NOT_RUN, None, claim["reason"] or "no formula is stated", ""
        word, reason, settled = found_verdict(claim, value, outcome, lookup)
        return word, outcome, reason, settled
    except NoSchedule as none:
        missed = FAILS if value == "true" else SIZE
        return missed if compared else NONE, outcome, f"{claim['reason']} {none}".strip(), ""
    except Missing as missing:
        reason = f"{claim['reason']} ({missing})" if claim["reason"] else str(missing)
        return NOT_RUN if compared else NONE, outcome, reason, ""


def found_verdict(claim, value, outcome, lookup):
    """What an outcome says of the published value: verdict, reason, settled."""
    if outcome.holds is not None:
        reason = outcome.says or f"holds in {share_in_words(outcome)}"
        missed = DISORDER if claim["formula"]["kind"] in ("order", "beats", "widens") else FAILS
        return GOOD if outcome.holds else missed, reason, settled_share(outcome)
    published, ours = float(value), outcome.value
    within = tolerated(claim, published)
    settled, off = settled_mean(outcome, published, within), ours - published
    reason = f"{off / published:+.1%} of the published value" if published else f"off by {off:+.3g}"
    if abs(off) <= within or not claim["direction"]:
        return GOOD if abs(off) <= within else SIZE, reason, settled
    try:
        right = evaluate(claim["direction"], lookup)
    except NoSchedule as none:
        return SIZE, f"{reason}; its direction cannot be tested: {none}", settled
    reason = f"{reason}; direction holds in {share_in_words(right)}"
    both = both_settled(settled, settled_share(right))
    if not right.holds:
        return DISORDER, reason, both
    if published and not 0.5 <= ours / published <= 2.0:
        return SIZE, f"{reason}, but the value is more than 2 times off", settled
    return DIRECTION, reason, both


def tolerated(claim, published):
    """How far our value may lie from the published one."""
    tolerance = claim["tolerance"]
    return max(tolerance.get("relative", 0.0) * abs(published), tolerance.get("absolute", 0.0))


def settled_mean(outcome, published, allowed):
    """Whether the 99 % interval of a mean (Student) lies on one side of the edge of the tolerance."""
    if outcome.seeds < 2 or outcome.spread != outcome.spread:
        return SINGLE
    gap, free = abs(abs(outcome.value - published) - allowed), outcome.seeds - 1
    if not outcome.spread:
        return YES
    student = gap * math.sqrt(outcome.seeds) / outcome.spread
    return YES if beta_share(free / (free + student * student), free / 2, 0.5) <= 0.01 else NO


def settled_share(outcome):
    """Whether the 99 % interval of a share (Clopper and Pearson) lies on one side of the share that is needed."""
    if outcome.at_least is None:
        return ""
    if outcome.seeds < 2:
        return SINGLE
    won, needed = round(outcome.value * outcome.seeds), outcome.at_least
    lost = outcome.seeds - won
    above = beta_share(needed, won, lost + 1) <= 0.005 if won else needed <= 0
    below = beta_share(needed, won + 1, lost) > 0.995 if lost else needed > 1
    return YES if above or below or (needed >= 1 and lost) else NO


def both_settled(first, second):
    """Whether a verdict that rests on two of these is settled."""
    return next((word for word in (NO, SINGLE, YES) if word in (first, second)), "")


def share_in_words(outcome):
    """A share of seeds, with those that could not be used."""
    whys = zip(outcome.lost, ("without a feasible schedule", "not run for all that is compared"))
    unused = "; ".join(f"{count} {why}" for count, why in whys if count)
    return f"{outcome.value:.0%} of {outcome.seeds} seeds" + (f" ({unused})" if unused else "")


def statistic(table, rule):
    """The number that a rule of marks.json finds in a table."""
    values = [row["value"] for row in table.select(rule["select"]) if row["value"] == row["value"]]
    if rule["is"] == "x":
        (x,) = {row["x"] for row in table.select(rule["select"])}
        return float(x)
    return {"mean": lambda: math.fsum(values) / len(values), "least": lambda: min(values), "most": lambda: max(values),
            "sum": lambda: math.fsum(values)}[rule["is"]]()  # fmt: skip
