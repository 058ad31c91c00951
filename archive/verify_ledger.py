"""Part of verify.py: every row of the ledger follows from stored rows and formulas."""

import json
import re

from verify_arena import FACTORS, NAN, SETTING, Missing, metric_rows, pairs_of, settings, stands
from verify_formulas import (
    DISORDER,
    FAILS,
    GOOD,
    NONE,
    NOT_RUN,
    Lookup,
    NoSchedule,
    close,
    evaluate,
    judge,
    number,
    tolerated,
)

NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
ORDERED = ("load", "contention", "error")
NAMES = ("trace",) + FACTORS


def expected(deposit, claim, row):
    """What the ledger must say of a claim."""
    own = row["trust"] == "own"
    claim = {**claim, "role": "own" if own else claim["role"]}
    verdict, outcome, reason, settled = judge(claim, row["value"], Lookup(deposit, row["paper"], claim["select"]))
    names = [f"{row['paper']}-{name}" for name in dict.fromkeys(claim["tables"])]
    at_hand = [name for name in names if has_table(deposit, name)]
    said = {"verdict": verdict_of(deposit, claim, row, verdict), "role": claim["role"], "settled": settled}
    said.update(
        ours=outcome and outcome.value, spread=outcome and outcome.spread, seeds=outcome.seeds if outcome else 0
    )
    more = [text for text in (claim["note"], claim["trivial"], claim["why"]) if text]
    said["reason"] = ". ".join([reason, *more])
    said["as_stated"] = None if own else literal(deposit, claim, row, outcome and outcome.value)
    said["chance"] = None if own else chance(deposit, claim, row)
    said["evidence"] = " ".join(f"tables/{name}.csv" for name in at_hand)
    said["standin"] = str(any(deposit.json(f"results/tables/{name}.json")["standin"] for name in at_hand))
    said["not_headline"] = "; ".join(dict.fromkeys(filter(None, (remark_of(deposit, name) for name in at_hand))))
    return said


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
    try:
        return evaluate(
            claim["formula"], Lookup(deposit, row["paper"], {**claim["select"], **claim["as_stated"]})
        ).value
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
    published = float(row["value"])
    met = [abs(each["value"] - published) <= tolerated(claim, published) for each in drawn]
    return sum(met) / len(met) if met else None


def remark_of(deposit, table):
    """What sets a table apart from the headline."""
    return remark(deposit.json(f"results/provenance/{table}.json")["settings"], deposit.json("settings.json")[table])


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
    lists = [f"{claims.get('listed', 'source/data')}/{file}.csv" for file in ("published", "statements")]
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
    statement, of = f"{row['series']}, {row['x']}", name
    want = {"verdict": NOT_RUN, "reason": "not evaluated", "evidence": "", "standin": "False", "not_headline": ""}
    if claim:
        of, statement = claim["same_as"] or name, claim["statement"] or statement
        want = expected(deposit, claims[of], listed[of])
    if of != name:
        want["reason"] = f"the same published number as {of}: {want['reason']}"
        want["not_headline"] = expected(deposit, claim, row)["not_headline"]
    want.update({key: row[key] for key in ("paper", "where", "value", "unit", "trust")}, statement=statement)
    want["same_as"] = of if of != name else ""
    want["robustness"] = robustness(deposit, claim["robustness"]) if claim and claim["robustness"] else ""
    wrong = [key for key, value in want.items() if not agrees(key, found[key], value)]
    if wrong:
        said = ", ".join(f"{key} reads {found[key]!r}, recomputed {want[key]!r}" for key in wrong)
        deposit.say(f"claim {name}: {said}")
    return None


def agrees(key, text, value):
    """Whether a field of the ledger (six digits, sentences with numbers of a few digits) says this."""
    if isinstance(value, str):
        return text == value or (key in ("reason", "robustness") and alike(text, value))
    return close(number(text), NAN if value is None else value, 1e-5)


class Arena:
    """The arena's runs, as formulas look them up."""

    def __init__(self, deposit):
        self.table, self.select = lambda _name: deposit.table("arena-runs"), {}


def robustness(deposit, order):
    """Whether an order of schedulers survives the settings of the arena."""
    metric = order.get("metric", "mean_jct")
    try:
        cells = metric_rows(Arena(deposit), {"table": "runs"}, metric)
    except Missing:
        return ""
    pairs, found = pairs_of(order, {name for values in cells.values() for name in values}), []
    for pair in pairs:
        rows = [
            (dict(zip(NAMES, key)), ratio, low, high)
            for key, ratio, low, high in settings(metric, cells, SETTING, *pair)
        ]
        rows = [row for row in rows if all(row[0][n] in as_list(want) for n, want in order.get("where", {}).items())]
        if rows:
            found.append((pair, rows))
    if not found:
        return ""
    says = survives(found)
    if len(found) < len(pairs):
        says += f"; {len(pairs) - len(found)} of {len(pairs)} pairs did not meet"
    standin = deposit.json("results/tables/arena-runs.json")["standin"]
    return says + "; on stand-in data" * bool(standin)


def as_list(levels):
    """Levels as text."""
    return list(map(str, levels)) if isinstance(levels, list) else [str(levels)]


def survives(found):
    """In how many settings the order holds or flips, and the flip that is fewest steps from the first setting."""
    holds, flips, count = 0, [], sum(len(rows) for _, rows in found)
    for at_pair, (pair, rows) in enumerate(found):
        base, axes = rows[0][0], {n: sorted({r[0][n] for r in rows}, key=rank if n in ORDERED else str) for n in NAMES}
        for at, ratio, low, high in rows:
            if not ((low > 1 or high < 1) and stands(ratio) >= 0.8):
                continue
            holds += ratio < 1
            away = [axes[n].index(at[n]) - axes[n].index(base[n]) for n in NAMES]
            steps = sum(abs(a) if n in ORDERED else a != 0 for a, n in zip(away, NAMES))
            if ratio >= 1:
                where = ", ".join(f"{n}={at[n]}" for n in NAMES if at[n] != base[n]) or "the base setting"
                flips.append((steps, at_pair, [axes[n].index(at[n]) for n in NAMES], pair, where))
    of = f"{count} {'comparisons' if len(found) > 1 else 'settings'}"
    if flips:
        _, _, _, pair, where = min(flips, key=lambda flip: flip[:3])
        who = f"{pair[0]} against {pair[1]}, " if len(found) > 1 else ""
        return f"fragile: nearest flip at {who}{where} ({len(flips)} of {of} flip)"
    return f"robust (holds in {holds} of {of}, flips in none)" if holds else f"tied in all {of}"


def rank(level):
    """Ordered levels: off, links, k, k+A; numbers; nothing predictable last."""
    fixed = {"off": (0, 0.0), "links": (0, 1.0), "k": (1, 0.0), "none": (2, 0.0)}
    return fixed[level] if level in fixed else (1, float(level[2:] if level.startswith("k+") else level))


def remark(own, editions):
    """What sets a table's settings apart from the headline's, in one line; empty for the headline and `full`."""
    usual, small, other = editions["config"], {}, {}
    for name in dict.fromkeys([*usual, *sorted(own)]):
        value = own.get(name)
        if value not in (usual.get(name), editions["full"].get(name)):
            part = value in [editions[each].get(name) for each in ("quick", "smoke")]
            (small if part else other)[name] = f"{name} {short(value)} (headline {short(usual.get(name))})"
    lines = [f"WHAT IF: {few(other)}"] if other else []
    return "; ".join(lines + ([f"A SMALL PART: {few(small)}"] if small else []))


def few(said, most=3):
    """The first of several differences."""
    return ", ".join(list(said.values())[:most]) + (f" and {len(said) - most} more" if len(said) > most else "")


def short(value, most=24):
    """A setting, shortened."""
    text = "not set" if value is None else json.dumps(value, ensure_ascii=False).replace('"', "").strip("[]")
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def alike(one, other):
    """Whether two sentences agree: words exactly, numbers up to one in the last place that is printed."""
    parts = NUMBER.split(one), NUMBER.split(other)
    return parts[0][::2] == parts[1][::2] and all(map(near, parts[0][1::2], parts[1][1::2]))


def near(one, other):
    """Whether two printed numbers agree up to one in the last place."""
    mantissa, _, exponent = one.partition("e")
    place = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return one == other or ("." in one + other and abs(float(one) - float(other)) <= 1.000001 * place)
