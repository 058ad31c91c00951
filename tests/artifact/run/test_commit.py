"""The commit that a report names: what git says, and nothing where there is no git."""

import hashlib
import json
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


@pytest.fixture
def deposit(tmp_path):
    """An unpacked deposit with one file of the commit in its folder `source`."""
    folder = tmp_path / "rarlib-1.0"
    (folder / "source").mkdir(parents=True)
    (folder / "source/one").write_text("one")
    facts = {"commit": "0123456789abcdef" * 2 + "01234567", "day": "2026-01-31", "directory": f"swh:1:dir:{'7' * 40}"}
    files = {"source/one": hashlib.sha256(b"one").hexdigest(), "verify.py": "0" * 64}
    tree = {"nodes": {"deposit": {"facts": facts, "files": files}, "claims": {"facts": {}, "files": {}}}}
    (folder / "tree.json").write_text(json.dumps(tree))
    return folder


def test_a_deposit_knows_its_commit(deposit):
    """Results and environment are new files, which do not count; an edited or a missing file does."""
    (deposit / "source/results").mkdir()
    (deposit / "source/results/claims.csv").write_text("new")
    said = f"commit 0123456789ab of 2026-01-31 (swh:1:dir:{'7' * 40}), from a deposit"
    assert commit_in_words(deposit / "source") == said
    (deposit / "source/one").write_text("two")
    assert commit_in_words(deposit / "source") == f"{said}, with changes"
    (deposit / "source/one").unlink()
    assert commit_in_words(deposit / "source") == f"{said}, with changes"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"nodes": {}}', '{"nodes": {"deposit": 1}}', '{"nodes": []}'])
def test_what_is_no_deposit_names_no_commit(deposit, content):
    (deposit / "tree.json").write_text(content)
    assert commit_in_words(deposit / "source") == NO_COMMIT


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
