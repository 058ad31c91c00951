"""Whether an order of schedulers survives the arena: the ledger's column `order_robustness`."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from artifact.ledger.contests import SELECTOR_COLUMNS, metric_rows, pairs_of, within
from rarlib.comparison.statistics import FLIPS, HOLDS, ORDERED, ascending, compare_schedulers, order_robustness

TABLE = "arena-runs"
"""The result table from which the column is computed."""

_ROBUST, _FRAGILE, _TIED = "robust", "fragile", "tied"
WORDS = (_ROBUST, _FRAGILE, _TIED)
"""Every entry of the column that is not empty begins with one of these."""


def compared_settings(runs: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Every scheduler against every other in every setting of the arena, as `robustness_of` takes it."""
    return compare_schedulers(metric_rows(runs, metric, {}), metric, SELECTOR_COLUMNS, strata=True)


def robustness_of(order: Mapping[str, Any], compared: pd.DataFrame) -> str:
    """Whether an order of schedulers holds over the settings of the arena.

    A setting is a trace and a level of every factor. In a setting the order holds, is tied (the interval over windows
    contains 1, the difference stands below the level that counts, or there is only one window) or flips. The distance
    of a setting is counted in steps from the first one in which both schedulers ran all windows.

    Args:
        order: `better`, `worse` (names, or lists of them: each is compared with each), `metric` (smaller is better),
            `where` (factor -> levels: settings to look at).
        compared: result of `compared_settings` for that metric.

    Returns:
        `robust (...)`: holds in some setting and flips in none. `fragile: nearest flip at ...`. `tied in all ...`:
        neither holds nor flips anywhere. Empty: the schedulers have no setting in common.
    """
    groups = dict(iter(within(compared, order.get("where", {})).groupby(["scheduler", "rival"], sort=False)))
    pairs = pairs_of(order, compared)
    parts = [_of_pair(groups[pair], pair) for pair in pairs if pair in groups]
    if not parts:
        return ""
    summary = _described(pd.concat(parts))
    apart = len(pairs) - len(parts)
    return f"{summary}; {apart} of {len(pairs)} pairs did not meet" if apart else summary


def _described(found: pd.DataFrame) -> str:
    counts = {way: round(float((found[way] * found["settings"]).sum())) for way in (HOLDS, FLIPS)}
    of = f"{int(found['settings'].sum())} {'comparisons' if len(found) > 1 else 'settings'}"
    if counts[FLIPS]:
        nearest = found[found[FLIPS] > 0.0].sort_values("steps", kind="stable").iloc[0]
        pair = f"{nearest['better']} against {nearest['worse']}, " if len(found) > 1 else ""
        at = nearest["nearest"] or "the base setting"
        return f"{_FRAGILE}: nearest flip at {pair}{at} ({counts[FLIPS]} of {of} flip)"
    if counts[HOLDS]:
        return f"{_ROBUST} (holds in {counts[HOLDS]} of {of}, flips in none)"
    return f"{_TIED} in all {of}"


def _of_pair(compared: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    levels = {name: set(compared[name]) for name in SELECTOR_COLUMNS}
    axes = {name: sorted(found, key=ascending) if name in ORDERED else found for name, found in levels.items()}
    base = {name: str(compared[name].iloc[0]) for name in SELECTOR_COLUMNS}
    return order_robustness(compared, axes, base, [pair])
