"""The report: everything the ledger and the tables hold, nothing of this machine, the same bytes again."""

import re
from html.parser import HTMLParser

import pandas as pd
import pytest
import yaml
from nbformat import read as read_notebook

from artifact.ledger import ledger
from artifact.report.formulas import draw_formulas
from artifact.report.notebook_pages import write_pages, write_tutorials
from artifact.report.page import write_report
from artifact.report.summaries import summarise
from artifact.report.tutorials import README, tutorials
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from rarlib.plot.style import LOOKS
from rarlib.records.tidy import TIDY_COLUMNS, write_table
from tests.artifact.run.report.sample import COMMIT, INSTANCES, TUTORIALS, content_of, report_of, sample_results

VARIES = re.compile(r"<!-- varies: begin -->.*<!-- varies: end -->", re.DOTALL)
VOID = {"meta", "link", "img", "input", "br", "hr"}


class Outline(HTMLParser):
    """Headings in order, ids, and whether every element that opens is closed."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.ids, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, self.getpos()


def test_same_results_give_the_same_bytes_but_for_costs(folder, tmp_path):
    """Jobs that took longer show in the section on costs and nowhere else."""
    one, other = report_of(folder), report_of(sample_results(tmp_path, seconds=77.0))
    assert one != other
    assert VARIES.sub("", one) == VARIES.sub("", other)
    assert len(VARIES.findall(one)) == 1


def test_markup_is_sound(folder):
    """Headings without gaps, every id once, every element closed."""
    outline = Outline(report_of(folder))
    assert outline.open == []
    assert len(set(outline.ids)) == len(outline.ids)
    assert outline.headings[0] == 1 and outline.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(outline.headings, outline.headings[1:], strict=False))


def test_text_from_tables_does_not_become_markup(folder, tmp_path):
    rows = ledger.read_ledger(folder / "claims.csv")
    rows.loc[0, "statement"] = "<script>alert(1)</script>"
    spoilt = sample_results(tmp_path)
    write_text(spoilt / "claims.csv", rows.to_csv(index=False, lineterminator="\n"))
    text = report_of(spoilt)
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text


def test_stand_ins_are_loud(folder, tmp_path):
    """The figure, the inputs and the top of the page say so; a figure without one does not."""
    text = report_of(folder)
    assert "STAND-IN DATA." in text
    shown = {figure.name: figure for part in content_of(folder)["sections"] for figure in part.figures}
    assert shown["philly-jct"].data == "STAND-IN" and shown["sjf-bco-fig4"].data == "synthetic"
    write_report(folder, ["sjf-bco-fig4"], [], INSTANCES, COMMIT, tmp_path / "synthetic.html")
    assert "STAND-IN DATA." not in (tmp_path / "synthetic.html").read_text(encoding="utf-8")


def test_summary_is_mean_and_deviation_by_case(tmp_path):
    """Worked out by hand: 1, 2, 3 are 2 ± 1; one of two without a schedule leaves the other; setup is told once."""
    rows = [("e", "P", "", "sia", "jobs", "40", seed, "makespan", value, "s") for seed, value in enumerate([1, 2, 3])]
    rows += [("e", "P", "", "own", "jobs", "40", seed, "makespan", value, "s") for seed, value in enumerate([5, None])]
    rows += [("e", "P", "", "own", "jobs", "80", 0, "makespan", None, "s")]
    write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), tmp_path / "t.csv")
    table = summarise(tmp_path / "t.csv")
    assert table.common == ["set-up P"]
    assert table.heads == ["at", "quantity"]
    assert [(member.label, member.colour) for member in table.members] == [("Sia", LOOKS["sia"].colour), ("own", "")]
    assert table.rows == [
        (["jobs = 40", "makespan (s)"], ["2 ± 1", "5 (1 of 2)"]),
        (["jobs = 80", "makespan (s)"], ["", "none feasible"]),
    ]


def test_notebook_pages_take_the_alt_text_and_nothing_from_elsewhere(folder):
    notebooks = sorted((folder / "notebooks").glob("*.ipynb"))
    write_pages(notebooks)
    listed = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text())
    for path in notebooks:
        text = path.with_suffix(".html").read_text(encoding="utf-8")
        assert listed[path.stem]["alt"].replace("'", "&#x27;") in text
        assert str(ROOT) not in text
        assert not re.findall(r"""(?:src|href)=["']https?://|@import|url\(http""", text)


def test_pages_that_explain_link_to_each_other_and_to_nothing_that_is_not_there(folder):
    """Pictures are told by their headings; other files of the project are named, not linked."""
    write_tutorials([folder / f"notebooks/learn/{name}.ipynb" for name in TUTORIALS])
    one, other = ((folder / f"notebooks/learn/{name}.html").read_text(encoding="utf-8") for name in TUTORIALS)
    assert f'<a href="{TUTORIALS[1]}.html">Two jobs, one link</a>' in one
    assert 'alt="Picture of the section A picture"' in one and "No description" not in one
    assert "how it is done (<code>docs/there.md</code>)" in one
    assert "<code>no-such-notebook.ipynb</code>" in other
    assert 'href="../../report.html#learn"' in one
    assert str(ROOT) not in one


def test_every_notebook_that_explains_has_its_words():
    """All nine are told of, in their order; one that the README does not know is an error."""
    names = sorted(path.stem for path in README.parent.glob("*.ipynb"))
    found = tutorials(names)
    assert [tutorial.name for tutorial in found] == names
    assert all(tutorial.title and tutorial.text.endswith((".", "?")) and tutorial.alt for tutorial in found)
    with pytest.raises(InputError, match="does not describe 99-nobody"):
        tutorials(["99-nobody"])


def test_formulas_are_pictures_that_say_what_they_are():
    """In running text and on lines of their own; not in code, and never lost; the same each time."""
    page = "<p>If $k &lt; 2$ then</p><p>$$\\underbrace{a}_{\\text{cost}}$$</p>"
    page += "<pre>echo $HOME $PATH</pre><p>$\\nowhere$</p>"
    shown = draw_formulas(page)
    assert re.findall('<img [^>]*alt="(.*?)"', shown) == ["k &lt; 2", "\\underbrace{a}_{\\text{cost}}"]
    assert "<pre>echo $HOME $PATH</pre>" in shown and "<code>\\nowhere</code>" in shown
    assert shown == draw_formulas(page)


@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*/*.ipynb")), ids=lambda path: path.stem)
def test_all_formulas_of_the_notebooks_can_be_drawn(notebook):
    for cell in read_notebook(notebook, as_version=4).cells:
        if cell.cell_type == "markdown":
            text = re.sub("`.*?`", "", cell.source)
            assert "<code>" not in draw_formulas(text) and "$" not in draw_formulas(text)
