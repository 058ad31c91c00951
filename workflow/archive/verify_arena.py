"""Part of verify.py: formulas that compare schedulers on the same windows (source/config/claims/README.md).

Intervals are bootstrapped with the draws that numpy's PCG64 makes, implemented here.
"""

import functools
import hashlib
import itertools
import math

FACTORS = ("cluster", "contention", "restart", "error", "knowledge", "load")
NAN = math.nan
# Mean completion time, simulated over measured, of policies on one testbed (sources: rarlib/comparison/fidelity.py).
TESTBEDS = ((1.020, 1.008, 0.916, 0.980, 1.087, 0.946), (0.894, 0.982, 0.803), (0.705, 0.928, 0.937))


class Missing(Exception):
    """Rows that were not run."""


class Outcome:
    """What a formula gives: a value, the seeds behind it, and whether it holds (None: a plain value)."""

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
        raise Missing(f"no runs with {metric}")
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
    """Ratio of two schedulers, the upper end of its interval (windows are drawn trace by trace), number of windows."""
    traces = [trace for trace, _ in windows]
    names = sorted(set(traces))
    differ = [log_mean(values[better]) - log_mean(values[worse]) for values in windows.values()]
    share = [1 / (len(names) * traces.count(trace)) for trace in traces]
    kinds = [-1 if traces.count(trace) == 1 else names.index(trace) for trace in traces]
    heavy = [d * sum(s for s, k in zip(share, kinds) if k == kind) / max(kinds.count(kind) - 1, 1)
             for d, kind in zip(differ, kinds)]  # fmt: skip
    means = sorted(sum(heavy[i] for i in picked) for picked in drawn(key, tuple(kinds)))
    at = (1 + 0.95) / 2 * (len(means) - 1)
    low, high = means[int(at)], means[min(int(at) + 1, len(means) - 1)]
    end = low + (high - low) * (at - int(at)) if len(windows) > 1 else NAN
    return math.exp(math.fsum(d * s for d, s in zip(differ, share))), math.exp(end), len(windows)


@functools.lru_cache(maxsize=1000)
def drawn(key, kinds):
    """The windows of 2000 draws: of every kind one fewer than there are, but never none."""
    words, picked = uniform(("bootstrap", *key)), [()] * 2000
    for kind in sorted(set(kinds)):
        own = [i for i, k in enumerate(kinds) if k == kind]
        picked = [p + (tuple(own[below(words, len(own))] for _ in own[1:]) or tuple(own)) for p in picked]
    return picked


def log_mean(values):
    """Mean of logarithms."""
    return math.fsum(map(math.log, values)) / len(values)


def windows_of(cells):
    """The values of each scheduler by window (trace and number)."""
    found = {}
    for cell, values in cells.items():
        window = found.setdefault((cell[0], cell[-1]), {})
        for scheduler, value in values.items():
            window.setdefault(scheduler, []).append(value)
    return dict(sorted(found.items()))


def both(cells, better, worse):
    """Cells that both schedulers ran."""
    met = {cell: {s: v[s] for s in (better, worse)} for cell, v in cells.items() if better in v and worse in v}
    if not met:
        raise Missing(f"{better} and {worse} have no run in common")
    return met


def pairs_of(order, names):
    """All pairs of a better and a worse scheduler."""
    rivals = sorted(set(names) - {"bounds"}) if order["worse"] == "others" else listed(order["worse"])
    return [pair for pair in itertools.product(listed(order["better"]), rivals) if pair[0] != pair[1]]


def contest(formula, lookup):
    """The outcome of a formula that compares schedulers."""
    kind, metric = formula["kind"], formula.get("metric", "mean_jct")
    cells = metric_rows(lookup, formula, metric)
    if kind in ("bounded", "gap"):
        return proven(formula, metric, cells, metric_rows(lookup, formula, f"bound_{metric}"))
    pairs = pairs_of(formula, {name for values in cells.values() for name in values})
    if kind == "beats":
        return beats(formula, metric, cells, pairs)
    return widens(formula, both(cells, *pairs[0]), *pairs[0])


def proven(formula, metric, cells, bounds):
    """How far runs are from what is proven."""
    gaps = {}
    for cell, values in cells.items():
        for bound in bounds.get(cell, {}).values():
            gaps.setdefault(cell, []).extend(value / bound for value in values.values())
    if not gaps:
        raise Missing(f"nothing is proven of {metric} in these runs")
    if formula["kind"] == "bounded":
        least = min(map(min, gaps.values()))
        return Outcome(least, sum(map(len, gaps.values())), least >= 1 - 1e-9)
    mean = math.exp(log_mean([min(each) for each in gaps.values()]))
    return Outcome(mean, len(gaps), mean <= formula["at_most"])


def stands(ratio):
    """Share of the published errors of a ratio of two policies that are smaller than this difference."""
    pairs = [pair for testbed in TESTBEDS for pair in itertools.combinations(testbed, 2)]
    return sum(max(a / b, b / a) - 1 < max(ratio, 1 / ratio) - 1 for a, b in pairs) / len(pairs)


def beats(formula, metric, cells, pairs):
    """Whether one scheduler is below another, or each of several below each of others."""
    if formula.get("groups"):
        sides = [sorted({pair[side] for pair in pairs}) for side in (0, 1)]
        whole = {c: v for c, v in cells.items() if all(name in v for side in sides for name in side)}
        if not whole:
            raise Missing("the groups have no run in common")
        pairs = [("the first", "the second")]
        cells = {c: {pairs[0][i]: math.exp(log_mean([v[n] for n in side])) for i, side in enumerate(sides)}
                 for c, v in whole.items()}  # fmt: skip
    found = []
    for pair in pairs:
        ratio, high, n = compare((metric, "arena-" + formula["table"]), windows_of(both(cells, *pair)), *pair)
        won = high < 1 and stands(ratio) >= 0.8
        found.append((not won, ratio, n))
    _lost, ratio, n = max(found, key=lambda row: row[:2])
    return Outcome(ratio, n, not any(row[0] for row in found))


def widens(formula, met, better, worse):
    """Whether the ratio falls between the first and the last level."""
    along, levels = (("trace",) + FACTORS).index(formula["along"]), listed(formula["levels"])
    ratios = {}
    for cell, values in met.items():
        same_but = cell[:along] + ("",) + cell[along + 1 :]
        ratios.setdefault(same_but, {})[cell[along]] = values[better] / values[worse]
    whole = {cell: values for cell, values in ratios.items() if all(level in values for level in levels)}
    if not whole:
        raise Missing(f"{better} and {worse} have no runs in common at all levels of {formula['along']}")
    ratio, high, n = compare(("ratio", ""), windows_of(whole), levels[-1], levels[0])
    return Outcome(ratio, n, high < 1)
