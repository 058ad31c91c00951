"""The map of the house in docs/contributing.md has every folder."""

import re

from tests.artifact.docs.pages import ROOT

MADE = {"build"}
"""Folders that are not kept."""


def test_every_folder_is_on_the_map() -> None:
    text = (ROOT / "docs/contributing.md").read_text(encoding="utf-8").partition("## Map of the house")[2]
    rows = [line.split("|")[1] for line in text.partition("\n## ")[0].splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`([^`]+)/`", row)}
    kept = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.endswith(".egg-info")} - MADE
    assert {name for name in kept if not name.startswith((".", "_"))} <= named
    assert all((ROOT / name).is_dir() for name in named)
