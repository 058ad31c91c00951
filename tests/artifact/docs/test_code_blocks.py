"""Every code block of the manual is run as it stands; what it prints, and draws, is what the page shows."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

from tests.artifact.docs.pages import PAGES, Block, Runner, blocks, copy_of_the_checkout

ELSEWHERE = "reproducing.md"
"""Its blocks are run in a fresh clone: tests/artifact/docs/test_reproducing.py."""


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != ELSEWHERE], ids=lambda page: page.stem)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("agg")
    monkeypatch.setenv("RARLIB_OFFLINE", "1")
    monkeypatch.setenv("RARLIB_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("RARLIB_MIRROR", raising=False)
    found = blocks(page)
    if not found:
        return
    with copy_of_the_checkout(tmp_path) as runner:
        for block in found:
            if wrong := _complaint(runner, block):
                pytest.fail(f"{page.name}, line {block.line}: {wrong}", pytrace=False)
    for name in re.findall(r"\]\(pictures/([\w.-]+)\)", page.read_text(encoding="utf-8")):
        made = tmp_path / "results" / name
        assert made.read_bytes() == (page.parent / "pictures" / name).read_bytes(), f"{name}: copy it from {made}"


def _complaint(runner: Runner, block: Block) -> str:
    try:
        runner.run(block)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
