"""Comparisons of schedulers in the arena: ratios with intervals, ranks, and the settings in which an order flips.

A *setting* is one combination of the columns `SETTING_COLUMNS`. In a setting, every scheduler runs the same windows of
the same trace, so all comparisons are paired. Values are compared by their logarithms: a difference between two means
over windows is the logarithm of the ratio of two geometric means.

*Interval.* Windows are drawn with replacement, the same draws for all schedulers (common random numbers), and the
middle 95 % of the resulting ratios is the interval (percentile bootstrap; Efron, Annals of Statistics 7, 1979). It
shows the spread between windows; with few windows it is too narrow, and with a single one it is a point.

*Strata.* Windows of several traces can be drawn trace by trace instead: n - 1 of the n windows of a trace, which
corrects for their small number (McCarthy & Snowden, Vital and Health Statistics 2 (95), 1985). Traces with a single
window are drawn as if they were one trace. Every trace has the same weight. A single window has no interval.

*Fidelity.* Simulators of this kind err. `level` says which share of published errors of a ratio of two policies is
smaller than the difference (`rarlib.comparison.fidelity`). Two schedulers whose difference stands at less than
`STANDS_AT` are not distinguishable, however narrow the interval.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.comparison.fidelity import STANDS_AT, level_of
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream

SETTING_COLUMNS = ("experiment", "setup", "reading", "x_name", "x")
WINDOW = ("setup", "seed")
SETTING_FACTORS = ("cluster", "contention", "restart", "error", "knowledge")
"""Factors in the column `reading` of the arena's tables, where slashes separate them."""

ORDERED = ("load", "contention", "error")
"""Factors whose levels are ordered; any two levels of another factor are one step apart."""

LEVEL = 0.95
RESAMPLES = 2000

HOLDS, _TIED, FLIPS = "holds", "tied", "flips"
_ROBUST, _FRAGILE, _OPEN = "robust", "fragile", "open"


class _Logs(NamedTuple):
    """Logarithms of one setting's values, shape (windows, schedulers); the schedulers' names, the windows' traces."""

    key: tuple[Any, ...]
    schedulers: list[str]
    traces: NDArray[np.int64]
    values: NDArray[np.float64]


def compare_schedulers(
    frame: pd.DataFrame,
    metric: str = "mean_jct",
    by: Sequence[str] = SETTING_COLUMNS,
    *,
    strata: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pd.DataFrame:
    """Every scheduler against every other, setting by setting.

    Args:
        frame: tidy rows; those of seed 0 (of all windows together) are ignored.
        metric: one whose values are positive.
        by: columns that identify a setting. With fewer columns, the logarithms of a window are first averaged over the
            other columns; the bootstrap still draws windows, (`setup`, `seed`).
        strata: draw windows trace by trace, see above.
        resamples: number of draws of the bootstrap.
        seed: of the bootstrap; each setting has a random stream of its own.

    Returns:
        Columns `by`, scheduler, rival, windows, ratio (scheduler over rival: below 1, the scheduler's value is the
        smaller one), low, high (of the ratio), level (share of published errors of a ratio that are smaller than
        the difference), distinguishable (the interval is on one side of 1, and the level is at least `STANDS_AT`). A
        scheduler without all windows of a setting is left out.

    Raises:
        InputError: values that are not positive, a row that occurs twice.
    """
    rows: list[tuple[Any, ...]] = []
    for logs in _settings(frame, metric, by):
        n = len(logs.values)
        rng = stream(seed, "bootstrap", metric, *logs.key)
        weights = _by_trace(rng, logs.traces, resamples) if strata else _freely(rng, n, resamples)
        means = (weights @ logs.values).T
        middle = _shares(logs.traces) @ logs.values if strata else logs.values.mean(axis=0)
        pairs = np.array([*combinations(range(len(middle)), 2)], np.int64).reshape(-1, 2)
        apart_by = means[pairs[:, 0]] - means[pairs[:, 1]]
        bounds = np.quantile(apart_by, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0], axis=1).T.tolist()
        for (one, other), (low, high) in zip(pairs.tolist(), bounds, strict=True):
            differ = float(middle[one] - middle[other])
            level = level_of(float(np.exp(differ)))
            apart = (low > 0.0 or high < 0.0) and level >= STANDS_AT
            for pair, ends in (((one, other), (differ, low, high)), ((other, one), (-differ, -high, -low))):
                names = (logs.schedulers[i] for i in pair)
                rows.append((*logs.key, *names, n, *np.exp(ends).tolist(), apart, level))
    columns = [*by, "scheduler", "rival", "windows", "ratio", "low", "high", "distinguishable", "level"]
    return pd.DataFrame(rows, columns=columns)


def _freely(rng: np.random.Generator, n: int, resamples: int) -> NDArray[np.float64]:
    """Weight of every window in every draw, shape (resamples, n)."""
    drawn = rng.integers(0, n, (resamples, n))
    return (drawn[:, :, None] == np.arange(n)).sum(axis=1) / n


def _by_trace(rng: np.random.Generator, traces: NDArray[np.int64], resamples: int) -> NDArray[np.float64]:
    """Weights as of `_freely`, but windows are drawn within traces; NaN for a single window."""
    shares = _shares(traces)
    alone = np.bincount(traces)[traces] == 1
    strata = np.where(alone, -1, traces)
    weights = np.zeros((resamples, len(traces)))
    for stratum in np.unique(strata):
        own = np.flatnonzero(strata == stratum)
        if len(own) < 2:  # the only trace with a single window
            weights[:, own] = shares[own] if len(traces) > 1 else np.nan
            continue
        drawn = rng.integers(0, len(own), (resamples, len(own) - 1))
        counts = (drawn[:, :, None] == np.arange(len(own))).sum(axis=1)
        weights[:, own] = counts / (len(own) - 1) * shares[own].sum()
    return weights


def _shares(traces: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weight of each window: all traces weigh the same, and so do the windows of a trace."""
    windows = np.bincount(traces)
    return 1.0 / (len(windows) * windows[traces])


def winners(compared: pd.DataFrame, by: Sequence[str] = SETTING_COLUMNS) -> pd.DataFrame:
    """The winner of each setting.

    Args:
        compared: result of `compare_schedulers`.
        by: the columns that identify its settings.

    Returns:
        Columns `by`, winner (no rival has a smaller value; of equal ones the first by name), second, ratio (second
        over winner), low, high, distinguishable, and tied: names of the rivals not distinguishable from the winner.
    """
    rows = []
    for key, group in compared.groupby(list(by), sort=False):
        worst = group.groupby("scheduler")["ratio"].max().sort_index()
        winner = str(worst.index[int(np.argmin(worst.to_numpy() > 1.0))])
        against = group[group["rival"] == winner].sort_values(["ratio", "scheduler"])
        second = against.iloc[0]
        tied = " ".join(sorted(against.loc[~against["distinguishable"], "scheduler"]))
        found = (second["scheduler"], second["ratio"], second["low"], second["high"], bool(second["distinguishable"]))
        rows.append((*(key if isinstance(key, tuple) else (key,)), winner, *found, tied))
    names = [*by, "winner", "second", "ratio", "low", "high", "distinguishable", "tied"]
    return pd.DataFrame(rows, columns=names)


def order_robustness(
    compared: pd.DataFrame,
    axes: Mapping[str, Collection[str]],
    base: Mapping[str, str],
    pairs: Collection[tuple[str, str]] | None = None,
) -> pd.DataFrame:
    """Whether orders of two schedulers hold in all settings of the map, and where the nearest flip is.

    In a setting the order `better` before `worse` *holds* (distinguishable, ratio below 1), is *tied* (not
    distinguishable), or *flips* (distinguishable the other way round).

    Args:
        compared: result of `compare_schedulers`, with settings identified by the columns that `axes` names.
        axes: factor -> levels; in a sequence, neighbours are one step apart; in a set, any two levels are.
        base: factor -> level of the base setting.
        pairs: (better, worse); by default all whose order holds at the base setting.

    Returns:
        One row per pair: better, worse, ratio (at the base setting), settings, holds, tied, flips (shares of them),
        verdict, nearest (the setting with a flip that is fewest steps from the base, as `factor=level` where it
        differs; of equally near ones the first in the order of the axes), steps (to it; 0 if there is none). The
        verdict is `robust` if the order flips nowhere, `fragile` if it does, `open` if it does not hold at the base
        setting itself.

    Raises:
        InputError: a level that the axes do not name, a pair or base setting that was not compared.
    """
    place = {name: _positions(compared[name], name, levels) for name, levels in axes.items()}
    steps, at_base = np.zeros(len(compared), np.int64), np.ones(len(compared), np.bool_)
    for name, levels in axes.items():
        home = int(_positions(pd.Series([base[name]]), name, levels)[0])
        away = np.abs(place[name] - home)
        steps += away if isinstance(levels, Sequence) else (away > 0).astype(np.int64)
        at_base &= away == 0
    way = np.where(~compared["distinguishable"], _TIED, np.where(compared["ratio"] < 1.0, HOLDS, FLIPS))
    table = compared[["scheduler", "rival", "ratio", *axes]].assign(way=way, steps=steps, at_base=at_base)
    table = table.assign(**{f"_{name}": position for name, position in place.items()})
    if pairs is None:
        held = table[table["at_base"] & (table["way"] == HOLDS)]
        pairs = sorted(zip(held["scheduler"], held["rival"], strict=True))
    groups = dict(iter(table.groupby(["scheduler", "rival"])))
    return pd.DataFrame([_verdict(groups, pair, axes, base) for pair in pairs], columns=_VERDICT)


_VERDICT = ["better", "worse", "ratio", "settings", HOLDS, _TIED, FLIPS, "verdict", "nearest", "steps"]


def _verdict(
    groups: Mapping[Any, pd.DataFrame], pair: tuple[str, str], axes: Mapping[str, Any], base: Mapping[str, str]
) -> tuple[Any, ...]:
    met = groups.get(pair)
    if met is None or not met["at_base"].any():
        raise InputError(f"{pair[0]} and {pair[1]} do not meet at the base setting", field="base")
    home = met[met["at_base"]].iloc[0]
    shares = [float((met["way"] == way).mean()) for way in (HOLDS, _TIED, FLIPS)]
    flips = met[met["way"] == FLIPS].sort_values(["steps", *(f"_{name}" for name in axes)], kind="stable")
    verdict = _OPEN if home["way"] != HOLDS else _FRAGILE if len(flips) else _ROBUST
    nearest, away = "", 0
    if len(flips):
        where, away = flips.iloc[0], int(flips["steps"].min())
        nearest = ", ".join(f"{name}={where[name]}" for name in axes if where[name] != base[name])
    return (*pair, home["ratio"], len(met), *shares, verdict, nearest, away)


def ascending(level: str) -> tuple[int, float]:
    """Key to sort the levels of an ordered factor by: off, links, k, k+A; numbers; nothing predictable last."""
    fixed = {"off": (0, 0.0), "links": (0, 1.0), "k": (1, 0.0), "none": (2, 0.0)}
    return fixed[level] if level in fixed else (1, float(level.removeprefix("k+")))


def with_factors(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a column for each factor that varies: `SETTING_FACTORS` from `reading`, and those in `x_name`.

    Raises:
        InputError: a reading of another form, a row without the `x_name` of others, which has no level of that factor.
    """
    split = frame["reading"].str.split("/", expand=True)
    if split.shape[1] != len(SETTING_FACTORS) or split.isna().any(axis=None):
        raise InputError(f"must be {'/'.join(SETTING_FACTORS)}", field="reading")
    out = frame.assign(**{name: split[i] for i, name in enumerate(SETTING_FACTORS)})
    for name in dict.fromkeys(frame["x_name"]):
        if name:
            if (frame["x_name"] != name).any():
                raise InputError(f"no level of {name} in a setting", field="x_name")
            out[name] = frame["x"]
    return out


def _settings(frame: pd.DataFrame, metric: str, by: Sequence[str]) -> Iterator[_Logs]:
    """Settings in order of appearance, with the schedulers that have all windows; windows by trace and number."""
    rows = frame[(frame["metric"] == metric) & (frame["seed"] != 0)]
    key_columns = list(dict.fromkeys([*SETTING_COLUMNS, *by, "seed", "scheduler"]))
    if rows.duplicated(key_columns).any():
        raise InputError(f"two values of {metric} for one scheduler, setting and window", field="seed")
    if not (rows["value"] > 0.0).all():
        raise InputError(f"{metric} is compared by its logarithm: values must be positive", field="metric")
    rows = rows.assign(value=np.log(rows["value"]))
    for key, group in rows.groupby(list(by), sort=False):
        window = group.groupby(list(WINDOW), sort=True).ngroup().to_numpy()
        traces = np.zeros(int(window.max()) + 1, np.int64)
        traces[window] = pd.factorize(group["setup"], sort=True)[0]
        of, names = pd.factorize(group["scheduler"], sort=True)
        shape = int(window.max()) + 1, len(names)
        cell = np.ravel_multi_index((window, of), shape)
        counts = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        sums = np.bincount(cell, group["value"].to_numpy(), shape[0] * shape[1]).reshape(shape)
        whole = (counts == counts.max(axis=1, keepdims=True)).all(axis=0)
        values = sums[:, whole] / counts[:, whole]
        group_key = key if isinstance(key, tuple) else (key,)
        yield _Logs(group_key, [str(name) for name in names[whole]], traces, values)


def _positions(column: pd.Series, name: str, levels: Collection[str]) -> NDArray[np.int64]:
    order = list(levels) if isinstance(levels, Sequence) else sorted(levels)
    unknown = sorted(set(column) - set(order))
    if unknown:
        raise InputError(f"{unknown[0]!r} is no level of the map", field=name)
    return np.array([order.index(level) for level in column], np.int64)
