"""Names and bytes that last: identifiers equal git's, archives are the same everywhere, versions agree."""

import io
import json
import os
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

from artifact.archive.build import as_zip
from artifact.archive.documents import deposit_name, documents, edition_of
from artifact.archive.source import read_source
from artifact.archive.swhid import SourceFile, tree_digest
from artifact.run.settings import configuration
from rarlib import __version__
from rarlib.model.errors import InputError

ROOT = Path(__file__).parents[3]
FILES = {
    "b.txt": SourceFile(b"b\n"),
    "run.sh": SourceFile(b"#!/bin/sh\n", True),
    "a/deep/er.txt": SourceFile("é\n".encode()),
    "a.txt": SourceFile(b""),
    "a-b/c": SourceFile(b"\0\xff"),
}


def git(folder: Path, *arguments: str) -> str:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    dates = {"GIT_AUTHOR_DATE": "2026-01-31T23:30:00-0500", "GIT_COMMITTER_DATE": "2026-01-31T23:30:00-0500"}
    command = ["git", "-C", str(folder), *arguments]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **identity, **dates})
    return ended.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with names that git sorts in its own way, an executable file, an empty and a binary one."""
    folder = tmp_path / "checkout"
    for name, file in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(file.data)
        (folder / name).chmod(0o755 if file.executable else 0o644)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return folder


def test_tree_has_git_s_digest(checkout):
    source = read_source(checkout)
    assert source.files == FILES
    assert tree_digest(source.files) == git(checkout, "rev-parse", "HEAD^{tree}")
    assert source.directory == f"swh:1:dir:{git(checkout, 'write-tree')}"


def test_this_project_s_tree_has_git_s_digest():
    packed = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        files = {m.name: SourceFile(tar.extractfile(m).read(), bool(m.mode & 0o100)) for m in tar if m.isfile()}
    assert tree_digest(files) == git(ROOT, "rev-parse", "HEAD^{tree}")


def test_date_is_the_commit_s_wherever_it_is_read(checkout, monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    assert read_source(checkout).day == "2026-02-01"


@pytest.mark.parametrize("change", ["edited", "new"])
def test_only_a_commit_is_deposited(checkout, change):
    (checkout / ("b.txt" if change == "edited" else "new.txt")).write_text("other")
    with pytest.raises(InputError, match="commit"):
        read_source(checkout)


def test_a_folder_without_git_is_refused(tmp_path, checkout):
    """Also one inside a checkout, as a deposit that was unpacked in `build/`."""
    for folder in (tmp_path, checkout / "a"):
        with pytest.raises(InputError, match="no checkout"):
            read_source(folder)


def test_archives_do_not_depend_on_order_zone_or_umask(monkeypatch):
    before = os.umask(0o077)
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    one = as_zip(FILES, "top", 1769853600)
    os.umask(before)
    monkeypatch.setenv("TZ", "UTC")
    assert as_zip(dict(reversed(FILES.items())), "top", 1769853600) == one


def test_archives_hold_every_file_with_its_mode():
    with zipfile.ZipFile(io.BytesIO(as_zip(FILES, "top", 1769853600))) as archive:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
        assert all(archive.read(f"top/{name}") == file.data for name, file in FILES.items())
    assert modes == {f"top/{name}": 0o755 if file.executable else 0o644 for name, file in FILES.items()}


def test_metadata_of_the_deposit_are_those_of_the_citation():
    """Title, summary, version and licence; the five papers by their DOIs; creators are the depositor's."""
    content = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (content["title"], content["description"]) == (citation["title"], citation["abstract"])
    assert (content["version"], content["license"]) == (__version__, citation["license"])
    assert content["creators"] == []
    papers = {entry["identifier"] for entry in content["related_identifiers"] if entry["relation"] == "isDerivedFrom"}
    assert len(papers) == 5
    assert papers <= {entry.get("doi") for entry in citation["references"]}


def test_version_changelog_and_tag_agree():
    """The newest heading of the changelog is this version's, and a tag on this commit says the same."""
    headings = re.findall(r"^## (\S+)", (ROOT / "docs/release-notes.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == __version__
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"] == __version__
    tags = git(ROOT, "tag", "--points-at", "HEAD").split()
    assert all(tag == f"v{__version__}" for tag in tags if re.fullmatch(r"v[\d.]+", tag))


def test_only_the_headline_s_deposit_has_the_version_s_name():
    """Wherever its results lie; a part of it, or other values, are another edition."""
    headline = configuration()
    assert deposit_name(edition_of(headline | {"results": "elsewhere", "minutes": 3})) == f"rarlib-{__version__}"
    for name in {path.stem for path in (ROOT / "config").glob("*.yaml")} - {"config"}:
        assert deposit_name(edition_of(configuration(name))) == f"rarlib-{__version__}-{name}"
    assert deposit_name(edition_of(headline | {"only": ["gadget"]})) == f"rarlib-{__version__}-other"


def test_deposit_says_which_tree_it_holds(source):
    found = documents(source, "smoke")
    content = yaml.safe_load(found["CITATION.cff"].data)
    assert content["identifiers"] == [
        {"type": "swh", "value": source.directory, "description": "The source tree, in source/"}
    ]
    assert (content["commit"], content["version"]) == (source.commit, __version__)
    assert source.directory in found["README.md"].data.decode()
    assert "{" not in found["README.md"].data.decode()
