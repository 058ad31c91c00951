"""The budgets of the house."""

from tools.budgets import main


def test_the_house_keeps_its_budgets(capsys) -> None:
    """Remedy: delete what no reader would miss."""
    assert main() == 0, capsys.readouterr().out
