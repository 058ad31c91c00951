"""Other surroundings: a case for real, and what the accepted summary claims."""

from pathlib import Path

import pandas as pd
import pytest

from tools import cases as recorded
from tools import determinism, trials
from tools.trials import FAILED, NOT_RUN, SAID, SAME, Bench, Case, Outcome

EXPECTED = Path(__file__).parents[2] / "results/expected"
KINDS = {"hash seed", "cores", "folder", "user", "locale", "time zone", "umask", "file order", "Python"}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A part of the pipeline, made once."""
    return Bench(tmp_path_factory.mktemp("bench"), trials.PART)


@pytest.mark.release
def test_other_surroundings_give_the_same_bytes(bench):
    variables = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "XST-13:45"}
    given = determinism.Surroundings(variables, cores=1, umask=0o077, order="backwards")
    assert determinism.run_in(bench, given) == Outcome(SAME)


@pytest.mark.release
def test_other_bytes_are_a_failure(bench):
    """A judge that finds everything equal would accept all."""
    with bench.copy(after=True) as project:
        cell = project.results / "cells/philly/jct/fifo.csv"
        cell.write_text(cell.read_text().replace("1", "2", 1))
        ended = project.run("-c", "print('well')")
        assert trials.judge(project, ended, bench.reference) == Outcome(FAILED, "cells/philly/jct/fifo.csv: differs")


@pytest.mark.parametrize(
    ("printed", "result"),
    [
        ("error: the disk is full", SAID),
        ("Traceback (most recent call last):\nOSError: error: the disk is full", FAILED),
        ("", FAILED),
    ],
)
def test_a_failure_needs_a_sentence_and_no_traceback(tmp_path, printed, result):
    project = trials.Project(tmp_path)
    ended = project.run("-c", f"print({printed!r}); raise SystemExit(1)")
    assert trials.judge(project, ended, tmp_path).result == result


def test_cases_with_a_row_are_skipped_and_the_others_counted(tmp_path, capsys):
    """What was stopped goes on; rows of other code, and cases that raise, are no successes."""
    ran, rows = [], tmp_path / "rows.csv"

    def case(name, outcome):
        return Case("a kind", name, lambda: ran.append(name) or outcome())

    first = [case("good", lambda: Outcome(SAME)), case("raises", lambda: 1 / 0)]
    planned = [*first, case("absent", lambda: Outcome(NOT_RUN, "why"))]
    recorded.carry_out(first, rows, "code")
    recorded.carry_out(planned, rows, "code")
    assert ran == ["good", "raises", "raises", "absent"]
    planned.append(case("never", lambda: Outcome(SAME)))
    counted = recorded.summary(planned, recorded.rows(rows, "code")).iloc[0]
    assert counted.to_list() == ["a kind", 4, 1, 0, 1, 2, "absent: why; 1 not carried out"]
    assert recorded.conclude(planned, rows, "code", tmp_path / "accepted.csv") == 1
    assert not (tmp_path / "accepted.csv").exists()
    assert recorded.rows(rows, "other code") == []


def test_accepted_summary_claims_every_kind_and_no_failure():
    """Its numbers are those of a run: `--accept` writes no summary with a failure."""
    table = pd.read_csv(EXPECTED / "determinism.csv", keep_default_na=False)
    assert tuple(table.columns) == recorded.SUMMARY
    assert set(table["kind"]) == KINDS
    counts = table[["same_bytes", "said_so", "failed", "not_run"]]
    assert (counts.sum(axis=1) == table["cases"]).all()
    assert (table["failed"] == 0).all()
    assert (table.loc[table["not_run"] > 0, "note"] != "").all()
