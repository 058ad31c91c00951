"""The measured ledger as lines of text."""

from textwrap import wrap
from typing import TYPE_CHECKING

from artifact.ledger.measured.goals import ALL_ROWS

if TYPE_CHECKING:
    from artifact.ledger.measured.ledger import MeasuredLedger


def goal_lines(ledger: "MeasuredLedger", name: str, columns: int) -> list[str]:
    """Title, verdict and reason of a goal, and a table of its predictors: error by group, all rows first."""
    verdict = ledger.goals[ledger.goals["goal"] == name].iloc[0]
    lines = [f"{name}  {verdict['title']}: {verdict['verdict']}"]
    for label in ("reached", "expected", "floor", "reason"):
        if verdict[label]:
            lines += wrap(f"  {label:9}{verdict[label]}", columns, subsequent_indent=" " * 11)
    mine = ledger.scores[ledger.scores["goal"] == name]
    groups = list(dict.fromkeys(mine["group"]))
    lines.append("  error (%)" + " " * 21 + "grade" + "".join(f"{group[:20]:>21}" for group in groups))
    for predictor in dict.fromkeys(mine["predictor"]):
        own = mine[mine["predictor"] == predictor].set_index("group")
        cells = [_cell(own, group) for group in groups]
        lead = f"  {predictor:30}{own.loc[ALL_ROWS]['grade']:>5}"
        lines.append(lead + "".join(f"{cell:>21}" for cell in cells))
    return lines


def _cell(own: "object", group: str) -> str:
    score = own.loc[group]  # type: ignore[attr-defined]
    if score["error"] != score["error"]:
        return "-"
    missed = f", {score['missed']} missed" if score["missed"] else ""
    return f"{100 * score['error']:.1f}{missed}"


def row_lines(ledger: "MeasuredLedger", name: str) -> list[str]:
    """Every row of a goal with the relative error of every predictor."""
    mine = ledger.rows[ledger.rows["goal"] == name] if len(ledger.rows) else ledger.rows
    return [
        f"  {row['row']:12}{row['group']:22}{row['predictor']:24}"
        + (f"{100 * row['error']:+8.1f} %" if row["error"] == row["error"] else "  no prediction")
        for row in mine.to_dict("records")
    ]
