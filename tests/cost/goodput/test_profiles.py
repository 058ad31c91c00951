"""Reading profiles: measured files, damaged ones, what stands in for them, and the form the pipeline keeps."""

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
    """And say what is known."""
    with pytest.raises(InputError, match="job x-1: application 'vgg' has no profile; known: cifar10"):
        application("vgg", "x-1")


def test_json_keeps_everything(toy: Profiles, tmp_path: Path) -> None:
    """The pipeline hands profiles on in a file."""
    path = tmp_path / "sia.json"
    path.write_text(json.dumps(toy.to_json()), encoding="utf-8")
    again = Profiles.from_json(read_profile_set(path), {"standin": True})
    assert again.facts == {"standin": True}
    for key, rows in toy.steps.items():
        assert again.steps[key].shape == rows.shape
        for one, other in zip(again.steps[key][1:], rows[1:], strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(again.gradients["bert"].variance, toy.gradients["bert"].variance)


@pytest.mark.parametrize("text", ["{", '{"bert": 1}', '{"bert": {"gradients": {}, "types": {}}}'])
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    """In one line, naming the file or the entry."""
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
    """A profile with a hole would give wrong times silently."""
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


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("batch", lambda found: found["batch"][:-1]),
        ("batch", lambda found: found["batch"][::-1]),
        ("batch", lambda found: [found["batch"][0]] * len(found["batch"])),
        ("epochs", lambda found: 1),
    ],
)
def test_a_standin_whose_parts_do_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str, change: Callable[[dict[str, Any]], object]
) -> None:
    """One thing wrong at a time: a batch without statistics, batches out of order, too few epochs."""
    committed = json.loads((data_folder() / "standin" / standin.FILE).read_text(encoding="utf-8"))
    found = committed["applications"]["cifar10"]
    found[field] = change(found)
    (tmp_path / "standin").mkdir()
    (tmp_path / "standin" / standin.FILE).write_text(json.dumps(committed), encoding="utf-8")
    monkeypatch.setattr(standin, "data_folder", lambda: tmp_path)
    with pytest.raises(InputError, match="cifar10: needs ascending batches with a row of log_noise_scale each"):
        standin.profiles("cifar10")
