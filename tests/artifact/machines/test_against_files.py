"""The measured files: found by checksum; predictions computed a second time from their text, in plain Python."""

import csv
import math
from pathlib import Path

import pytest

from artifact.machines import inputs
from artifact.machines.cells import predicted_rows, run_cell
from artifact.machines.predictor import predictors
from artifact.machines.sailor import Sailor
from rarlib.model.errors import InputError
from rarlib.records.tidy import TIDY_COLUMNS
from rarlib.traces.places import data_folder
from rarlib.traces.resolve import at_hand
from rarlib.traces.sources import read_sources

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def tables():
    """Rows of each file as dictionaries of text, read without rarlib's readers."""
    found = {}
    for each in read_sources(data_folder() / inputs.LIST)["measured-sailor"]:
        hit = at_hand(each)
        if hit is None:
            pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
        with Path(hit.path).open(newline="") as file:
            found[Path(each.file).stem] = list(csv.DictReader(file))
    return found


@pytest.fixture(scope="module")
def source(tables):
    return Sailor(inputs.load_measured("sailor"))


def predicted(name, quantity, source):
    return next(p for p in predictors() if (p.name, p.quantity) == (name, quantity)).predict(source)


def layers_of(tables, row, column, gpu="GH-96"):
    """One number for each layer, from the profile or the sizes."""
    file, keys = ("layers", {}) if column in tables["layers"][0] else ("profiles", {"gpu": gpu, "set": "simulator"})
    keys |= {"model": row["model"], "tensor_parallel": row["tensor_parallel"]}
    keys |= {"microbatch": row["microbatch"]} if file == "profiles" else {}
    numbers = {}
    for entry in tables[file]:
        if all(entry[key] == value for key, value in keys.items()):
            for layer in range(int(entry["first_layer"]), int(entry["last_layer"]) + 1):
                numbers[layer] = float(entry[column])
    return [numbers[layer] for layer in range(len(numbers))]


def curve(tables, sender, receiver, pairs, size):
    """Bytes per second of all pairs together."""
    best = 0.0
    for link in tables["network"]:
        named = (link["where"], link["sender"], link["receiver"]) == ("between", sender, receiver)
        if named and link["sender_gpus"] == link["receiver_gpus"] and int(link["sender_gpus"]) <= pairs:
            a, b, c = float(link["c2"]), float(link["c1"]), float(link["c0"])
            at = max(0.0, math.log2(size / 1e6))
            at = min(at, -b / (2 * a)) if a < 0 else at
            best = max(best, min(1e9 * (a * at * at + b * at + c), float(link["max_bytes_per_s"])))
    return best


@pytest.mark.real
@pytest.mark.parametrize("name", ["sailor-03", "sailor-05"])
def test_data_parallel_iterations_by_hand(tables, source, name):
    """One stage: all layers for every microbatch, a ring of the whole model in one bucket, one update."""
    row = next(row for row in tables["measured"] if row["id"] == name)
    replicas, ranks = int(row["replicas"]), int(row["tensor_parallel"])
    compute = sum(layers_of(tables, row, "forward_s")) + sum(layers_of(tables, row, "backward_s"))
    size = 4 * sum(layers_of(tables, row, "parameters"))
    assert size < 5e8
    rate = curve(tables, "GH-96", "GH-96", ranks, size / replicas) / ranks
    ring = 2 * (replicas - 1) / replicas * size / rate
    total = int(row["microbatches"]) * compute + ring + max(layers_of(tables, row, "update_s"))
    assert predicted("flush-blocking", "iteration", source)[name] == pytest.approx(total)


@pytest.mark.real
def test_a_pipeline_of_two_by_hand(tables, source):
    """sailor-07: four microbatches, no replicas. With blocking transfers of t between stages (f, b) and (g, c)."""
    row = next(row for row in tables["measured"] if row["id"] == "sailor-07")
    forward, backward = (layers_of(tables, row, column) for column in ("forward_s", "backward_s"))
    f, g, b, c = sum(forward[:12]), sum(forward[12:]), sum(backward[:12]), sum(backward[12:])
    sent = 4 * layers_of(tables, row, "output_values")[11] * 8
    t = sent / curve(tables, "GH-96", "GH-96", 4, sent / 4)
    # The first stage: two forwards, then gradient in, backward, forward ... each meeting stops both.
    one, two = f, 0.0
    one = two = max(one, two) + t  # activation 0
    one, two = one + f, two + g
    two += c
    for _ in range(3):
        one = two = max(one, two) + 2 * t  # an activation there, a gradient back
        one, two = one + b, two + g + c
        one += f if _ < 2 else 0.0
    one = max(one, two) + t + b
    tied = 4 * 50_304 * 1024 / 4
    tied_s = tied / (curve(tables, "GH-96", "GH-96", 4, tied / 2) / 4)
    total = max(one, two) + tied_s + max(layers_of(tables, row, "update_s"))
    assert predicted("flush-blocking", "iteration", source)["sailor-07"] == pytest.approx(total)


@pytest.mark.real
def test_measured_values_are_those_of_the_file(tables, source):
    rows = predicted_rows("iteration", source)
    given = {row["id"]: float(row["iteration_s"]) for row in tables["measured"] if row["use"] == "yes"}
    truth = rows[rows["scheduler"] == "measured"].set_index("x")["value"]
    assert len(truth) == 18
    assert truth.to_dict() == given


@pytest.mark.real
def test_a_damaged_file_is_refused(tables, tmp_path, monkeypatch):
    """Scores on other numbers would pass for those of the source."""
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
    """Nothing stands in for a machine."""
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
