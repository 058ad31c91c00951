"""The ledger of the full grid is of known claims, whole papers and known code, and the page says what it holds."""

import re

import pandas as pd
import pytest

from rarlib.evidence.ledger import CLAIM_COLUMNS, read_ledger
from rarlib.evidence.published import read_listed
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.workflow.settings import configuration, settings_of
from tools import full_grid

FULL = read_ledger(full_grid.CLAIMS)
SITTINGS = full_grid.read_sittings()
LISTED = read_listed(full_grid.ROOT / "data")


def test_the_page_says_what_the_files_hold():
    """Remedy: python -m tools.full_grid"""
    default = read_ledger(full_grid.EXPECTED / "claims.csv")
    assert full_grid.SECTION.stated() == full_grid.render(FULL, SITTINGS, default).strip()


def test_papers_are_whole_and_in_order():
    """Every listed claim of a paper that was run, once, and no other."""
    papers = set(FULL["paper"])
    assert FULL["published"].tolist() == LISTED["id"][LISTED["paper"].isin(papers)].tolist()


def test_claims_are_of_this_configuration():
    """More seeds than by default in some claim of each paper that has seeds, and fewer in none."""
    both = full_grid.changes(FULL, read_ledger(full_grid.EXPECTED / "claims.csv"))
    more, fewer = (pd.to_numeric(both["seeds"]).sub(pd.to_numeric(both["seeds_default"])).mul(sign) for sign in (1, -1))
    assert (fewer <= 0).all()
    assert set(both["paper"][more > 0]) >= set(FULL["paper"]) & {"sjf-bco", "gadget", "aiturbo", "sia"}


def test_every_paper_was_run_by_a_noted_sitting():
    known = full_grid.tables_of(configuration("full"))
    assert set(SITTINGS["experiment"]) <= set(known)
    assert not SITTINGS["experiment"].duplicated().any()
    for paper in FULL["paper"].unique():
        own = [name for name, tables in known.items() if any(table.startswith(f"{paper}-") for table in tables)]
        assert set(own) <= set(SITTINGS["experiment"]), paper
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for commit in SITTINGS["commit"])
    assert (pd.to_numeric(SITTINGS["core_s"]) > 0).all()
    assert (pd.to_numeric(SITTINGS["probe_s"]) > 0).all()


def ledger(**verdicts):
    """A ledger with the given verdicts; a claim's paper is its name's first letter."""
    rows = [
        {"published": name, "paper": name[0], "verdict": verdict, "robustness": f"of {verdict}"}
        for name, verdict in verdicts.items()
    ]
    return pd.DataFrame(rows).reindex(columns=CLAIM_COLUMNS, fill_value="")


def test_a_sitting_replaces_whole_papers_and_keeps_the_others():
    before = ledger(b1="old", b2="old", c1="old")
    found = ledger(a1="new", b1="new", b2="new", c1="not run")
    taken = full_grid.merged(before, found, ["a", "b"], arena=False)
    assert taken["published"].tolist() == ["a1", "b1", "b2", "c1"]
    assert taken["verdict"].tolist() == ["new", "new", "new", "old"]
    assert taken["robustness"].iloc[3] == "of old"


def test_the_arena_says_how_robust_the_claims_of_others_are():
    taken = full_grid.merged(ledger(c1="old"), ledger(a1="new", c1="not run"), ["a"], arena=True)
    assert taken["verdict"].tolist() == ["new", "old"]
    assert taken["robustness"].tolist() == ["of new", "of not run"]


def made(folder, config, tables, **changed):
    """A results folder in which tables of experiment `x` were made."""
    for table in tables:
        settings = settings_of(config["experiments"]["x"], table) | changed
        write_text(folder / "tables" / f"x-{table}.csv", "")
        record = pd.Series({"settings": settings}).to_json()
        write_text(folder / "provenance" / f"x-{table}.json", record)


def test_a_paper_counts_once_all_its_tables_are_there(tmp_path):
    config = {"experiments": {"x": {"seeds": 3, "cells": {"one": ["m"], "two": ["m"]}}}}
    made(tmp_path, config, ["one"])
    assert full_grid.whole_papers(tmp_path, ["x", "y"], config) == []
    made(tmp_path, config, ["two"])
    assert full_grid.whole_papers(tmp_path, ["x", "y"], config) == ["x"]
    assert full_grid.whole_experiments(tmp_path, config) == ["x"]


def test_tables_of_another_configuration_are_refused(tmp_path):
    config = {"experiments": {"x": {"seeds": 3, "cells": {"one": ["m"]}}}}
    made(tmp_path, config, ["one"], seeds=2)
    with pytest.raises(InputError, match="not of config/full"):
        full_grid.whole_papers(tmp_path, ["x"], config)
