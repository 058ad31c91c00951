"""A recorded file takes the place of a stand-in once; nothing else makes data again."""

import shutil
from pathlib import Path

import pytest

from artifact.run.origins import origin_of
from rarlib.model.project import ROOT
from rarlib.traces.sources import listed_sources

TRACE = "philly-pollux"


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty mirror, and no files of one's own."""
    monkeypatch.setenv("RARLIB_MIRROR", str(tmp_path / "mirror"))
    monkeypatch.setenv("RARLIB_DATA", str(tmp_path / "data"))
    (tmp_path / "mirror").mkdir()
    shutil.copytree(ROOT / "data", tmp_path / "data", ignore=shutil.ignore_patterns("raw"))
    return tmp_path / "mirror"


def _put_files(mirror: Path) -> None:
    for source in listed_sources()[TRACE]:
        (mirror / Path(source.file).name).touch()


def _origin(results: Path, before: str | None) -> str:
    """The parameter of the trace's job after a run that read it from `before`."""
    if before is not None:
        path = results / "logs" / "trace" / f"{TRACE}.origin"
        path.parent.mkdir(parents=True)
        path.write_text(before, encoding="utf-8")
    return origin_of({"results": f"{results}/"}, "trace", TRACE)


@pytest.mark.parametrize("before", [None, "stand-in"])
def test_a_stand_in_is_made_again_when_its_file_appears(before: str | None, mirror: Path, tmp_path: Path) -> None:
    without = _origin(tmp_path / "one", before)
    _put_files(mirror)
    assert _origin(tmp_path / "two", before) != without


@pytest.mark.parametrize(("before", "then"), [("download", "download or stand-in"), ("mirror", "at hand")])
def test_recorded_data_stay_when_files_come_or_go(before: str, then: str, mirror: Path, tmp_path: Path) -> None:
    assert _origin(tmp_path / "one", before) == then
    _put_files(mirror)
    assert _origin(tmp_path / "two", before) == then
