"""A verdict for every goal: what the headline's predictor must reach, and what it reaches."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

from artifact.ledger.measured.goals import ALL_ROWS, EACH_GROUP, Expectation, Goal, GoalTest
from artifact.ledger.measured.scores import RIVALS
from artifact.ledger.verdicts import FAILS, REPRODUCED, own_words

NOT_SCORED = "not scored here"
REPORTED = "reported"
GOAL_COLUMNS = [
    "goal",
    "title",
    "predictor",
    "grade",
    "rows",
    "reached",
    "expected",
    "floor",
    "rival",
    "verdict",
    "reason",
]
_SAID = {"error": "error", "bias": "bias", "largest": "largest error"}
_MEASURED: Mapping[str, Callable[["pd.Series[float]"], float]] = {
    "error": lambda errors: float(errors.abs().mean()),
    "bias": lambda errors: float(abs(errors.mean())),
    "largest": lambda errors: float(errors.abs().max()),
}


def judged_goals(
    goals: Iterable[Goal], rows: pd.DataFrame, scored: pd.DataFrame, expected: Sequence[Expectation]
) -> pd.DataFrame:
    """A row for each goal, columns as in `GOAL_COLUMNS`; a goal without rows is `not scored here`."""
    found = []
    for goal in goals:
        stated = next((each for each in expected if (each.goal, each.predictor) == (goal.name, goal.headline)), None)
        entry = {"goal": goal.name, "title": goal.title, "predictor": goal.headline, "expected": _numbers(stated)}
        found.append(entry | (_judged(goal, rows, scored) if len(_headline(goal, rows)) else {"verdict": NOT_SCORED}))
    return pd.DataFrame(found, columns=GOAL_COLUMNS).fillna("")


def _headline(goal: Goal, rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["goal"] == goal.name) & (rows["predictor"] == goal.headline)]


def _judged(goal: Goal, rows: pd.DataFrame, scored: pd.DataFrame) -> dict[str, object]:
    mine = _headline(goal, rows)
    parts = [part for test in goal.tests for part in _parts(test, mine)]
    held = all(fine for fine, _ in parts)
    of_all = scored[(scored["goal"] == goal.name) & (scored["group"] == ALL_ROWS)].set_index("predictor")
    own = of_all.loc[goal.headline]
    reached = f"{own['error']:.1%} ({own['low']:.1%} to {own['high']:.1%}), bias {own['bias']:+.1%}"
    return {
        "grade": own["grade"],
        "rows": ", ".join([f"{own['rows']}", *([f"{own['missed']} missed"] if own["missed"] else [])]),
        "reached": reached,
        "floor": f"{own['floor']:.1%}" if own["floor"] == own["floor"] else "",
        "rival": _best_rivals(rows, scored, goal),
        "verdict": (own_words(REPRODUCED) if held else FAILS) if parts else REPORTED,
        "reason": "; ".join(text for _, text in parts) + ("" if held or not goal.needs else f". {goal.needs}"),
    }


def _best_rivals(rows: pd.DataFrame, scored: pd.DataFrame, goal: Goal) -> str:
    """The two best rivals on the rows that the headline's predictor predicts; none that was fitted to these rows."""
    others = scored[(scored["goal"] == goal.name) & (scored["kind"] == RIVALS) & (scored["grade"] != "C")]
    names = dict(others[["predictor", "label"]].to_numpy())
    mine = rows[rows["goal"] == goal.name]
    same = mine[mine["row"].isin(mine[(mine["predictor"] == goal.headline) & mine["error"].notna()]["row"])]
    errors = same[same["predictor"].isin(names)].groupby("predictor")["error"].agg(lambda each: each.abs().mean())
    best = errors.sort_values(kind="stable").head(2)
    return ", ".join(f"{names[name]} {error:.1%}" for name, error in best.items())


def _parts(test: GoalTest, mine: pd.DataFrame) -> list[tuple[bool, str]]:
    """Whether each part of a test holds, and in words."""
    groups = list(dict.fromkeys(mine["group"]))
    over = {ALL_ROWS: [tuple(groups)], EACH_GROUP: [(group,) for group in groups]}
    taken = over[test.over] if isinstance(test.over, str) else [tuple(test.over)]
    return [
        _part(test, mine[mine["group"].isin(each)], ALL_ROWS if len(each) == len(groups) else " and ".join(each))
        for each in taken
    ]


def _part(test: GoalTest, part: pd.DataFrame, where: str) -> tuple[bool, str]:
    errors = part["error"]
    value, missed = _MEASURED[test.measure](errors), int(errors.isna().sum())
    missing = f", {missed} rows without a prediction" if missed else ""
    text = f"{_SAID[test.measure]} {value:.1%} of {where} (at most {test.limit:.0%}{missing})"
    fine = value <= test.limit and not missed
    return fine, text if fine else f"MISSED: {text}"


def _numbers(stated: Expectation | None) -> str:
    if stated is None:
        return ""
    numbers = ", ".join(f"{group} {value:g}%" for group, value in stated.expected.items())
    return numbers if stated.measure.startswith("mean") else f"{stated.measure}: {numbers}"
