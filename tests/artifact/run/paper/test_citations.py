"""What must be cited for a figure: nothing is missing, nothing is listed by hand."""

import re

import pytest

from artifact.paper import citations
from rarlib.model.errors import InputError
from rarlib.traces.sources import read_sources


def test_every_figure_has_its_paper_and_the_artifact():
    for name, about in citations.figures().items():
        cited = citations.cited_for(name)
        assert "rarlib" in cited
        paper = about["category"].partition(" (")[0].lower()
        if about["category"] == "Measured on real machines":
            assert any(reason.startswith("data measured-") for reasons in cited.values() for reason in reasons), name
        else:
            assert paper in cited or about["category"] in ("Arena", "Trace replay"), name


def test_every_source_of_data_has_a_reference():
    known = citations.references()
    assert all(citations._papers_of(source, known) for source in read_sources())


def test_every_reference_is_a_complete_entry():
    text = citations.bibtex(citations.references())
    entries = re.findall(r"^@(\w+)\{([\w-]+),\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    assert [key for _, key, _ in entries] == list(citations.references())
    for kind, key, fields in entries:
        wanted = {"author", "title"} | ({"booktitle", "year"} if kind == "inproceedings" else set())
        assert wanted <= set(re.findall(r"^  (\w+) = \{.+\},$", fields, re.MULTILINE)), key
        assert text.count("{") == text.count("}")


def test_an_unknown_figure_is_answered_with_close_names():
    with pytest.raises(InputError, match="did you mean sjf-bco-fig4"):
        citations.cited_for("sjfbco-fig4")
