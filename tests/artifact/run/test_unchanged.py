"""A second run asks Snakemake only if there may be something to do."""

import os
from pathlib import Path

import pytest

from artifact.run.unchanged import ASKED, is_unchanged, remember


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a run without arguments has ended well."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(ASKED, "[]")
    monkeypatch.setenv("RARLIB_MIRROR", str(tmp_path / "mirror"))
    for name in (".snakemake/log", "results/claims.csv", "rarlib/a.py", "mirror/trace.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1", encoding="utf-8")
    remember()
    return tmp_path


def test_nothing_to_do(ended: Path) -> None:
    assert is_unchanged([])


@pytest.mark.parametrize("name", ["results/claims.csv", "rarlib/a.py", "mirror/trace.csv"])
def test_a_file_that_was_edited_removed_or_touched_counts(name: str, ended: Path) -> None:
    path = ended / name
    before = path.stat()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert not is_unchanged([])
    path.unlink()
    assert not is_unchanged([])


def test_a_new_file_counts(ended: Path) -> None:
    (ended / "mirror" / "another.csv").touch()
    assert not is_unchanged([])


def test_another_request_counts(ended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_unchanged(["--configfile", "config/full.yaml"])
    monkeypatch.setenv("RARLIB_OFFLINE", "other")
    assert not is_unchanged([])


@pytest.mark.parametrize("arguments", [["--forceall"], ["-n"], ["--config", "a=1"], ["paper"]])
def test_what_asks_for_more_than_what_is_missing_always_reaches_snakemake(
    arguments: list[str], ended: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ASKED, str(arguments).replace("'", '"'))
    remember()
    assert not is_unchanged(arguments)
