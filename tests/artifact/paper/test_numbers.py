"""The numbers of a paper in a paper: LaTeX takes them, and an unknown one is an error."""

import json
import shutil
import subprocess

import pandas as pd
import pytest

from artifact.ledger.ledger import CLAIM_COLUMNS, write_ledger
from artifact.paper.folder import write_paper
from artifact.run.settings import configuration, section_of, settings_of
from rarlib.records.tidy import tidy, write_table

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(
        not (shutil.which("pdflatex")),
        reason="no TeX here: apt-get install texlive-latex-recommended texlive-pictures texlive-latex-extra lmodern",
    ),
]
FIGURE = "sjf-bco-fig4"


@pytest.fixture
def folder(tmp_path):
    """The folder `paper` of results with one figure, one table and two claims."""
    rows = [
        ("U15", "headline", "servers", "20", seed, m, 300.0 + seed, "slot") for seed in range(5) for m in ("a_b", "c")
    ]
    write_table(tidy(rows, "sjf-bco-fig4", "sjf-bco"), tmp_path / f"tables/{FIGURE}.csv")
    settings = settings_of(section_of(configuration(), "sjf-bco"), "fig4")
    (tmp_path / f"tables/{FIGURE}.json").write_text(json.dumps({"traces": [], "standin": True}))
    (tmp_path / "provenance").mkdir()
    (tmp_path / f"provenance/{FIGURE}.json").write_text(json.dumps({"settings": settings}))
    claims = [
        {"published": "toy-1", "value": "535", "unit": "slot", "ours": 331.6, "spread": 54.1, "seeds": 30}
        | {"verdict": "direction only", "standin": False},
        {"published": "toy-2", "value": "true", "seeds": 0, "verdict": "not yet run", "standin": False},
    ]
    write_ledger(pd.DataFrame(claims, columns=CLAIM_COLUMNS), tmp_path / "claims.csv")
    write_paper(tmp_path, [FIGURE], tmp_path / "paper")
    return tmp_path / "paper"


def run(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


def latex(folder, name):
    done = run(folder, "pdflatex", "-interaction=nonstopmode", name)
    return done.returncode, done.stdout


def test_numbers_come_with_interval_published_value_and_verdict(folder):
    text = r"\rarlib{toy-1}|\rarlibvalue{toy-1}|\rarlibinterval{toy-1}|\rarlibunit{toy-1}|\rarlibpublished{toy-1}"
    (folder / "one.tex").write_text(
        rf"\documentclass{{article}}\input{{numbers}}\begin{{document}}\typeout{{HERE {text}}}{text} "
        rf"\rarlibverdict{{toy-1}} \rarlib{{toy-2}}\end{{document}}"
    )
    code, told = latex(folder, "one")
    assert code == 0, told[-2000:]
    assert "`toy-2' has no value of ours" in told
    plain = (folder / "numbers.tex").read_text()
    assert r"\rarlib@number{toy-1}{\ensuremath{332}}{\ensuremath{[311, 352]}}{slot}{30}{}" in plain


def test_an_unknown_number_is_an_error(folder):
    (folder / "one.tex").write_text(
        r"\documentclass{article}\input{numbers}\begin{document}\rarlib{toy-3} \rarlibload{sjf-bco-fig4}"
        r"\rarlib{sjf-bco-fig4/U15/headline/sjf-bco/20/a_b}\rarlibverdict{toy-9}\end{document}"
    )
    code, told = latex(folder, "one")
    assert code != 0
    assert "No value of `toy-3'" in told
    assert "No verdict of `toy-9'" in told
    assert told.count("Package rarlib Error") == 2
