"""Command lines of the claims: each gives the value of its rows of Tables 3 and 4 to the digit."""

import json
import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
import yaml

from artifact.papers.sia.cells import chosen_files, run_cell
from artifact.papers.sia.inputs import profile_set, workload_source
from artifact.run.settings import settings_of

ROOT = Path(__file__).parents[4]
CLAIMS = yaml.safe_load((ROOT / "config/claims/sia.yaml").read_text())["claims"]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
SETTINGS = CONFIG["experiments"]["sia"]
COMMANDS = {
    claim["command"]: [each for each in CLAIMS if each.get("command") == claim["command"]]
    for claim in CLAIMS
    if "command" in claim
}


def name(command):
    """Scheduler, cluster and first trace."""
    return "-".join(re.findall(r"--(?:scheduler|cluster|trace) (\S+)", command)[:3])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The set of profiles and workloads that the pipeline makes."""
    made = profile_set("sia", CONFIG["profiles"]["sia"])
    path = tmp_path_factory.mktemp("sia") / "sia.json"
    path.write_text(json.dumps(made.data))
    return path


def test_rows_of_both_tables_have_a_command():
    """With the files that the scheduler runs in that table."""
    for claim in CLAIMS:
        if claim["where"] not in ("Table 3", "Table 4"):
            continue
        table, select = (claim["formula"][key] for key in ("table", "select"))
        files = chosen_files(table, select["scheduler"], select["setup"], SETTINGS)
        assert claim["command"].startswith(f"rarlib simulate --preset sia --scheduler {select['scheduler']} ")
        traces = re.findall(r"--trace (\S+)", claim["command"])
        assert traces == [workload_source(select["setup"], file) for file in files], claim["published"]


def compare(run, command, data, where, limit):
    """Run the command and the cell that its claims read, on the first jobs of each file."""
    claims = COMMANDS[command]
    part = {claim["formula"]["table"] for claim in claims}.pop()
    setup, scheduler = (claims[0]["formula"]["select"][key] for key in ("setup", "scheduler"))
    files = {family: numbers if family == setup else [] for family, numbers in SETTINGS["files"].items()}
    rows = run_cell(part, scheduler, {**settings_of(SETTINGS, part), "files": files, "jobs": limit}, data)
    rows = rows[(rows["setup"] == setup) & (rows["reading"] == "headline")]
    words = shlex.split(command)[1:]
    words[words.index("--out") + 1] = str(where)
    assert run(*words, "--quiet", *(["--limit", limit] if limit else []))[0] == 0
    made = pd.read_csv(where / "metrics.csv", dtype=str).set_index(["metric", "trace"])["value"]
    for claim in claims:
        metric = claim["formula"]["select"]["metric"]
        ours = rows[rows["metric"] == metric]["value"].mean()
        assert made[metric, "all" if metric.endswith("_pooled") else "mean"] == f"{ours:.10g}", claim["published"]


@pytest.mark.real
@pytest.mark.parametrize("command", [each for each in COMMANDS if "pollux" not in each], ids=name)
def test_commands_give_what_the_cells_give(command, data, tmp_path, recorded, run):
    """On the first jobs of every file, to ten digits; Pollux's searches take longer."""
    recorded("sia-philly-6")
    compare(run, command, data, tmp_path / "runs", limit=12)


@pytest.mark.real
@pytest.mark.release
@pytest.mark.parametrize("command", COMMANDS, ids=name)
def test_every_command_gives_its_row(command, data, tmp_path, recorded, run):
    recorded("sia-philly-6")
    compare(run, command, data, tmp_path / "runs", limit=None)
