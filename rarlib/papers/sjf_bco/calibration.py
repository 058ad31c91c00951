"""Which reading of SJF-BCO's evaluation explains its figures: comparisons over the tidy tables of the cells."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

Grid = pd.DataFrame
"""Values with one row per seed."""


def values(table: pd.DataFrame, scheduler: str, metric: str, setup: str, reading: str = "headline") -> Grid:
    """A metric of a scheduler: one row per seed, one column per x."""
    wanted = {"scheduler": scheduler, "metric": metric, "setup": setup, "reading": reading}
    for column, value in wanted.items():
        table = table[table[column] == value]
    grid = table.pivot_table(index="seed", columns="x", values="value", dropna=False)
    return grid.set_axis(grid.columns.astype(float), axis=1)


def distance(fig4: pd.DataFrame, published: pd.DataFrame, setup: str, reading: str = "headline") -> float:
    """Root mean square of log(ours / published) over the makespans and averages of Fig. 4 (0.1 is about 10 %)."""
    points = published[(published["paper"] == "sjf-bco") & (published["where"] == "Fig. 4")]
    names = {"SJF-BCO": "sjf-bco", "LS": "list-scheduling", "FF": "first-fit", "RAND": "random"}
    logs = [
        np.log(float(values(fig4, names[series], x, setup, reading).mean().mean()) / float(value))
        for series, x, value in points[["series", "x", "value"]].to_numpy().tolist()
        if x != "min"
    ]
    return float(np.sqrt(np.mean(np.square(logs))))


def statement_robustness(tables: Mapping[str, pd.DataFrame], setups: list[str]) -> pd.DataFrame:
    """For each statement the fraction of instances in which it holds, per set-up, and its class.

    Robust: at least 95 % in every set-up. Absent: at most 5 % in every set-up. Fragile: anything else.
    """
    rows: dict[str, dict[str, float]] = {}
    for setup in setups:
        for statement, holds in _statements(tables, setup).items():
            rows.setdefault(statement, {})[setup] = float(np.mean(holds)) if len(holds) else np.nan
    frame = pd.DataFrame(rows).T[setups]
    low, high = frame.min(axis=1), frame.max(axis=1)
    kind = np.select([low >= 0.95, high <= 0.05], ["robust", "absent"], "fragile")
    return frame.assign(**{"class": kind})


def _statements(tables: Mapping[str, pd.DataFrame], setup: str) -> dict[str, np.ndarray]:
    return {
        **_of_fig4(tables["fig4"], setup),
        **_of_kappa_and_lambda(tables, setup),
        **_of_servers(tables["fig6"], setup),
    }


def _less(left: Grid, right: Grid, factor: float = 1.0) -> np.ndarray:
    """Per seed, whether left < factor x right; seeds without a schedule on either side are left out."""
    both = pd.concat([left.iloc[:, 0], right.iloc[:, 0]], axis=1).dropna().to_numpy()
    return both[:, 0] < factor * both[:, 1]


def _of_fig4(fig4: pd.DataFrame, setup: str) -> dict[str, np.ndarray]:
    def get(scheduler: str, metric: str, reading: str = "headline") -> Grid:
        return values(fig4, scheduler, metric, setup, reading)

    mk, avg = "makespan", "average"
    sjf, ls, ff, rand = (get(s, mk) for s in ("sjf-bco", "list-scheduling", "first-fit", "random"))
    return {
        "SJF-BCO < RAND in makespan": _less(sjf, rand),
        "LS < RAND in makespan": _less(ls, rand),
        "FF < RAND in makespan": _less(ff, rand),
        "SJF-BCO < LS in makespan by more than 1 %": _less(sjf, ls, 0.99),
        "SJF-BCO < LS ranked by finish, by more than 1 %": _less(sjf, get("list-scheduling", mk, "rank-finish"), 0.99),
        "SJF-BCO < FF in makespan": _less(sjf, ff),
        "SJF-BCO < FF in random order, in makespan": _less(sjf, get("first-fit", mk, "random-order")),
        "LS < FF in makespan": _less(ls, ff),
        "SJF-BCO < LS in average": _less(get("sjf-bco", avg), get("list-scheduling", avg)),
        "SJF-BCO < FF in average": _less(get("sjf-bco", avg), get("first-fit", avg)),
        "SJF-BCO < RAND in average": _less(get("sjf-bco", avg), get("random", avg)),
        "RAND < FF in average": _less(get("random", avg), get("first-fit", avg)),
        "makespan <= n_g x busiest GPU (Lemma 3)": get("sjf-bco", "lemma3").to_numpy().ravel() == 1.0,
        "busiest GPU = theta (Lemma 2)": get("sjf-bco", "lemma2").to_numpy().ravel() == 1.0,
    }


def _of_kappa_and_lambda(tables: Mapping[str, pd.DataFrame], setup: str) -> dict[str, np.ndarray]:
    kappa = _at(values(tables["fig5"], "sjf-bco", "makespan", setup).dropna(), 1, 8, 10, 16)
    found = values(tables["fig7"], "sjf-bco", "makespan", setup).dropna()
    widening, steps = _at(found, 1, 8), [found[a] > found[b] for a, b in pairwise(sorted(found.columns))]
    return {
        "kappa = 8 better than kappa = 1": (kappa[8.0] < kappa[1.0]).to_numpy(),
        "kappa = 16 worse than kappa = 8 by more than 10 %": (kappa[16.0] > 1.1 * kappa[8.0]).to_numpy(),
        "kappa = 8 and kappa = 10 give the same makespan": (kappa[8.0] == kappa[10.0]).to_numpy(),
        "lambda = 8 better than lambda = 1": (widening[8.0] < widening[1.0]).to_numpy(),
        "makespan falls with every step of lambda": np.all(steps, axis=0) if steps else np.array([]),
    }


def _at(grid: Grid, *points: float) -> Grid:
    """The grid if it has all these points, otherwise one without seeds: nothing is known about a statement then."""
    return grid if set(points) <= set(grid.columns) else grid.reindex(columns=list(points)).iloc[:0]


def _of_servers(fig6: pd.DataFrame, setup: str) -> dict[str, np.ndarray]:
    names = ("sjf-bco", "list-scheduling", "first-fit")
    sjf, ls, ff = (_at(values(fig6, name, "makespan", setup), 10, 15, 20) for name in names)
    to_ls, to_ff, fall = (sjf / ls).dropna(), (sjf / ff).dropna(), ((ff[10.0] - ff[20.0]) - (ls[10.0] - ls[20.0]))
    return {
        "LS falls with every step of servers": ((ls[10.0] > ls[15.0]) & (ls[15.0] > ls[20.0])).to_numpy(),
        "FF falls with every step of servers": ((ff[10.0] > ff[15.0]) & (ff[15.0] > ff[20.0])).to_numpy(),
        "FF falls more slots than LS": (fall.dropna() > 0).to_numpy(),
        "SJF-BCO's edge over FF larger on 10 servers than on 20": (to_ff[10.0] < to_ff[20.0]).to_numpy(),
        "SJF-BCO's edge over LS larger on 10 servers than on 20": (to_ls[10.0] < to_ls[20.0]).to_numpy(),
    }


def separation(fig4: pd.DataFrame, calibration: pd.DataFrame, setup: str) -> pd.DataFrame:
    """Mean makespan and average JCT (slots) of every reading that was run, to show what each choice changes."""
    rows = []
    for table in (fig4, calibration):
        part = table[(table["setup"] == setup) & table["metric"].isin(["makespan", "average"])]
        rows.append(part.groupby(["scheduler", "reading", "metric"])["value"].mean().unstack())
    return pd.concat(rows).sort_index()[["makespan", "average"]]


def communication_share(alone_s: float, together_s: float, sharers: int, alpha: float) -> float:
    """Share of the time without contention that communication must take for f(alpha, k) to explain a slow-down.

    together = alone (1 - share + share f), hence share = (together / alone - 1) / (f - 1).
    """
    f = sharers + alpha * (sharers - 1)
    return (together_s / alone_s - 1.0) / (f - 1.0)
