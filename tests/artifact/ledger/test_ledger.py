"""The ledger: every published id once, and verdicts that follow the stated rules."""

import json

import pandas as pd
import pytest

from artifact.ledger import ledger
from artifact.ledger.verdicts import NOT_RUN
from artifact.run import manifest
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS, write_table
from tests.artifact.arena.small import rows

PUBLISHED = "id,paper,where,series,x,value,unit,trust\n" + "".join(
    f"p-{i},p,Fig. 1,S,x={i},{value},slot,figure\n" for i, value in enumerate([100, 100, 100, "true", 100, 100])
)
CLAIMS = """
paper: p
defaults: {tolerance: {relative: 0.1}}
claims:
  - {published: p-0, formula: {kind: value, table: t, select: {metric: near}}}
  - {published: p-1, formula: {kind: value, table: t, select: {metric: far}},
     direction: {kind: order, table: t, along: metric, ascending: [near, far]}}
  - {published: p-2, formula: {kind: value, table: t, select: {metric: far}},
     direction: {kind: order, table: t, along: metric, ascending: [far, near]}}
  - {published: p-3, formula: {kind: check, table: t, select: {metric: holds}}}
  - {published: p-4, role: unclear, reason: nobody says how}
"""


@pytest.fixture
def results(tmp_path):
    rows = [
        ("e", "", "", "s", "", "", seed, metric, value + seed, "slot")
        for metric, value in (("near", 108), ("far", 150))
        for seed in (0, 1)
    ]
    rows += [("e", "", "", "s", "", "", seed, "holds", 1, "1") for seed in (0, 1)]
    write_table(pd.DataFrame(rows, columns=TIDY_COLUMNS), tmp_path / "results/tables/p-t.csv")
    (tmp_path / "results/tables/p-t.json").write_text(json.dumps({"standin": True}))
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims/p.yaml").write_text(CLAIMS)
    (tmp_path / "published.csv").write_text(PUBLISHED)
    return tmp_path


def build(folder):
    return ledger.build(folder, folder / "claims", folder / "results/tables")


def test_verdicts_follow_the_rules(results):
    """108.5 is within 10 % of 100; 150.5 is not, and its direction holds once and fails once."""
    expected = ["reproduced", "direction only", "wrong order", "reproduced", "", "not yet run"]
    assert build(results)["verdict"].tolist() == expected


def test_a_proof_counts_while_its_formula_holds(results):
    """A missed number is impossible only as long as our tables bear the proof out."""
    proof = "impossible: {why: it cannot, test: t, formula: {kind: check, table: t, select: {metric: holds}}}"
    path = results / "claims/p.yaml"
    path.write_text(CLAIMS.replace("{published: p-2, ", f"{{published: p-2, {proof}, "))
    row = build(results).set_index("published").loc["p-2"]
    assert (row["verdict"], row["reason"].endswith(". it cannot")) == ("impossible", True)
    table = results / "results/tables/p-t.csv"
    table.write_text(table.read_text().replace(",holds,1,", ",holds,0,"))
    assert build(results).set_index("published").loc["p-2", "verdict"] == "wrong order"


def test_what_a_reading_was_fitted_to_is_no_evidence(results):
    """It fits or does not; beside it stand ours with nothing fitted, and how often chance brings it out."""
    (results / "readings").mkdir()
    (results / "readings/p.yaml").write_text("fitted: {numbers: [p-0, p-1]}\n")
    defaults = "defaults: {tolerance: {relative: 0.1}, select: {scheduler: s}, as_stated: {scheduler: literal}}"
    text = CLAIMS.replace("defaults: {tolerance: {relative: 0.1}}", defaults)
    (results / "claims/p.yaml").write_text(text)
    path = results / "results/tables/p-t.csv"
    more = "".join(f"e,,,literal,,,{seed},near,{50 + seed},slot\n" for seed in (0, 1))
    path.write_text(path.read_text() + more)
    drawn = "".join(f"e,,prior,all,,,{draw},p-2,{value},slot\n" for draw, value in enumerate((95, 111, "", 100)))
    (results / "results/tables/p-inference.csv").write_text(",".join(TIDY_COLUMNS) + "\n" + drawn)
    rows = build(results).set_index("published")
    assert rows["role"].tolist() == ["fitted", "fitted", "tested", "tested", "unclear", "tested"]
    assert rows.loc[["p-0", "p-1"], "verdict"].tolist() == ["fits", "does not fit"]
    assert rows.loc["p-0", ["ours", "as_stated"]].tolist() == [108.5, 50.5]
    assert rows.loc["p-2", "chance"] == 0.5
    assert ledger.tested(rows.reset_index()) == (1, 3)


def test_any_scheduler_meets_what_is_trivial_and_a_number_printed_twice_counts_once(results):
    text = CLAIMS.replace("{published: p-0, ", "{published: p-0, trivial: an empty cluster, ")
    (results / "claims/p.yaml").write_text(text + "  - {published: p-5, same_as: p-0}\n")
    rows = build(results).set_index("published")
    assert rows.loc[["p-0", "p-5"], "verdict"].tolist() == ["met trivially"] * 2
    assert rows.loc["p-5", "same_as"] == "p-0"
    assert ledger.counts(rows.reset_index()).loc["p", "met trivially"] == 1


def test_stand_in_is_carried_to_every_claim_that_used_it(results):
    assert build(results)["standin"].tolist() == [True] * 4 + [False] * 2


def test_missing_table_reads_not_yet_run_and_says_which(results):
    (results / "results/tables/p-t.csv").unlink()
    first = build(results).iloc[0]
    assert first["verdict"] == NOT_RUN
    assert "p-t.csv" in first["reason"]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("published: p-0", "published: p-9", "unknown id 'p-9'"),
        ("published: p-1", "published: p-0", "p-0 is claimed twice"),
        ("kind: check", "kind: exec", "unknown kind"),
        ("role: unclear", "rule: unclear", "unknown key 'rule'"),
        ("role: unclear", "role: fitted", "p-4.role: must be one of theory, hardware, unclear"),
        ("relative: 0.1", "relativ: 0.1", "unknown key 'relativ'"),
        (
            "metric: holds}}",
            "metric: holds}, at_least: 1}, direction: {kind: check, table: t}",
            "p-3.direction: only a formula of kind value",
        ),
        ("claims:", "claim:", "needs a list 'claims'"),
        ("published: p-0,", "published: p-0, robustness: {beter: a},", "p-0.robustness: unknown key 'beter'"),
        ("paper: p", "paper: [", "not valid YAML"),
    ],
)
def test_bad_claims_file_names_the_culprit(results, old, new, complaint):
    text = (results / "claims/p.yaml").read_text().replace(old, new, 1)
    (results / "claims/p.yaml").write_text(text)
    with pytest.raises(InputError, match=complaint):
        build(results)


def own(results, listed="arena-01,arena,grid,a and b,,true,,own\n", worse="b", standin=False):
    """Statements of the arena, a robustness for p-0, and runs in which a halves b and doubles c."""
    (results / "statements.csv").write_text(f"id,paper,where,series,x,value,unit,trust\n{listed}")
    formula = f"{{kind: beats, table: runs, better: a, worse: {worse}}}"
    entry = f"  - {{published: arena-01, statement: a is better, formula: {formula}}}"
    (results / "claims/arena.yaml").write_text(f"paper: arena\nclaims:\n{entry}\n")
    text = CLAIMS.replace("published: p-0,", "published: p-0, robustness: {better: a, worse: b},")
    (results / "claims/p.yaml").write_text(text)
    write_table(rows({"a": [2, 4], "b": [4, 8], "c": [1, 2]}), results / "results/tables/arena-runs.csv")
    (results / "results/tables/arena-runs.json").write_text(json.dumps({"standin": standin}))
    return results


def test_own_statements_hold_or_do_not(results):
    """Nobody has published them, so nothing is reproduced; they stand below the published ones."""
    rows = build(own(results)).set_index("published")
    assert list(rows.index)[-2:] == ["p-5", "arena-01"]
    assert rows.loc["arena-01", ["verdict", "seeds", "trust"]].tolist() == ["holds", 2, "own"]
    assert rows.loc["arena-01", "reason"] == "0.50 [0.50, 0.50] on 2 windows of 1 traces"
    assert rows.loc["arena-01", "evidence"] == "tables/arena-runs.csv"
    assert build(own(results, worse="c")).set_index("published").loc["arena-01", "verdict"] == "does not hold"
    assert build(own(results, worse="d")).set_index("published").loc["arena-01", "verdict"] == NOT_RUN
    assert rows.loc["p-0", "verdict"] == "reproduced"


def test_robustness_says_what_the_arena_makes_of_an_order(results):
    """Of published claims too; empty where none is asked for, or the arena was not run."""
    rows = build(own(results)).set_index("published")
    assert rows.loc["p-0", "robustness"] == "robust (holds in 1 of 1 settings, flips in none)"
    assert (rows["robustness"] != "").sum() == 1
    on_standin = build(own(results, standin=True)).set_index("published")
    assert on_standin.loc["p-0", "robustness"] == rows.loc["p-0", "robustness"] + "; on stand-in data"
    (results / "results/tables/arena-runs.csv").unlink()
    assert (build(results)["robustness"] == "").all()


def written(folder):
    ledger.write_ledger(build(folder), folder / "results/claims.csv")
    manifest.write_manifest(folder / "results", folder / "results/manifest.json", "commit 0123 (swh:1:dir:4567)")
    return folder / "results"


def test_manifest_names_the_commit_and_its_tree(results):
    content = json.loads((written(results) / "manifest.json").read_text(encoding="utf-8"))
    assert content["commit"] == "commit 0123 (swh:1:dir:4567)"
    assert "claims.csv" in content["sha256"]


def test_verify_accepts_what_was_written(results):
    folder = written(results)
    assert manifest.wrong_files(folder) == {}
    assert manifest.claim_differences(folder, results, results / "claims") == []


def test_verify_finds_changed_missing_and_added_files(results):
    folder = written(results)
    (folder / "tables/p-t.json").write_text("{}")
    (folder / "tables/added.csv").write_text("")
    (folder / "claims.csv").unlink()
    wrong = manifest.wrong_files(folder)
    told = " / ".join(f"{name}: {what}" for name, what in wrong.items())
    assert "tables/p-t.json: differs" in told
    assert "tables/added.csv: not in" in told
    assert "claims.csv: missing" in told
    # Snakemake refuses a file that no rule makes.
    assert manifest.remake(folder, wrong).count("results/") == 2


def test_verify_finds_a_verdict_that_the_tables_do_not_give(results):
    folder = written(results)
    text = (folder / "claims.csv").read_text().replace("direction only", "reproduced", 1)
    (folder / "claims.csv").write_text(text)
    manifest.write_manifest(folder, folder / "manifest.json")
    lines = manifest.claim_differences(folder, results, results / "claims")
    assert lines == ["claim p-1: verdict reads 'reproduced', gives 'direction only'"]


def test_accepted_claims_are_compared_unless_on_stand_ins(results):
    """A stand-in gives other numbers on purpose; anything else that moves must be named."""
    folder = written(results)
    accepted = results / "accepted.csv"
    text = (folder / "claims.csv").read_text()
    accepted.write_text(text.replace("nobody says how", "somebody says how"))
    assert [line.split(":")[0] for line in manifest.compare_accepted(folder, accepted).lines] == ["claim p-4"]
    accepted.write_text(text.replace("108.5", "999"))
    found = manifest.compare_accepted(folder, accepted)
    assert found.lines == []  # p-0 rests on a stand-in
    made_up = [line.endswith(",True,") for line in text.splitlines()[1:]]
    assert (found.same_inputs, found.standins) == (made_up.count(False), made_up.count(True))
    assert f"{found.standins} not: they rest on stand-ins" in found.summary()
    accepted.write_text(text.replace("p-5", "p-6"))
    assert len(manifest.compare_accepted(folder, accepted).lines) == 2
