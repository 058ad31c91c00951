"""The report: everything the ledger and the tables hold, nothing of this machine, the same bytes again."""

import re
from functools import partial
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
import yaml

from artifact.ledger import ledger
from artifact.report import page
from artifact.report.figures import check_figures, code_of
from artifact.report.notebook_pages import write_pages, write_tutorials
from artifact.report.page import page_content, render, write_report
from artifact.report.sources import sources_of
from artifact.report.summaries import MOST_ROWS, summarise
from artifact.report.tutorials import README, tutorials
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT, STUDY
from rarlib.plot import style
from rarlib.plot.style import LOOKS
from rarlib.records.tidy import TIDY_COLUMNS, write_table
from tests.artifact.run.report.sample import (
    COMMIT,
    FIGURES,
    INSTANCES,
    TUTORIALS,
    content,
    report,
    sample_results,
    spoilt,
)

VARIES = re.compile(r"<!-- varies: begin -->.*<!-- varies: end -->", re.DOTALL)
SJF_BCO = "sjf-bco-mobihoc-2022"
MOST_OF_A_PICTURE, MOST_OF_THE_FRONT = 60_000, 3_000_000
"""Bytes."""
VOID = {"meta", "link", "img", "input", "br", "hr"}


class Outline(HTMLParser):
    """Headings in order, ids, and whether every element that opens is closed."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.ids, self.links, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]
        self.links += [value for key, value in attrs if key in ("href", "src")]
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, self.getpos()


def test_the_commit_is_named(folder):
    assert f"made from {COMMIT}" in report(folder)["report.html"]


def test_same_results_give_the_same_bytes_but_for_costs(folder, tmp_path):
    """Jobs that took longer show in the section on costs of the front page and nowhere else."""
    one, other = report(folder), report(sample_results(tmp_path, seconds=77.0))
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == ["report.html"]
    assert VARIES.sub("", one["report.html"]) == VARIES.sub("", other["report.html"])
    assert len(VARIES.findall(one["report.html"])) == 1


def test_markup_is_sound(folder):
    """Headings without gaps, every id once, every element closed."""
    for text in report(folder).values():
        outline = Outline(text)
        assert outline.open == []
        assert len(set(outline.ids)) == len(outline.ids)
        assert outline.headings[0] == 1 and outline.headings.count(1) == 1
        assert all(after <= before + 1 for before, after in zip(outline.headings, outline.headings[1:], strict=False))


def test_every_link_leads_somewhere(folder):
    """To a file beside the page, or to an element of a page of the report."""
    write_pages(sorted((folder / "notebooks").glob("*.ipynb")))
    write_tutorials([folder / f"notebooks/learn/{name}.ipynb" for name in TUTORIALS])
    outlines = {(folder / name).resolve(): Outline(text) for name, text in report(folder).items()}
    lost = []
    for path, outline in outlines.items():
        for link in outline.links:
            if not link.startswith(("https:", "data:")):
                place, _, name = link.partition("#")
                file = (path.parent / place.partition("?")[0]).resolve() if place.partition("?")[0] else path
                if not file.is_file() or (name and name not in outlines[file].ids):
                    lost.append((path.name, link))
    assert lost == []
    assert {"../report.html", "../figures/sjf-bco-fig4.svg"} <= set(outlines[folder / f"report/{SJF_BCO}.html"].links)


def test_the_front_page_is_small(folder):
    """At most 3 MB with all figures; a thumbnail has what a card shows."""
    front = report(folder)["report.html"]
    pictures = re.findall(r'data:image/png;base64,([^"]+)"', front)
    assert len(pictures) == len(FIGURES)
    assert all(len(picture) < MOST_OF_A_PICTURE for picture in pictures)
    figures = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text())
    assert len(front) + (len(figures) - len(FIGURES)) * MOST_OF_A_PICTURE < MOST_OF_THE_FRONT
    assert "<script" not in front


def test_text_from_tables_does_not_become_markup(folder, tmp_path):
    rows = ledger.read_ledger(folder / "claims.csv")
    rows.loc[0, "statement"] = "<script>alert(1)</script>"
    text = report(spoilt(tmp_path, rows))[f"report/{SJF_BCO}.html"]
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text


def alarms(text):
    return re.findall(r'class="alarm"><b>(.+?)</b>', text)


def test_stand_ins_are_loud(folder, tmp_path):
    """The figure, the inputs and the top of the page say so; a figure without one does not."""
    assert 'marked <span class="badge loud">STAND-IN</span>' in report(folder)["report.html"]
    shown = {figure.name: figure for part in content(folder)["sections"] for figure in part.figures}
    assert shown["philly-jct"].data == "STAND-IN" and shown["sjf-bco-fig4"].data == "synthetic"
    write_report(sample_results(tmp_path), ["sjf-bco-fig4"], [], INSTANCES, COMMIT)
    assert '<span class="badge loud">' not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_each_alarm_is_about_one_thing(folder, tmp_path, monkeypatch):
    monkeypatch.setenv(STUDY, str(tmp_path))  # has no measured ledger
    placed = partial(Path, ROOT)
    monkeypatch.setattr(page, "placed_file", placed)

    def told(remarks, crashed, figures):
        monkeypatch.setattr(page, "recorded_remarks", lambda _: remarks)
        monkeypatch.setattr(page, "_left_out", lambda _: crashed)
        return alarms(render("report.html.j2", page_content(folder, figures, [], COMMIT)))

    assert told({}, {}, ["sjf-bco-fig4"]) == []
    assert told({}, {}, ["philly-jct"]) == ["DATA ABSENT."]
    assert told({}, {"sjf-bco-fig4": ["random"]}, ["sjf-bco-fig4"]) == ["LEFT OUT."]
    assert told({"sjf-bco-fig4": "A SMALL PART: seeds 3"}, {}, ["sjf-bco-fig4"]) == ["NOT THE HEADLINE."]
    monkeypatch.setattr(page, "project_content", lambda _: {"measured": {"accepted": True}, "slurm": None})
    assert told({}, {}, ["sjf-bco-fig4"]) == ["DATA ABSENT."]


def test_a_category_nobody_told_about_gets_its_section(folder, monkeypatch):
    original = page.yaml_file

    def renamed(file):
        read = original(file)
        if isinstance(read, dict) and "philly-jct" in read:
            read["philly-jct"]["category"] = "A paper of tomorrow"
        return read

    monkeypatch.setattr(page, "yaml_file", renamed)
    titles = [part.title for part in content(folder)["sections"] if part.figures]
    assert titles == ["SJF-BCO (MobiHoc 2022)", "A paper of tomorrow"]


def test_sections_told_about_are_categories_of_figures():
    told = yaml.safe_load((ROOT / "workflow/report/report.yaml").read_text())
    figures = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text())
    assert {entry["category"] for entry in told["sections"]} == {figure["category"] for figure in figures.values()}


@pytest.mark.parametrize(("key", "rule"), [("alt", "missing key"), ("note", "unknown key")])
def test_figure_entries_are_checked(key, rule, tmp_path):
    entry = dict.fromkeys(("title", "category", "tables", "caption", "alt"), "")
    entry.pop("alt") if key == "alt" else entry.update(note="")
    with pytest.raises(InputError, match=f"{rule}"):
        check_figures({"f": entry}, tmp_path)


def test_a_guest_has_its_label_and_colour_in_the_tables(tmp_path):
    style.introduce({"patient": "Patient SJF"})
    rows = [("e", "P", "", name, "jobs", "40", 0, "makespan", 1.0, "s") for name in ("sia", "patient")]
    write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), tmp_path / "t.csv")
    found = [(member.label, member.colour) for member in summarise(tmp_path / "t.csv").members]
    assert found == [("Sia", LOOKS["sia"].colour), ("Patient SJF", style.look("patient").colour)]
    assert found[0][1] != found[1][1]


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


def test_long_tables_are_cut_and_say_so(folder):
    table = content(folder)["tables"]["philly-jct"]
    assert len(table.rows) == MOST_ROWS and table.left_out == 200 - MOST_ROWS
    assert f"{table.left_out} more rows are in the file" in report(folder)["report/trace-replay.html"]


def test_sources_are_found_at_any_depth():
    """A trace has its digest; a set of profiles and workloads is told file by file."""
    trace = {"name": "philly", "sha256": "a" * 64, "standin": False, "read": 3, "kept": 2, "dropped": {"odd": 1}}
    inner = {"bert": {"digest": "sha256:" + "b" * 64, "standin": True}}
    found = sources_of([trace, {"name": "sia", "standin": True, "profiles": inner, "workloads": {"w": trace}}])
    assert [(source.name, source.digest, source.standin) for source in found] == [
        ("philly", "a" * 12, False),
        ("sia: bert", "b" * 12, True),
        ("sia: w", "a" * 12, False),
    ]
    assert [source.kind for source in found] == ["recorded data", "STAND-IN", "recorded data"]
    assert sources_of([{"name": "formula", "standin": False}])[0].kind == "computed"
    assert found[0].rows == "3 rows read, 2 kept, 1 dropped (odd)"


def test_code_behind_a_table_is_named():
    """The experiment by the table's name, schedulers by those among its members."""
    assert code_of("sjf-bco-fig4", ["sjf-bco", "bounds"]) == [
        "artifact/papers/sjf_bco/cells.py",
        "rarlib/schedulers/sjf_bco.py",
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


def test_the_report_links_to_them(folder, tmp_path):
    text = report(folder)["report.html"]
    assert re.findall(r'href="notebooks/learn/(.+?)\.html"', text) == TUTORIALS
    write_report(sample_results(tmp_path), list(FIGURES), [], INSTANCES, COMMIT)
    assert "notebooks/learn" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_every_notebook_that_explains_has_its_words():
    """All nine are told of, in their order; one that the README does not know is an error."""
    names = sorted(path.stem for path in README.parent.glob("*.ipynb"))
    found = tutorials(names)
    assert [tutorial.name for tutorial in found] == names
    assert all(tutorial.title and tutorial.text.endswith((".", "?")) and tutorial.alt for tutorial in found)
    with pytest.raises(InputError, match="does not describe 99-nobody"):
        tutorials(["99-nobody"])
