"""Part of verify.py: formulas that compare schedulers on the same windows (source/config/claims/README.md).

Intervals are bootstrapped with the draws that numpy's PCG64 makes, implemented here.
"""

import collections
import functools
import hashlib
import itertools
import math

FACTORS = ("cluster", "contention", "restart", "error", "knowledge", "load")
NAN = math.nan
# Mean completion time, simulated over measured, of policies on one testbed (sources: rarlib/comparison/fidelity.py).
TESTBEDS = ((1.020, 1.008, 0.916, 0.980, 1.087, 0.946), (0.894, 0.982, 0.803), (0.705, 0.928, 0.937))
SETTING = range(1 + len(FACTORS))  # places in a cell that name a setting: trace and factors; the window is last


class Missing(Exception):
    """Rows that were not run; says which, in the words of the ledger."""


class Outcome:
    """What a formula gives: a value, the seeds behind it, whether it holds (None: a plain value), and words (`says`).

    `at_least`: the share of seeds from which it holds; `lost`: seeds without a schedule, and not run for all rows.
    """

    def __init__(self, value, seeds, holds=None, spread=NAN, at_least=None, lost=(0, 0), says=""):
        self.value, self.seeds, self.holds, self.spread = value, seeds, holds, spread
        self.at_least, self.lost, self.says = at_least, lost, says


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
        where = "".join(f", {name} = {levels}" for name, levels in chosen.items())
        raise Missing(f"no runs with {metric}{where}")
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
    heavy = [d * sum(s for s, k in zip(share, kinds) if k == kind) / max(kinds.count(kind) - 1, 1)
             for d, kind in zip(differ, kinds)]  # fmt: skip
    means = [(sum(heavy[i] for i in picked) if len(windows) > 1 else NAN, times)
             for picked, times in drawn(key, tuple(kinds))]  # fmt: skip
    ordered = [mean for mean, times in sorted(means) for _ in range(times)]
    ends = [quantile(ordered, q) for q in ((1 - 0.95) / 2, (1 + 0.95) / 2)]
    return [math.exp(v) for v in (math.fsum(d * s for d, s in zip(differ, share)), *ends)] + [len(windows)]


@functools.lru_cache(maxsize=1000)
def drawn(key, kinds):
    """The windows of 2000 draws, and how often each: of every kind one fewer than there are, but never none."""
    words, picked = uniform(("bootstrap", *key)), [()] * 2000
    for kind in sorted(set(kinds)):
        own = [i for i, k in enumerate(kinds) if k == kind]
        picked = [p + (tuple(own[below(words, len(own))] for _ in own[1:]) or tuple(own)) for p in picked]
    return list(collections.Counter(tuple(sorted(p)) for p in picked).items())


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
        window = found.setdefault(tuple(cell[i] for i in by), {}).setdefault((cell[0], cell[-1]), {})
        for scheduler, value in values.items():
            window.setdefault(scheduler, []).append(value)
    return {key: dict(sorted(windows.items())) for key, windows in found.items()}


def both(cells, better, worse):
    """Cells that both schedulers ran."""
    met = {cell: {s: v[s] for s in (better, worse)} for cell, v in cells.items() if better in v and worse in v}
    if not met:
        raise Missing(f"{better} and {worse} have no run in common")
    return met


def settings(metric, cells, by, better, worse):
    """Settings in which both ran all windows that anybody ran: key, ratio of the two, ends of its interval."""
    for key, windows in windows_of(cells, by).items():
        counts = {s: [len(w.get(s, ())) for w in windows.values()] for w in windows.values() for s in w}
        top = [max(column) for column in zip(*counts.values())]
        if counts.get(better) == top == counts.get(worse):
            yield (key, *compare((metric, *key), windows, better, worse)[:3])


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
    gaps = [
        (x / b, name, c) for c, v in cells.items() if c in bounds for b in bounds[c].values() for name, x in v.items()
    ]
    if not gaps:
        raise Missing(f"nothing is proven of {metric} in these runs")
    if formula["kind"] == "bounded":
        least, name, cell = min(gaps, key=lambda gap: gap[0])
        under = sum(gap[0] < 1 - 1e-9 for gap in gaps)
        where = f"{name}, {cell[0]}, {'/'.join(cell[1:-2])}, load {cell[-2]}"
        says = f"{under} of {len(gaps)} runs are below; the nearest is {least:.3f} times its bound ({where})"
        return Outcome(least, len(gaps), not under, says=says)
    best = {}
    for gap in gaps:
        best[gap[2]] = min(best.get(gap[2], gap), gap, key=lambda each: each[0])
    ratios, often = [gap[0] for gap in best.values()], collections.Counter(gap[1] for gap in best.values())
    mean, first = math.exp(log_mean(ratios)), min(often, key=lambda name: (-often[name], name))
    says = f"{mean:.2f} times the bound (geometric mean, {min(ratios):.2f} to {max(ratios):.2f})"
    says += f"; {first} is the best one in {often[first]} of {len(best)} cells"
    return Outcome(mean, len(best), mean <= formula["at_most"], says=says)


def stands(ratio):
    """Share of the published errors of a ratio of two policies that are smaller than this difference."""
    pairs = [pair for testbed in TESTBEDS for pair in itertools.combinations(testbed, 2)]
    return sum(max(a / b, b / a) - 1 < max(ratio, 1 / ratio) - 1 for a, b in pairs) / len(pairs)


def interval(ratio, low, high):
    """A ratio with its interval, in words."""
    return f"{ratio:.2f} (one window: no interval)" if low != low else f"{ratio:.2f} [{low:.2f}, {high:.2f}]"


def beats(formula, metric, cells, pairs):
    """Whether one scheduler is below another, or each of several below each of others."""
    if formula.get("groups"):
        sides = [sorted({pair[side] for pair in pairs}) for side in (0, 1)]
        whole = {c: v for c, v in cells.items() if all(name in v for side in sides for name in side)}
        if not whole:
            raise Missing(f"{', '.join(sorted({*sides[0], *sides[1]}))} have no run in common")
        pairs = [("the first", "the second")]
        cells = {c: {pairs[0][i]: math.exp(log_mean([v[n] for n in side])) for i, side in enumerate(sides)}
                 for c, v in whole.items()}  # fmt: skip
    found = []
    for pair in pairs:
        windows = windows_of(both(cells, *pair), ())[()]
        ratio, low, high, n = compare((metric, "arena-" + formula["table"]), windows, *pair)
        won = high < 1 and stands(ratio) >= 0.8
        says = f"{interval(ratio, low, high)} on {n} windows of {len({trace for trace, _ in windows})} traces"
        found.append((not won, ratio, n, says, high, pair))
    lost, ratio, n, says, high, pair = max(found, key=lambda row: row[:2])
    if len(found) > 1:
        won = sum(not row[0] for row in found)
        says = f"{won} of {len(found)} pairs; weakest: {pair[0]} {says} against {pair[1]}"
    elif lost and high < 1:
        says += f"; stands at a level of {stands(ratio):.0%}, which is below 80% and counts as equal"
    return Outcome(ratio, n, not any(row[0] for row in found), says=says)


def widens(formula, met, better, worse):
    """Whether the ratio falls between the first and the last level."""
    along, levels = (("trace",) + FACTORS).index(formula["along"]), listed(formula["levels"])
    ratios = {}
    for cell, values in met.items():
        same_but = cell[:along] + ("",) + cell[along + 1 :]
        ratios.setdefault(same_but, {})[cell[along]] = values[better] / values[worse]
    whole = {cell: values for cell, values in ratios.items() if all(level in values for level in levels)}
    if not whole:
        raise Missing(f"{better} and {worse} have no runs in common at {formula['along']} = {', '.join(levels)}")
    windows, means = windows_of(whole, ())[()], []
    for level in levels:
        of_trace = {}
        for cell, values in whole.items():
            of_trace.setdefault(cell[0], []).append(values[level])
        means.append(math.exp(math.fsum(map(log_mean, of_trace.values())) / len(of_trace)))
    ratio, low, high, n = compare(("ratio", ""), windows, levels[-1], levels[0])
    says = ", ".join(f"{mean:.2f} at {level}" for mean, level in zip(means, levels))
    traces = len({trace for trace, _ in windows})
    says += f"; last over first {interval(ratio, low, high)} on {n} windows of {traces} traces"
    return Outcome(ratio, n, high < 1, says=says)
