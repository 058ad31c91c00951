"""Where the project's files are: in a checkout, in a study, and in the user's cache."""

import os
from pathlib import Path

import pytest

from rarlib.model import project
from rarlib.model.project import STUDY, cache_folder, placed_file, study_of


@pytest.mark.parametrize("before", [None, "", "elsewhere"])
def test_files_of_a_study_come_first_while_it_is_worked_on(
    before: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after an error, the variable is as it was; files that the study lacks are the project's."""
    monkeypatch.delenv(STUDY, raising=False)
    if before is not None:
        monkeypatch.setenv(STUDY, before)
    own = tmp_path / "results" / "study" / "config"
    own.mkdir(parents=True)
    (own / "a.yaml").write_text("a")
    monkeypatch.chdir(tmp_path)
    assert placed_file("config/a.yaml") == project.ROOT / "config/a.yaml"
    with study_of(Path("results")):
        assert placed_file("config/a.yaml") == own / "a.yaml"
        assert placed_file("config/b.yaml") == project.ROOT / "config/b.yaml"
    assert os.environ.get(STUDY) == before
    with pytest.raises(ZeroDivisionError), study_of(tmp_path / "results"):
        raise ZeroDivisionError
    assert os.environ.get(STUDY) == before


def test_the_cache_is_where_the_desktop_standard_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable counts as none, as the XDG base directory specification says."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache_folder() == tmp_path / ".cache" / "rarlib"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == tmp_path / ".cache" / "rarlib"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert cache_folder() == tmp_path / "elsewhere" / "rarlib"
