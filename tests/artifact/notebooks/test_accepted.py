"""The accepted tables, on which notebooks open without a run: complete, recorded, and those behind the ledger."""

import re
import subprocess
import sys
import zipfile
from shutil import copy, copytree, ignore_patterns

import pandas as pd
import pytest
import yaml

from artifact.archive.contents import claims_as_json
from artifact.ledger import ledger
from artifact.ledger.result import result
from artifact.notebook import figure
from artifact.notebook.figure import open_figure
from artifact.notebook.tables import ACCEPTED, accepted_tables
from artifact.run.settings import recorded_remarks
from rarlib.model.project import ROOT
from tests.project_copy import Project

LISTED = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text(encoding="utf-8"))
LEDGER = ROOT / "results/expected/claims.csv"
FIGURES = [
    name for name, about in LISTED.items() if not any(table.startswith("measured-") for table in about["tables"])
]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_opens_on_recorded_results(name, tmp_path, monkeypatch):
    """With the settings of the headline; nothing is simulated."""
    monkeypatch.setenv("RARLIB_RESULTS", str(tmp_path))
    monkeypatch.delattr(figure, "simulate_tables")
    run = open_figure(name)
    assert (run.standin, run.remarks) == (False, [])
    assert run.source.startswith("accepted results")


@pytest.mark.parametrize("name", ["sjf-bco-fig4", "gadget-fig6", "sia-rates", "sia-fairness"])
def test_a_title_counts_the_verdicts_of_the_ledger(name):
    """Of the claims with no evidence but the table of the figure; sia-fairness has none, since Table 3 has its own."""
    drawn = {figure: about["tables"] for figure, about in LISTED.items()}
    said = result(name, drawn, accepted_tables(drawn[name]).frames)
    rows = pd.read_csv(LEDGER, keep_default_na=False).query("same_as == '' and role in ('tested', 'fitted')")
    rows = rows[rows["evidence"] == f"tables/{name}.csv"]
    met = rows["verdict"].isin(["reproduced", "fits"]).groupby(rows["role"]).agg(["sum", "count"])
    found = [list(map(int, pair)) for pair in re.findall(r"(\d+) of (\d+)", said)]
    assert sorted(found) == sorted(met.to_numpy().tolist())


def test_what_others_measured_is_not_among_them():
    with zipfile.ZipFile(ACCEPTED) as packed:
        assert not [name for name in packed.namelist() if "/measured-" in name]
    assert accepted_tables(["measured-step"]) is None


def test_the_report_is_drawn_from_them_without_a_run(tmp_path):
    """As `make report` asks: no cell and no table is made, and every figure that has rows is drawn."""
    with zipfile.ZipFile(ACCEPTED) as packed:
        packed.extractall(tmp_path)
    asked = (ROOT / "Makefile").read_text(encoding="utf-8").partition("--configfile config/accepted.yaml ")[2]
    rules = asked.partition(" $(ARGS)")[0].split()
    overlay = ["--configfile", "config/accepted.yaml", "--config", f"results={tmp_path}/accepted"]
    done = Project(ROOT).run("-m", "snakemake", "-n", *overlay, *rules)
    assert done.returncode == 0, done.stdout[-3000:]
    planned = dict(re.findall(r"^(\w+) +(\d+)$", done.stdout, re.MULTILINE))
    assert planned.keys() == {"all", "figure", "claims", "manifest", "report", "pages", "total"}
    assert int(planned["figure"]) == len(FIGURES)


def test_the_accepted_ledger_follows_from_them(tmp_path):
    """Every claim, judged again from the packed rows."""
    with zipfile.ZipFile(ACCEPTED) as packed:
        packed.extractall(tmp_path)
    results = tmp_path / "accepted"
    made = ledger.build(ROOT / "data", ROOT / "config/claims", results / "tables", recorded_remarks(results))
    ledger.write_ledger(made, tmp_path / "claims.csv")
    found, accepted = (ledger.read_ledger(path) for path in (tmp_path / "claims.csv", LEDGER))
    pd.testing.assert_frame_equal(found, accepted)
    # So says the verifier of a deposit, which shares no code.
    results.rename(tmp_path / "results")
    copy(LEDGER, tmp_path / "results")
    copytree(ROOT / "data", tmp_path / "source/data", ignore=ignore_patterns("raw"))
    (tmp_path / "claims.json").write_bytes(claims_as_json(ROOT / "data", ROOT / "config/claims"))
    told = "from verify import *; d = Deposit(sys.argv[1]); compare_ledger(d); print(d.done['claims'], d.wrong)"
    said = subprocess.check_output([sys.executable, "-c", told, tmp_path], cwd=ROOT / "workflow/archive", text=True)
    assert said == f"{len(accepted)} []\n"
