"""`rarlib cite`: BibTeX for a figure, the list of figures, one line for a wrong name."""

import pytest


def test_what_must_be_cited_is_printed_with_its_reason(run):
    code, told = run("cite", "sjf-bco-fig4")
    assert code == 0
    assert "@misc{rarlib," in told.out
    assert "% the paper; scheduler sjf-bco" in told.out
    assert "@inproceedings{sjf-bco," in told.out
    assert "10.1145/3492866.3549716" in told.out


def test_without_a_name_all_figures_are_listed(run):
    code, told = run("cite")
    assert code == 0
    assert "sia-table3" in told.out


@pytest.mark.parametrize(
    ("name", "hint"), [("sia-tabel3", "did you mean sia-table3"), ("&", "`rarlib cite` lists them")]
)
def test_an_unknown_figure_is_one_line_and_exit_code_2(name, hint, refused):
    assert hint in refused("cite", name)
