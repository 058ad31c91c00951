"""The page of what an input may hold at most, docs/limits.md, from the caps: `python -m tools.limits`."""

import sys
from pathlib import Path

from rarlib.model.files import write_text
from rarlib.model.limits import CAPS, Cap

_TOP = """# Limits of inputs

Made by `python -m tools.limits` from the caps in `rarlib/model/limits.py`. A trace, cluster, profile or list that holds
more than this is refused with one line that names the file and the cap (exit code 2), before memory or time is spent on
it. Files are read in chunks, and only regular files are read: no pipe, device or folder.

| most | of | in | because |
|---|---|---|---|
"""


def render() -> str:
    """The page as Markdown."""
    return _TOP + "".join(map(_row, CAPS))


def _row(cap: Cap) -> str:
    return f"| {cap.most:,} | {cap.what} | {cap.where} | {cap.why} |\n"


def main() -> int:
    """Write docs/limits.md."""
    write_text(Path(__file__).resolve().parents[1] / "docs" / "limits.md", render())
    return 0


if __name__ == "__main__":
    sys.exit(main())
