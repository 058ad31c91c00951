"""The answer to a published number: readings, proofs, numbers printed twice; on tables small enough to check by eye."""

import json

import pandas as pd
import pytest

from rarlib.evidence import ledger
from rarlib.evidence.answers import IMPOSSIBLE, IN_READING, OPEN
from rarlib.evidence.claims import read_claims
from rarlib.evidence.why import chain
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS, sha256, write_table

PUBLISHED = "id,paper,where,series,x,value,unit,trust\n" + "".join(
    f"p-{i},p,Fig. 1,S,x={i},{value},slot,figure\n" for i, value in enumerate([100, 100, 100, 100, "true", 100, 100])
)
CLAIMS = """
paper: p
defaults: {tolerance: {relative: 0.1}, select: {reading: headline}}
readings:
  low: {says: takes less, reason: the paper leaves it open, found: before, select: {reading: low}}
  near:
    {says: takes more, reason: the paper leaves it open, found: after, select: {reading: near}, tables: {t: other}}
claims:
  - {published: p-0, formula: {kind: value, table: t, select: {scheduler: a}}}
  - {published: p-1, formula: {kind: value, table: t, select: {scheduler: a}}, readings: [low]}
  - {published: p-2, same_as: p-0}
  - published: p-3
    formula: {kind: value, table: t, select: {scheduler: b}}
    impossible:
      {why: above the ceiling, formula: {kind: check, table: t, select: {scheduler: ceiling}}, test: x.py::test_y}
  - {published: p-4, formula: {kind: order, table: t, along: scheduler, ascending: [a, b], at_least: 0.9}}
  - {published: p-5, formula: {kind: value, table: t, select: {scheduler: c}}, trivial: any scheduler meets it}
  - {published: p-6, specified: false, reason: no unit, formula: {kind: value, table: t, select: {scheduler: a}}}
"""
VALUES = {
    ("t", "headline"): {"a": 150, "b": 140, "c": 100, "ceiling": 1},
    ("t", "low"): {"a": 60},
    ("other", "near"): {"a": 95, "b": 130},
}


@pytest.fixture
def folder(tmp_path):
    for name in ("t", "other"):
        rows = [
            ("e", "", reading, who, "", "", seed, "jct", value, "slot")
            for (table, reading), found in VALUES.items()
            for who, value in found.items()
            for seed in range(3)
            if table == name
        ]
        write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), tmp_path / f"tables/p-{name}.csv")
        (tmp_path / f"tables/p-{name}.json").write_text(json.dumps({"standin": name == "other"}))
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims/p.yaml").write_text(CLAIMS)
    (tmp_path / "published.csv").write_text(PUBLISHED)
    return tmp_path


def built(folder):
    return ledger.build(folder, folder / "claims", folder / "tables").set_index("published")


def test_the_best_reading_is_the_one_with_the_best_verdict(folder):
    """150 misses 100; `low` gives 60 and misses too; `near`, whose rows lie in another table, gives 95."""
    row = built(folder).loc["p-0"]
    assert row["verdict"] == "not reproduced"
    assert row[["best_reading", "ours_in_it", "verdict_in_it", "readings"]].tolist() == ["near", 95, "reproduced", 2]
    assert row["reproduced_in"] == "near"
    assert row["answer"] == IN_READING


def test_only_the_readings_that_apply_are_tried(folder):
    row = built(folder).loc["p-1"]
    assert row[["best_reading", "ours_in_it", "readings", "answer"]].tolist() == ["low", 60, 1, OPEN]


def test_what_a_reading_does_not_affect_is_taken_from_the_headline(folder):
    """b was not run in `low`: a = 60 there is compared with the headline's b = 140, and the order holds."""
    row = built(folder).loc["p-4"]
    assert row["verdict"] == "not reproduced"  # 150 > 140
    assert row[["best_reading", "verdict_in_it", "answer"]].tolist() == ["low", "reproduced", IN_READING]


def test_a_reading_without_rows_of_its_own_is_not_tried(folder):
    """Otherwise the headline's value would count as that of a reading."""
    row = built(folder).loc["p-5"]
    assert row[["best_reading", "readings"]].tolist() == ["", 0]


def test_a_number_printed_twice_has_one_verdict_and_counts_once(folder):
    rows = built(folder)
    for column in ("ours", "verdict", "answer", "best_reading"):
        assert rows.loc["p-2", column] == rows.loc["p-0", column]
    assert rows.loc["p-2", "same_as"] == "p-0"
    assert ledger.counts(rows.reset_index()).loc["all"].sum() == len(rows) - 1


def test_a_proof_counts_only_while_it_holds_in_the_tables(folder):
    assert built(folder).loc["p-3", "answer"] == IMPOSSIBLE
    text = (folder / "tables/p-t.csv").read_text().replace("ceiling,,,0,jct,1,", "ceiling,,,0,jct,0,")
    (folder / "tables/p-t.csv").write_text(text)
    assert built(folder).loc["p-3", "answer"] == OPEN


def test_what_any_scheduler_meets_is_not_counted_as_reproduced(folder):
    row = built(folder).loc["p-5"]
    assert row["verdict"] == row["answer"] == "met trivially"
    assert row["reason"].endswith("any scheduler meets it")


def test_a_reading_supplies_what_the_paper_does_not_specify(folder):
    row = built(folder).loc["p-6"]
    assert row[["verdict", "verdict_in_it", "answer"]].tolist() == [
        "not reproducible as specified",
        "reproduced",
        IN_READING,
    ]


def test_stand_ins_of_a_readings_tables_count(folder):
    assert built(folder)["standin"].loc[["p-0", "p-1", "p-5"]].tolist() == [True, False, False]


def test_declared_readings_are_listed_with_what_they_reproduce(folder):
    found = ledger.declared_readings(folder / "claims", built(folder).reset_index())
    assert found[["reading", "found", "claims", "reproduced"]].to_numpy().tolist() == [
        ["low", "before", 2, 1],
        ["near", "after", 3, 3],
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("found: before", "found: yesterday", "readings.low.found: must be before or after"),
        ("says: takes less, ", "", "needs a sentence under 'says'"),
        (", select: {reading: low}}", "}", "it would equal the headline"),
        ("readings: [low]", "readings: [lower]", "no reading is called 'lower'"),
        ("same_as: p-0", "same_as: p-9", "'p-9' is no claim"),
        ("why: above the ceiling, ", "", "p-3.impossible: needs exactly formula, test, why"),
    ],
)
def test_bad_readings_and_proofs_name_the_culprit(folder, old, new, complaint):
    """A typo must not turn into a silent answer."""
    (folder / "claims/p.yaml").write_text(CLAIMS.replace(old, new, 1))
    with pytest.raises(InputError, match=complaint):
        read_claims(folder / "claims", {f"p-{i}" for i in range(7)})


def test_the_chain_names_every_link(folder):
    """From the published number to the digest of the code, with the very rows that the verdict rests on."""
    ledger.write_ledger(built(folder).reset_index(), folder / "claims.csv")
    (folder / "cells/e/t").mkdir(parents=True)
    (folder / "cells/e/t/a.csv").write_text("cell\n")
    (folder / "provenance").mkdir()
    made = {"module": "rarlib.papers.p", "settings": {"seeds": 3}, "code": {"e/t/a.csv": "c0de"}}
    (folder / "provenance/p-t.json").write_text(json.dumps(made))
    text = "\n".join(chain(folder, folder, folder / "claims", "p-0"))
    for link in (
        "published   100 slot",
        "verdict     not reproduced: +50.0% of the published value",
        "answer      reproduced in a stated reading (readings tried: 2)",
        "rows      reading = headline, scheduler = a\n            3 rows: 150 150 150",
        "reading     near (declared after looking): takes more",
        "rows      reading = near, scheduler = a\n            3 rows: 95 95 95",
        f"cells/e/t/a.csv, sha256 {sha256(folder / 'cells/e/t/a.csv')[:16]}, code c0de",
        "settings  seeds = 3",
    ):
        assert link in text
    with pytest.raises(InputError, match="ids are like p-0"):
        chain(folder, folder, folder / "claims", "p-99")


def test_a_missing_folder_is_not_a_folder_without_claims(tmp_path):
    """Else every number would lack its tolerance, and nobody would say why."""
    with pytest.raises(InputError, match="no such folder"):
        read_claims(tmp_path / "nowhere", set())
