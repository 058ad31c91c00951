"""Results folders that no pipeline wrote: `claims` and `verify` say which file is wrong, in one line."""

import csv
import io
import shutil

import pytest

from artifact.ledger import ledger
from artifact.run.manifest import write_manifest
from rarlib.model.project import ROOT
from rarlib.records.tidy import TIDY_COLUMNS

TABLE = "tables/sjf-bco-fig4.csv"
PROVENANCE = "provenance/sjf-bco-fig4.json"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with one table, of which no claim finds all rows."""
    folder = tmp_path_factory.mktemp("results")
    for name in ("tables", "provenance"):
        (folder / name).mkdir()
    row = ("sjf-bco", "batch", "fitted", "sjf-bco", "servers", "20", "0", "makespan", "535", "slot")
    (folder / TABLE).write_text(",".join(TIDY_COLUMNS) + "\n" + ",".join(row) + "\n")
    (folder / TABLE).with_suffix(".json").write_text('{"standin": false}')
    (folder / PROVENANCE).write_text('{"code": {}, "module": "m", "settings": {}}')
    ledger.write_ledger(ledger.build(ROOT / "data", ROOT / "config/claims", folder / "tables"), folder / "claims.csv")
    write_manifest(folder, folder / "manifest.json")
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "results")


def ledger_with(folder, **fields):
    rows = list(csv.DictReader((folder / "claims.csv").open(newline="")))
    rows[0] |= fields
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    (folder / "claims.csv").write_text(text.getvalue())


BAD = [
    (b"", "the file is empty"),
    (b"\x00\xff\xfe\x01", "is not UTF-8 text"),
    (b'published,"paper\n', "a quoted field is never closed"),
    (b"published,article\n", "missing column"),
    (b"a\x00b\n", "it holds a NUL"),
]


@pytest.mark.parametrize(("content", "complaint"), BAD)
@pytest.mark.parametrize("command", [["claims"], ["verify"], ["claims", "--why", "sjf-bco-001"]])
def test_a_ledger_that_is_none(folder, command, content, complaint, run):
    (folder / "claims.csv").write_bytes(content)
    code, told = run(command[0], folder, *command[1:])
    assert (code, told.err.count("\n"), told.out) == (2, 1, "")
    assert "claims.csv" in told.err and complaint in told.err


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("verdict", "[/bold]", "row 2, field verdict: must be one of"),
        ("role", "yes", "row 2, field role: must be one of"),
        ("standin", "maybe", "row 2, field standin: must be one of True, False"),
        ("ours", "about 3", "row 2, field ours: must be a number or empty"),
        ("published", "", "row 2, field published: must not be empty"),
    ],
)
def test_a_row_that_is_none(folder, field, value, complaint, refused):
    ledger_with(folder, **{field: value})
    assert complaint in refused("claims", folder)


@pytest.mark.parametrize(("content", "complaint"), BAD)
def test_a_table_that_is_none(folder, content, complaint, refused):
    (folder / TABLE).write_bytes(content)
    told = refused("verify", folder)
    assert TABLE in told and complaint in told


@pytest.mark.parametrize("name", ["manifest.json", PROVENANCE, "tables/sjf-bco-fig4.json"])
@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"null", b"[" * 100_000, b'{"standin": NaN}', b"{}"])
def test_records_that_are_none(folder, name, content, run):
    (folder / name).write_bytes(content)
    code, told = run("verify", folder)
    if (name, content) == ("tables/sjf-bco-fig4.json", b"{}"):  # says nothing of a stand-in, so there was none
        assert (code, told.err) == (1, "")
        return
    assert (code, told.err.count("\n"), told.out) == (2, 1, "")
    assert name in told.err
