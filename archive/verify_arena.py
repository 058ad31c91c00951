"""Part of verify.py: formulas that compare schedulers on the same windows (source/config/claims/README.md).

Intervals are bootstrapped with the draws that numpy's PCG64 makes, implemented here.
"""

import hashlib
import itertools
import math

FACTORS = ("cluster", "contention", "restart", "error", "load")
NAN = math.nan


class Missing(Exception):
    """Rows that were not run."""


class Outcome:
    """What a formula gives: a value, the number of seeds behind it, and whether it holds (None: a plain value)."""

    def __init__(self, value, seeds, holds=None, spread=NAN):
        self.value, self.seeds, self.holds, self.spread = value, seeds, holds, spread


def listed(value):
    """Levels as text."""
    return [f"{v:g}" if isinstance(v, (int, float)) else v for v in (value if isinstance(value, list) else [value])]


def metric_rows(lookup, formula, metric):
    """Value by setting and window (trace, factors, seed), then by scheduler; None where no row has this metric."""
    chosen = {**lookup.select, **formula.get("select", {})}
    cells = {}
    for row in lookup.table(formula["table"]).rows:
        if row["metric"] == metric and int(row["seed"]) and row["value"] == row["value"]:
            cell = dict(zip(("trace",) + FACTORS, [row["setup"], *row["reading"].split("/"), row["x"]]))
            if all(cell[name] in listed(levels) for name, levels in chosen.items()):
                cells.setdefault((*cell.values(), int(row["seed"])), {})[row["scheduler"]] = row["value"]
    if not cells:
        raise Missing(metric)
    return cells


def uniform(key):
    """32-bit words of numpy's default_rng(SeedSequence(0, spawn_key=...)); the spawn key is a digest of the text."""
    digest, m32, m128 = hashlib.sha256("\x1f".join(key).encode()).digest(), 2**32 - 1, 2**128 - 1
    entropy = [0] * 4 + [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]

    def hashes(const, by):
        while True:
            value = yield
            value, const = value ^ const, const * by & m32
            value = value * const & m32
            yield value ^ value >> 16

    def hashed(value, chain):
        next(chain)
        return chain.send(value)

    def mix(one, other):
        value = (0xCA01F9DD * one - 0x4973F715 * other) & m32
        return value ^ value >> 16

    chain = hashes(0x43B0D7E5, 0x931E8875)
    pool = [hashed(word, chain) for word in entropy[:4]]
    for source, target in itertools.permutations(range(4), 2):
        pool[target] = mix(pool[target], hashed(pool[source], chain))
    for word, target in itertools.product(entropy[4:], range(4)):
        pool[target] = mix(pool[target], hashed(word, chain))
    chain = hashes(0x8B51F9DD, 0x58F38DED)
    words = [hashed(pool[i % 4], chain) for i in range(8)]
    high = [words[i] | words[i + 1] << 32 for i in range(0, 8, 2)]
    step, by = (high[2] << 64 | high[3]) << 1 & m128 | 1, 0x2360ED051FC65DA44385DF649FCCF645
    state = ((step + (high[0] << 64 | high[1])) * by + step) & m128
    while True:
        state = (state * by + step) & m128
        folded, turn = (state >> 64 ^ state) & 2**64 - 1, state >> 122
        folded = (folded >> turn | folded << (64 - turn)) & 2**64 - 1
        yield folded & m32
        yield folded >> 32


def below(words, n):
    """A whole number below n (Lemire's method)."""
    if n == 1:
        return 0
    product = next(words) * n
    while product & 2**32 - 1 < (2**32 - n) % n:
        product = next(words) * n
    return product >> 32


def compare(key, windows, better, worse):
    """Ratio of two schedulers with its interval: windows are drawn trace by trace, one fewer than there are."""
    traces = [trace for trace, _ in windows]
    names = sorted(set(traces))
    differ = [log_mean(values[better]) - log_mean(values[worse]) for values in windows.values()]
    share = [1 / (len(names) * traces.count(trace)) for trace in traces]
    kinds = [-1 if traces.count(trace) == 1 else names.index(trace) for trace in traces]
    words, means = uniform(("bootstrap", *key)), [0.0] * 2000
    for kind in sorted(set(kinds)):
        own = [i for i, k in enumerate(kinds) if k == kind]
        if len(own) == 1:
            means = [m + (differ[own[0]] * share[own[0]] if len(names) > 1 else NAN) for m in means]
            continue
        weight = sum(share[i] for i in own) / (len(own) - 1)
        means = [m + weight * sum(differ[own[below(words, len(own))]] for _ in own[1:]) for m in means]
    ends = [quantile(sorted(means), q) for q in ((1 - 0.95) / 2, (1 + 0.95) / 2)]
    return [math.exp(v) for v in (math.fsum(map(lambda d, s: d * s, differ, share)), *ends)] + [len(windows)]


def quantile(ordered, q):
    """Quantile of sorted values, interpolated linearly."""
    at = q * (len(ordered) - 1)
    low = int(at)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (at - low)


def log_mean(values):
    """Mean of logarithms."""
    return math.fsum(map(math.log, values)) / len(values)


def windows_of(cells, by):
    """Settings (the places `by` of a cell), their windows, and the values of each scheduler there."""
    found = {}
    for cell, values in cells.items():
        window = found.setdefault(tuple(cell[i] for i in by), {}).setdefault((cell[0], cell[6]), {})
        for scheduler, value in values.items():
            window.setdefault(scheduler, []).append(value)
    return {key: dict(sorted(windows.items())) for key, windows in found.items()}


def both(cells, better, worse):
    """Cells that both schedulers ran."""
    met = {cell: {s: v[s] for s in (better, worse)} for cell, v in cells.items() if better in v and worse in v}
    if not met:
        raise Missing(f"{better} {worse}")
    return met


def contest(formula, lookup):
    """The outcome of a formula that compares schedulers."""
    kind, metric = formula["kind"], formula.get("metric", "mean_jct")
    cells = metric_rows(lookup, formula, metric)
    if kind in ("bounded", "gap"):
        bounds = metric_rows(lookup, formula, f"bound_{metric}")
        gaps = {c: [x / b for x in v.values() for b in bounds[c].values()] for c, v in cells.items() if c in bounds}
        every = [gap for each in gaps.values() for gap in each]
        if not every:
            raise Missing(metric)
        if kind == "bounded":
            return Outcome(min(every), len(every), min(every) >= 1 - 1e-9)
        mean = math.exp(log_mean([min(each) for each in gaps.values()]))
        return Outcome(mean, len(gaps), mean <= formula["at_most"])
    names = sorted({name for values in cells.values() for name in values} - {"bounds"})
    rivals = names if formula["worse"] == "others" else listed(formula["worse"])
    pairs = [pair for pair in itertools.product(listed(formula["better"]), rivals) if pair[0] != pair[1]]
    if kind == "beats":
        if formula.get("groups"):
            sides = [sorted({pair[side] for pair in pairs}) for side in (0, 1)]
            whole = {c: v for c, v in cells.items() if all(name in v for side in sides for name in side)}
            cells = {c: {i: math.exp(log_mean([v[n] for n in side])) for i, side in enumerate(sides)}
                     for c, v in whole.items()}  # fmt: skip
            pairs = [(0, 1)]
        found = []
        for pair in pairs:
            windows = windows_of(both(cells, *pair), ())[()]
            ratio, _low, high, n = compare((metric, "arena-" + formula["table"]), windows, *pair)
            found.append((not (high < 1 and abs(math.log(ratio)) > math.log1p(0.1)), ratio, n))
        _lost, ratio, n = max(found, key=lambda row: row[:2])
        return Outcome(ratio, n, not any(row[0] for row in found))
    if kind == "widens":
        return widens(formula, both(cells, *pairs[0]), *pairs[0])
    return wins(formula, metric, cells, pairs)


def widens(formula, met, better, worse):
    """Whether the ratio falls between the first and the last level."""
    along, levels = (("trace",) + FACTORS).index(formula["along"]), listed(formula["levels"])
    ratios = {}
    for cell, values in met.items():
        same_but = cell[:along] + ("",) + cell[along + 1 :]
        ratios.setdefault(same_but, {})[cell[along]] = values[better] / values[worse]
    whole = {cell: values for cell, values in ratios.items() if all(level in values for level in levels)}
    if not whole:
        raise Missing(along)
    windows = windows_of(whole, ())[()]
    ratio, _low, high, n = compare(("ratio", ""), windows, levels[-1], levels[0])
    return Outcome(ratio, n, high < 1)


def wins(formula, metric, cells, pairs):
    """Share of settings or rivals won."""
    by = range(0 if formula.get("apart") else 1, 6)
    names = (("trace",) + FACTORS)[by[0] :]
    tallies = []
    for better, worse in pairs:
        met = cells if formula.get("apart") else both(cells, better, worse)
        won, counted, most = 0, 0, 0.0
        for key, windows in windows_of(met, by).items():
            counts = {s: [len(w.get(s, ())) for w in windows.values()] for w in windows.values() for s in w}
            top = [max(column) for column in zip(*counts.values())]
            if counts.get(better) != top or counts.get(worse) != top:
                continue
            ratio, _low, high, _n = compare((metric, *key), windows, better, worse)
            inside = all(dict(zip(names, key))[name] in listed(want) for name, want in formula["among"].items())
            counted += inside
            won += inside and high < 1
            most = most if inside and high < 1 else max(most, ratio)
        if counted:
            holds = won / counted >= formula.get("share", 0.75) and most <= 1 + formula.get("loss", 0.05)
            tallies.append((holds, won / counted, -most))
    if not tallies:
        raise Missing(metric)
    seeds, held = len({cell[6] for cell in cells}), [tally[0] for tally in tallies]
    return Outcome(min(tallies)[1] if len(pairs) == 1 else sum(held) / len(held), seeds, all(held))
