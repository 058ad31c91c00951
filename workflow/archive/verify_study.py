"""Part of verify.py: intervals by Student's t, and what they say of the statements of a study.

A statement compares two schedulers on the same jobs. The ratio of a seed is a geometric mean over traces and settings;
the statement is decided at the first look (number of seeds) whose interval leaves out the number it is compared with.
"""

import math

from verify_arena import NAN, Outcome

ERROR = 0.05


def beta_share(x, a, b):
    """Regularised incomplete beta function I_x(a, b), by its continued fraction (modified Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_share(1 - x, b, a)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) / a
    whole, up, down = 1.0, 1.0, 0.0
    for i in range(1000):
        m = i // 2
        if i % 2:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) if m else 1.0
        down, up = 1 / ((1 + step * down) or 1e-300), (1 + step / up) or 1e-300
        whole *= up * down
        if abs(up * down - 1) < 1e-15:
            break
    return front * (whole - 1)


def below(formula, values):
    """Whether the mean of ratios (by seed) is below a number, at the first look that decides."""
    ratios, than, looks = list(values.values()), float(formula["than"]), formula["looks"]
    for look in [look for look in looks if look <= len(ratios)] or [len(ratios)]:
        used = ratios[:look]
        mean = math.fsum(used) / look
        spread = math.sqrt(math.fsum((v - mean) ** 2 for v in used) / (look - 1)) if look > 1 else NAN
        if look > 1 and leaves_out(mean - than, spread, look, ERROR / len(looks)):
            return Outcome(mean, look, mean < than, spread)
    return Outcome(mean, look, False, spread)


def leaves_out(away, spread, seeds, beyond):
    """Whether the interval of a mean (Student's t) leaves out a number that is so far away from the mean."""
    free = seeds - 1
    square = away * away * seeds
    return away != 0 and beta_share(free * spread**2 / (free * spread**2 + square), free / 2, 0.5) < beyond


def check_pairs(deposit, name, facts):
    """The table of ratios follows from the table of runs."""
    wanted = ratios(deposit.table(facts["runs"]).rows, facts["statements"])
    found = {}
    for row in deposit.table(name).rows:
        found[tuple(row[key] for key in ("scheduler", "x", "metric", "setup", "reading", "seed"))] = row["value"]
    if len(found) != len(deposit.table(name).rows) or set(found) != set(wanted):
        deposit.say(f"table {name}: its rows are not those that follow from {facts['runs']}")
    for key in sorted(set(found) & set(wanted)):
        if not abs(found[key] - wanted[key]) <= 2e-9 * wanted[key]:
            deposit.say(f"table {name}: {', '.join(key)} reads {found[key]:.10g}, its runs give {wanted[key]:.10g}")


def ratios(runs, statements):
    """Ratio by scheduler, the other one, metric, setup, reading and seed: of each setting, by trace, by statement."""
    by_name = {}
    for row in runs:
        if row["value"] > 0:
            point = row["setup"], row["reading"], row["x"], row["seed"]
            by_name.setdefault((row["scheduler"], row["metric"]), {})[point] = row["value"]
    made = {}
    for name, better, worse, metric, _than, sources in statements:
        one, other = by_name.get((better, metric), {}), by_name.get((worse, metric), {})
        each = {point: one[point] / other[point] for point in one if point in other}
        head = better, worse, metric
        for (setup, reading, load, seed), value in each.items():
            made[(*head, setup, f"{reading}/{load}", seed)] = value
        for setup in {point[0] for point in each}:
            made.update({(*head, setup, "pooled", s): v for s, v in pooled(each, [setup]).items()})
        made.update({(*head, "pooled", name, s): v for s, v in pooled(each, sources).items()})
    return made


def pooled(each, sources):
    """Geometric means by seed; seeds that lack some settings are left out."""
    logs = {}
    for (setup, _reading, _load, seed), value in each.items():
        if setup in sources:
            logs.setdefault(seed, []).append(math.log(value))
    most = max(map(len, logs.values()), default=0)
    return {seed: math.exp(math.fsum(row) / len(row)) for seed, row in logs.items() if len(row) == most}
