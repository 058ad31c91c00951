"""The chosen reading replaces the one before it, and nothing else in the file."""

from tools.readings import MADE, write_chosen


def test_only_what_the_program_made_is_replaced(tmp_path):
    path = tmp_path / "paper.yaml"
    path.write_text("paper: x\n# Made by hand.\nunknowns: {a: 1}\n")
    for value in (1, 2):
        write_chosen(path, {"a": value})
        assert path.read_text() == f"paper: x\n# Made by hand.\nunknowns: {{a: 1}}\n{MADE}\nchosen:\n  a: {value}\n"
