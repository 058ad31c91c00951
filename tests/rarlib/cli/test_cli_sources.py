import pytest


@pytest.fixture(autouse=True)
def home(offline):
    return offline


def test_list_says_where_each_source_is_found(home, run):
    # A user must see before a run which traces will be made up.
    lines = {line.split()[0]: line.split()[1] for line in run("sources", "list")[1].out.splitlines() if line}
    assert lines["philly-pollux"] == "stand-in"
    assert lines["helios-earth"] == "remote"
    damaged = home / "raw" / "philly-pollux"
    damaged.mkdir(parents=True)
    (damaged / "philly.csv").write_text("short")
    assert "philly-pollux           damaged" in run("sources", "list")[1].out


def test_check_names_every_damaged_file(home, run):
    for folder, name in (("philly-pollux", "philly.csv"), ("aiturbo", "dataset.xlsx")):
        (home / "raw" / folder).mkdir(parents=True)
        (home / "raw" / folder / name).write_text("short")
    code, told = run("sources", "check")
    assert [line.split()[1] for line in told.out.splitlines() if line.startswith("BAD")] == [
        "philly-pollux",
        "aiturbo",
    ]
    assert code == 2 and "2 file(s) have the wrong checksum" in told.err


def test_fetch_without_network_is_an_error_that_says_why(run):
    code, told = run("sources", "fetch", "aiturbo", "tiresias-60")
    assert code == 2
    assert told.out.count("not at hand, and the network is switched off") == 2
