"""What figure notebooks stand on: which tables they get, what they refuse, what they say."""

import json

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from artifact.notebook import figure as module
from artifact.notebook.figure import open_figure
from artifact.notebook.tables import FigureTables
from artifact.run.settings import configuration, section_of, settings_of
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS, write_table

NAME = "sjf-bco-fig4"
HEADLINE = settings_of(section_of(configuration(), "sjf-bco"), "fig4")
ROW = ("sjf-bco-fig4", "batch", "fitted", "sjf-bco", "servers", "20", 0, "makespan", 300.0, "slot")


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A results folder with the headline's table of one row."""
    write_table(pd.DataFrame([ROW], columns=TIDY_COLUMNS), tmp_path / "tables/sjf-bco-fig4.csv")
    (tmp_path / "tables/sjf-bco-fig4.json").write_text(json.dumps({"standin": False}))
    (tmp_path / "provenance").mkdir()
    (tmp_path / "provenance/sjf-bco-fig4.json").write_text(json.dumps({"settings": HEADLINE}))
    monkeypatch.setenv("RARLIB_RESULTS", str(tmp_path))
    return tmp_path


@pytest.fixture
def simulated(monkeypatch):
    """Stands in for simulations: returns the configurations with which they would have run."""
    asked = []

    def simulate(names, config, results):
        asked.append(config)
        frame = pd.DataFrame([ROW], columns=TIDY_COLUMNS)
        return FigureTables({names[0]: frame}, {names[0]: settings_of(section_of(config, "sjf-bco"), "fig4")}, [], True)

    monkeypatch.setattr(module, "simulate_tables", simulate)
    return asked


def test_tables_of_the_pipeline_are_read_if_they_were_made_with_these_parameters(results, simulated):
    for given in ({"lambda_": None}, {"T": 1200}, {"readings": str(HEADLINE["readings"]).replace("'", "")}):
        run = open_figure(NAME, **given)
        assert (simulated, run.remarks, run.standin) == ([], [], False)
        assert run.frame["value"].tolist() == [300.0]


def test_of_a_notebook_s_names_those_count_that_are_parameters_and_differ(results, simulated):
    names = {"jobs": HEADLINE["jobs"], "T": 1200, "lambda_": None, "tea": 3, "__name__": "__main__"}
    assert open_figure(NAME, names).remarks == []
    assert simulated == []
    open_figure(NAME, names | {"jobs": 80})
    assert simulated[0]["experiments"]["sjf_bco"]["jobs"] == 80


def test_an_unknown_figure_is_told_the_nearest_one():
    with pytest.raises(InputError, match=r"did you mean 'sjf-bco-fig4'"):
        open_figure("sjf-bco-4")


def test_other_parameters_are_simulated_in_part_and_say_so(results, simulated, capsys):
    run = open_figure(NAME, lambda_=3, seeds=None)
    (config,) = simulated
    assert config["experiments"]["sjf_bco"]["lambda"] == 3
    assert config["experiments"]["sjf_bco"]["seeds"] < HEADLINE["seeds"]
    assert [line.split(":")[0] for line in run.remarks] == ["WHAT IF", "A SMALL PART"]
    assert run.settings["lambda_"] == 3
    assert "simulated here" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "field", "rule"),
    [
        ({"lambda_": 0}, "lambda_", "less than the minimum"),
        ({"seeds": "many"}, "seeds", "not of type 'integer'"),
        ({"readings": ["headline"]}, "readings", "headline"),
        ({"kappa_": 3}, "kappa_", "unknown parameter; known: "),
    ],
)
def test_a_bad_value_is_one_line_that_names_notebook_parameter_and_rule(results, simulated, given, field, rule):
    with pytest.raises(InputError) as raised:
        open_figure(NAME, **given)
    assert str(raised.value).startswith(f"notebooks/figures/{NAME}.ipynb, field {field}: ")
    assert rule in str(raised.value)
    assert raised.value._render_traceback_() == [f"error: {raised.value}"]
    assert simulated == []


def test_the_pipeline_gets_its_files_and_a_what_if_its_mark(results, monkeypatch, tmp_path):
    made = tmp_path / "provenance/sjf-bco-fig4.json"
    made.write_text(json.dumps({"settings": HEADLINE | {"lambda": 5}}))
    job = {"tables": [str(tmp_path / "tables/sjf-bco-fig4.csv")], "made": [str(made)], "standin": True}
    job |= {"published": "data/published.csv", "svg": str(tmp_path / "f.svg"), "png": str(tmp_path / "f.png")}
    job |= {"marks": str(tmp_path / "f.json")}
    monkeypatch.setenv(module.FIGURE_FILES, json.dumps(job))
    drawn = []

    def draw():
        figure, _ = plt.subplots(figsize=(9, 3))
        drawn.append(figure)
        return figure

    open_figure(NAME, lambda_=5).show(draw)
    text = drawn[0].get_suptitle()
    assert "WHAT IF: lambda 5 (headline not set)" in text
    assert "STAND-IN DATA" in text
    assert (tmp_path / "f.svg").stat().st_size > 0
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
