from pathlib import Path

import pytest
from typer.testing import CliRunner

from rarlib.cli.sources import app
from rarlib.model.errors import InputError


@pytest.fixture(autouse=True)
def home(offline: Path) -> Path:
    return offline


def _run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    if result.exception is not None:
        raise result.exception
    return result.output


def test_list_says_where_each_source_is_found(home: Path) -> None:
    # A user must see before a run which traces will be made up.
    lines = {line.split()[0]: line.split()[1] for line in _run("list").splitlines() if line}
    assert lines["philly-pollux"] == "stand-in"
    assert lines["helios-earth"] == "remote"
    damaged = home / "raw" / "philly-pollux"
    damaged.mkdir(parents=True)
    (damaged / "philly.csv").write_text("short")
    assert "philly-pollux           damaged" in _run("list")


def test_check_names_every_damaged_file(home: Path) -> None:
    for folder, name in (("philly-pollux", "philly.csv"), ("aiturbo", "dataset.xlsx")):
        (home / "raw" / folder).mkdir(parents=True)
        (home / "raw" / folder / name).write_text("short")
    result = CliRunner().invoke(app, ["check"])
    assert [line.split()[1] for line in result.output.splitlines() if line.startswith("BAD")] == [
        "philly-pollux",
        "aiturbo",
    ]
    assert isinstance(result.exception, InputError)
    assert "2 file(s) have the wrong checksum" in str(result.exception)


def test_fetch_without_network_is_an_error_that_says_why() -> None:
    result = CliRunner().invoke(app, ["fetch", "aiturbo", "tiresias-60"])
    assert isinstance(result.exception, InputError)
    assert result.output.count("not at hand, and the network is switched off") == 2
