"""Comparison with an earlier prototype of SJF-BCO's evaluation.

Before this package, a throw-away prototype searched some thousands of readings and instances with another generator.
It ended with three set-ups of 40 instances each; their means are kept here. Where two independently written programs
agree on a reading, that is better evidence than one program alone.
"""

import pandas as pd

from rarlib.papers.sjf_bco.calibration import values

PROTOTYPE = {
    "P200": {
        ("sjf-bco", "headline"): (643, 184),
        ("list-scheduling", "headline"): (683, 192),
        ("list-scheduling", "rank-finish"): (640, 183),
        ("first-fit", "headline"): (648, 404),
        ("first-fit", "random-order"): (1084, 809),
        ("random", "headline"): (1195, 370),
    },
    "PNAT": {
        ("sjf-bco", "headline"): (494, 158),
        ("list-scheduling", "headline"): (530, 163),
        ("list-scheduling", "rank-finish"): (494, 158),
        ("first-fit", "headline"): (431, 288),
        ("first-fit", "random-order"): (547, 417),
        ("random", "headline"): (1186, 340),
    },
    "M15": {
        ("sjf-bco", "headline"): (598, 170),
        ("list-scheduling", "headline"): (641, 177),
        ("list-scheduling", "rank-finish"): (597, 169),
        ("first-fit", "headline"): (570, 353),
        ("first-fit", "random-order"): (913, 678),
        ("random", "headline"): (1209, 351),
    },
}
"""Makespan and average completion (slots) by set-up, scheduler and reading."""

PROTOTYPE_SHARES = {
    "SJF-BCO < RAND in makespan": (1.0, 1.0),
    "LS < RAND in makespan": (1.0, 1.0),
    "FF < RAND in makespan": (1.0, 1.0),
    "SJF-BCO < LS in makespan by more than 1 %": (0.97, 1.0),
    "SJF-BCO < LS ranked by finish, by more than 1 %": (0.0, 0.75),
    "SJF-BCO < FF in makespan": (0.0, 0.75),
    "SJF-BCO < FF in random order, in makespan": (0.57, 1.0),
    "LS < FF in makespan": (0.0, 0.68),
    "SJF-BCO < LS in average": (0.95, 1.0),
    "SJF-BCO < FF in average": (1.0, 1.0),
    "SJF-BCO < RAND in average": (1.0, 1.0),
    "RAND < FF in average": (0.0, 0.72),
    "makespan <= n_g x busiest GPU (Lemma 3)": (1.0, 1.0),
    "kappa = 8 better than kappa = 1": (0.8, 1.0),
    "lambda = 8 better than lambda = 1": (1.0, 1.0),
    "makespan falls with every step of lambda": (0.85, 1.0),
    "LS falls with every step of servers": (0.98, 1.0),
    "FF falls with every step of servers": (0.9, 1.0),
    "FF falls more slots than LS": (0.5, 1.0),
    "SJF-BCO's edge over FF larger on 10 servers than on 20": (0.9, 1.0),
    "SJF-BCO's edge over LS larger on 10 servers than on 20": (0.39, 0.72),
}
"""Least and largest share of the prototype's instances in which a statement held, over its ten set-ups."""


def against_prototype(fig4: pd.DataFrame) -> pd.DataFrame:
    """Our means of Fig. 4 beside the prototype's.

    Returns:
        Rows setup, scheduler, reading, metric, prototype, ours, ratio, agrees (within 10 %).
    """
    rows = []
    for setup, cells in PROTOTYPE.items():
        for (scheduler, reading), pair in cells.items():
            for metric, theirs in zip(("makespan", "average"), pair, strict=True):
                ours = float(values(fig4, scheduler, metric, setup, reading).mean().mean())
                rows.append((setup, scheduler, reading, metric, theirs, ours, ours / theirs))
    columns = ["setup", "scheduler", "reading", "metric", "prototype", "ours", "ratio"]
    frame = pd.DataFrame(rows, columns=columns).dropna(subset="ours")
    return frame.assign(agrees=(frame["ratio"] - 1.0).abs() <= 0.10)


def makespan_reductions(fig4: pd.DataFrame) -> pd.DataFrame:
    """Relative reduction of SJF-BCO's makespan against list scheduling, per set-up: ours and the prototype's."""
    rows = []
    for setup, cells in PROTOTYPE.items():
        own = float(values(fig4, "sjf-bco", "makespan", setup).mean().mean())
        for reading in ("headline", "rank-finish"):
            ours = 1.0 - own / float(values(fig4, "list-scheduling", "makespan", setup, reading).mean().mean())
            theirs = 1.0 - cells["sjf-bco", "headline"][0] / cells["list-scheduling", reading][0]
            rows.append((setup, reading, theirs, ours))
    frame = pd.DataFrame(rows, columns=["setup", "LS reading", "prototype", "ours"]).dropna(subset="ours")
    return frame.assign(agrees=(frame["ours"] - frame["prototype"]).abs() <= 0.02)


def shares_against_prototype(robust: pd.DataFrame, slack: float = 0.1) -> pd.DataFrame:
    """Our shares beside the prototype's range; one agrees when it lies within the range, give or take `slack`."""
    ours = robust.drop(columns="class").loc[list(PROTOTYPE_SHARES)]
    low, high = (pd.Series({k: v[i] for k, v in PROTOTYPE_SHARES.items()}) for i in (0, 1))
    agrees = ours.ge(low - slack, axis=0) & ours.le(high + slack, axis=0) | ours.isna()
    beside = pd.DataFrame({"prototype, least": low, "prototype, most": high, "agrees": agrees.all(axis=1)})
    return robust.join(beside)
