"""The measured files: found by checksum, read as they are, and never replaced by anything else."""

from pathlib import Path

import pytest

from artifact.machines import inputs
from artifact.machines.cells import predicted_rows, run_cell
from artifact.machines.sailor import Sailor
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.traces.places import data_folder
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def tables(measured_texts):
    return measured_texts("sailor")


@pytest.fixture(scope="module")
def source(tables):
    return Sailor(inputs.load_measured("sailor"))


@pytest.mark.real
def test_measured_values_are_those_of_the_file(tables, source):
    rows = predicted_rows("iteration", source)
    given = {row["id"]: float(row["iteration_s"]) for row in tables["measured"] if row["use"] == "yes"}
    truth = rows[rows["scheduler"] == "measured"].set_index("x")["value"]
    assert len(truth) == 18
    assert truth.to_dict() == given


@pytest.mark.real
def test_a_damaged_file_is_refused(tables, tmp_path, monkeypatch):
    for each in read_sources(data_folder() / inputs.LIST)["measured-sailor"]:
        target = tmp_path / Path(each.file).name
        target.write_bytes(Path(at_hand(each).path).read_bytes())
    text = (tmp_path / "measured.csv").read_text()
    (tmp_path / "measured.csv").write_text(text.replace("0.8048", "0.8049"))
    monkeypatch.setenv("RARLIB_MIRROR", str(tmp_path))
    monkeypatch.setenv("RARLIB_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    for name in ("measured.tsv", "sources.tsv"):
        (tmp_path / "data" / name).write_text((Path(__file__).parents[3] / "data" / name).read_text())
    with pytest.raises(InputError, match=r"measured\.csv: wrong checksum for measured-sailor"):
        inputs.load_measured("sailor")


def test_without_the_files_nothing_is_scored(offline, tmp_path):
    made = inputs.profile_set("measured", {})
    assert made.data == {name: {} for name in inputs.MEASURED_SOURCES}
    assert made.origin == "stand-in" and made.provenance["standin"] is False
    path = tmp_path / "measured.json"
    path.write_text('{"sailor": {}}')
    found = run_cell("iteration", "predictors", {"bucket_bytes": 5e8}, path)
    assert found.empty and list(found) == TIDY_COLUMNS


@pytest.mark.parametrize(("part", "member"), [("speed", "predictors"), ("iteration", "sailor")])
def test_an_unknown_cell_is_refused(part, member, tmp_path):
    with pytest.raises(InputError, match="must be predictors of iteration, step, beside"):
        run_cell(part, member, {}, tmp_path)
