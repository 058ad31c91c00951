"""The commit that results are made from. Its date is the only one in a report: the same sources give the same bytes."""

import subprocess
from pathlib import Path

from rarlib.model.project import ROOT

NO_COMMIT = "an unknown commit: the project's folder is no checkout of git"
TREE_FILE = "tree.json"
"""At the top of a deposit: digests of all files, and the commit that they are of."""
_DIGITS = 12


def commit_in_words(root: Path = ROOT) -> str:
    """Commit and date of a checkout, the lasting name of its source tree, and whether files differ from it.

    Args:
        root: top folder of a checkout. A folder inside another checkout has no commit of its own.

    Returns:
        `commit 0123456789ab of 2026-01-31 (swh:1:dir:...)`, followed by a remark if files differ from it; `NO_COMMIT`
        where git knows none. The name is that of Software Heritage (SWHID), whose digest of a tree is git's.
    """
    if not (root / ".git").exists():
        return NO_COMMIT
    try:
        digest, tree, date = _git(root, "log", "-1", "--no-show-signature", "--format=%H %T %cs").split()
        changed = _git(root, "status", "--porcelain")
    except (OSError, ValueError, subprocess.CalledProcessError):
        return NO_COMMIT
    remark = ", with changes that are not committed" if changed else ""
    return f"commit {digest[:_DIGITS]} of {date} (swh:1:dir:{tree}){remark}"


def _git(root: Path, *arguments: str) -> str:
    # Without the lock a run does not disturb somebody who commits meanwhile.
    command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
