"""The page on fidelity is the one that follows from the accepted results."""

from rarlib.arena.fidelity import own_runs
from rarlib.evidence.measured.ledger import measured_ledger
from rarlib.model.project import ROOT
from tools.fidelity import PAGE, PICTURE, page, statements_here


def test_the_page_is_made_of_the_accepted_results() -> None:
    """A new verdict that the page does not tell would leave readers with the old one. Remedy: `tools.fidelity`"""
    assert PAGE.read_text(encoding="utf-8") == page(measured_ledger(ROOT, {}).goals, statements_here(), own_runs(ROOT))


def test_every_goal_and_every_judged_statement_is_told() -> None:
    """Nothing that does not hold may be left out."""
    text = PAGE.read_text(encoding="utf-8")
    for goal in measured_ledger(ROOT, {}).goals.to_dict("records"):
        (row,) = (line for line in text.splitlines() if line.startswith(f"| {goal['goal']}: "))
        assert f"| {goal['verdict']} |" in row
        assert ("**missed**" in row) == (goal["verdict"] == "does not hold")
    for name in statements_here().dropna(subset="level")["published"]:
        assert f"| {name}: " in text


def test_the_picture_shows_every_goal() -> None:
    """Its text is text; a goal that was added since would be missing."""
    shown = PICTURE.read_text(encoding="utf-8")
    for goal, quantity in measured_ledger(ROOT, {}).scores[["goal", "quantity"]].drop_duplicates().to_numpy():
        assert f">{goal}: {quantity}<" in shown
