"""Profiles: measured files, damaged ones, limits of their numbers, and what stands in for them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarlib.cost.goodput import measured, standin
from rarlib.cost.goodput.applications import APPLICATIONS, application
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.errors import InputError
from rarlib.traces.places import data_folder
from rarlib.traces.profile_sets import read_profile_set
from tools import calibrate_profiles


def test_unknown_applications_name_the_job() -> None:
    with pytest.raises(InputError, match="job x-1: application 'vgg' has no profile; known: cifar10"):
        application("vgg", "x-1")


def test_json_keeps_everything(toy: Profiles, tmp_path: Path) -> None:
    path = tmp_path / "sia.json"
    path.write_text(json.dumps(toy.to_json()), encoding="utf-8")
    again = Profiles.from_json(read_profile_set(path), {"standin": True})
    assert again.facts == {"standin": True}
    for key, rows in toy.steps.items():
        assert again.steps[key].shape == rows.shape
        np.testing.assert_array_equal(again.steps[key].observations, rows.observations)
    np.testing.assert_array_equal(again.gradients["bert"].variance, toy.gradients["bert"].variance)


@pytest.mark.parametrize("text", ["{", '{"bert": 1}', '{"bert": {"gradients": {}, "types": {}}}'])
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sia.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"sia\.json|bert"):
        Profiles.from_json(read_profile_set(path))


GOOD = b"placement,local_bsz,step_time,sync_time\n1,4,0.5,0.1\n12,4,0.7,0.2\n"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"placement,local_bsz,step_time\n1,4,0.5\n", "field sync_time: missing column"),
        (GOOD.replace(b"12,", b"10,"), "row 3, field placement: must be one digit from 1 to 9 per node"),
        (GOOD.replace(b"0.7", b"-1"), "row 3, field step_time: must be above 0"),
        (GOOD.replace(b"0.7", b"fast"), "row 3, field step_time: must be a number"),
        (GOOD.replace(b"1,4,0.5", b"1,4.5,0.5"), "row 2, field local_bsz: must be a whole number from 1"),
        (GOOD.replace(b"0.2", b"-0.2"), "row 3, field sync_time: must not be negative"),
        (b"", "the file is empty"),
    ],
)
def test_damaged_tables_name_the_row(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "placements-aws.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        measured._placements(path)


@pytest.mark.usefixtures("offline")
def test_without_files_the_standin_serves_and_says_so() -> None:
    """Every application on every type, labelled in the provenance that results carry."""
    found = measured.profile_set("sia", {"sources": [measured.profile_source(name) for name in APPLICATIONS]})
    assert found.origin == "stand-in"
    assert found.provenance["standin"]
    assert all(entry["standin"] for entry in found.provenance["profiles"].values())
    profiles = Profiles.from_json(found.data)
    assert {name for name, _ in profiles.steps} == set(APPLICATIONS)
    for steps in profiles.steps.values():
        assert (steps.step_s > 0).all()
        assert (steps.sync_s >= 0).all()


@pytest.mark.real
def test_the_standin_is_what_its_command_makes(measured: Callable[[], Profiles]) -> None:
    """And so holds nothing but fits."""
    made = calibrate_profiles.text_of(calibrate_profiles.fitted(measured()))
    committed = (data_folder() / "standin" / standin.FILE).read_text(encoding="utf-8")
    assert json.loads(made)["made_from"] == json.loads(committed)["made_from"]
    ours, theirs = json.loads(made)["applications"], json.loads(committed)["applications"]
    for name, entry in ours.items():
        np.testing.assert_allclose(entry["log_noise_scale"], theirs[name]["log_noise_scale"], atol=1e-4)
        for kind, rows in entry["types"].items():
            if "parameters" in rows:
                np.testing.assert_allclose(rows["parameters"], theirs[name]["types"][kind]["parameters"], rtol=0.02)


PLACED = {"placement": "12", "local_bsz": 4, "step_time": 0.5, "sync_time": 0.1}
COUNTED = {"num_nodes": 2, "num_replicas": 8, "local_bsz": 4, "step_time": 0.5, "sync_time": 0.1}
TABLES: dict[str, Any] = {
    "placements-aws": (PLACED, measured._placements),
    "scalability-aws": (COUNTED, measured._scalability),
}
TIMES = [
    ("local_bsz", [1, 1_000_000_000], [0, -1, 1.5, 1_000_000_001]),
    ("step_time", [1e-300, 1e100], [0, -1e-9, 1.01e100]),
    ("sync_time", [0, 1e-300, 1e100], [-1e-9, 1.01e100]),
]
CASES = [(stem, *case) for stem in TABLES for case in TIMES] + [
    ("placements-aws", "placement", ["1", "9", "999999999"], ["0", "10", "1a", "-1"]),
    ("scalability-aws", "num_nodes", [1, 8], [0, -1, 9, 1_000_000_001]),
    ("scalability-aws", "num_replicas", [2, 1_000_000_000], [1, 0, 1_000_000_001]),
]


@pytest.mark.parametrize(("stem", "column", "inside", "outside"), CASES)
def test_a_measured_number_is_within_its_limits(
    stem: str, column: str, inside: list[Any], outside: list[Any], tmp_path: Path
) -> None:
    """The last row of three; it is named as an editor counts it, the line of titles included."""
    row, read = TABLES[stem]
    path = tmp_path / f"{stem}.csv"

    def write(value: Any) -> None:
        lines = [row, row, row | {column: value}]
        path.write_text("\n".join(",".join(map(str, line)) for line in (row, *(x.values() for x in lines))) + "\n")

    for value in inside:
        write(value)
        steps = read(path)
        shape = tuple(map(int, str(value))) if column == "placement" else (1, 2) if stem.startswith("p") else ()
        assert steps.shape[2] == shape
        expected: dict[str, Any] = (
            {"nodes": len(shape), "replicas": sum(shape)} if shape else {"nodes": 2, "replicas": 8}
        )
        expected |= {"local": 4, "step_s": 0.5, "sync_s": 0.1}
        ours = {"num_nodes": "nodes", "num_replicas": "replicas", "local_bsz": "local"}
        ours |= {"step_time": "step_s", "sync_time": "sync_s"}
        expected |= {ours[column]: value} if column in ours else {}
        assert {name: getattr(steps, name)[2] for name in expected} == expected
    for value in outside:
        write(value)
        with pytest.raises(InputError) as caught:
            read(path)
        assert caught.value.row == 4, value


def statistics(folder: Path, rows: list[tuple[float, ...]], batch: int = 12) -> dict[str, Path]:
    path = folder / f"validation-{batch}.csv"
    path.write_text("progress,iteration,grad_sqr,grad_var\n" + "".join(f"{','.join(map(str, r))}\n" for r in rows))
    return {f"validation-{batch}": path}


@pytest.mark.parametrize(
    ("rows", "field", "row"),
    [
        ([(1, 1, 1, 0), (1, 2, 1, 0)], "progress", 3),
        ([(2, 1, 1, 0), (1, 2, 1, 0)], "progress", 3),
        ([(1, 1, 0, 0), (2, 2, 1, 0)], "grad_sqr", 2),
        ([(1, 1, 1, 0), (2, 2, 1, -1)], "grad_sqr", 3),
        ([(1, 1, 1, 0)], None, None),
        ([], None, None),
    ],
)
def test_statistics_that_give_no_gain_are_refused(
    rows: list[tuple[float, ...]], field: str | None, row: int | None, tmp_path: Path
) -> None:
    """Work that does not grow, a gradient of nothing, an epoch too few; the smallest growth and sum are fine."""
    measured._gradients(statistics(tmp_path, [(-1, 0, 1e-9, 0), (-0.9999, 0, -1, 1.001)]), 2)
    with pytest.raises(InputError) as caught:
        measured._gradients(statistics(tmp_path, rows), 2)
    assert (caught.value.field, caught.value.row) == (field, row)
