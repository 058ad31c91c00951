from pathlib import Path

from tools.limits import render


def test_committed_page_is_the_table() -> None:
    # A cap changed in the code would stay undocumented. Remedy: python -m tools.limits
    committed = Path(__file__).parents[2] / "docs" / "limits.md"
    assert committed.read_text(encoding="utf-8") == render()
