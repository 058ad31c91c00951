"""Profile sets: what joins them keeps every fact, and another file is refused in one line."""

import json

import pytest

from rarlib.model.errors import InputError
from rarlib.traces.profile_sets import ProfileSet, read_profile_set

MEASURED = ProfileSet({"a": {"x": 1}}, {"name": "set", "standin": False, "profiles": {"a": {}}}, "raw")


def test_what_is_written_is_read(tmp_path):
    joined = MEASURED.beside("workloads", {"w": [1]}, {"w": {"standin": False}}, ["raw"])
    path = tmp_path / "set.json"
    path.write_text(json.dumps(joined.data), encoding="utf-8")
    assert read_profile_set(path, "profiles", "workloads") == joined.data
    with pytest.raises(InputError, match=r"set\.json, field traces"):
        read_profile_set(path, "profiles", "traces")


@pytest.mark.parametrize(
    ("text", "rule"), [("{", "not valid JSON"), ("[]", "a mapping"), ('{"profiles": 1}', "profiles")]
)
def test_another_file_is_refused(tmp_path, text, rule):
    path = tmp_path / "set.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rule):
        read_profile_set(path, "profiles")
    with pytest.raises(InputError, match="no such file"):
        read_profile_set(tmp_path / "none.json")
