"""The commit that a report names: what git says, and nothing where there is no git."""

import subprocess

import pytest

from artifact.run.commit import NO_COMMIT, commit_in_words


def git(folder, *arguments, **variables):
    return subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), **variables},
    ).stdout


@pytest.fixture
def checkout(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "one").write_text("one")
    git(tmp_path, "add", "one")
    # Late in the evening in Honolulu, already the next day elsewhere.
    git(tmp_path, "commit", "-q", "-m", "one", GIT_COMMITTER_DATE="2026-01-31T23:30:00 -1000")
    return tmp_path


def test_commit_and_its_own_date(checkout, monkeypatch):
    digest, tree = git(checkout, "rev-parse", "HEAD").strip(), git(checkout, "write-tree").strip()
    for zone in ("UTC", "Asia/Tokyo"):
        monkeypatch.setenv("TZ", zone)
        assert commit_in_words(checkout) == f"commit {digest[:12]} of 2026-01-31 (swh:1:dir:{tree})"


@pytest.mark.parametrize("name", ["one", "two"])
def test_files_that_differ_are_told(checkout, name):
    (checkout / name).write_text("two")
    assert commit_in_words(checkout).endswith("), with changes that are not committed")


def test_no_git_no_commit(checkout, tmp_path_factory, monkeypatch):
    """An unpacked archive has none, not even inside another checkout; nor has a checkout where git is missing."""
    (checkout / "unpacked").mkdir()
    assert commit_in_words(checkout / "unpacked") == NO_COMMIT
    assert commit_in_words(tmp_path_factory.mktemp("alone")) == NO_COMMIT
    monkeypatch.setenv("PATH", "")
    assert commit_in_words(checkout) == NO_COMMIT
