"""The commit that results are made from. Its date is the only one in a report: the same sources give the same bytes."""

import subprocess
from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.model.files import read_json
from rarlib.model.project import ROOT
from rarlib.records.tidy import sha256

NO_COMMIT = "an unknown commit: the project's folder is no checkout of git and lies in no deposit"
TREE_FILE = "tree.json"
"""At the top of a deposit: digests of all files, and the commit that they are of."""
_DIGITS = 12


def commit_in_words(root: Path = ROOT) -> str:
    """Commit and date of a checkout, the lasting name of its source tree, and whether files differ from it.

    Args:
        root: top folder of a checkout, or the folder `source` of an unpacked deposit, which says what it was made of. A
            folder inside another checkout has no commit of its own.

    Returns:
        `commit 0123456789ab of 2026-01-31 (swh:1:dir:...)`, followed by remarks if it was read in a deposit, and if
        files differ from it; `NO_COMMIT` where neither git nor a deposit knows. The name is that of Software Heritage
        (SWHID), whose digest of a tree is git's.
    """
    if not (root / ".git").exists():
        return _of_deposit(root)
    try:
        digest, tree, date = _git(root, "log", "-1", "--no-show-signature", "--format=%H %T %cs").split()
        changed = _git(root, "status", "--porcelain")
    except (OSError, ValueError, subprocess.CalledProcessError):
        return NO_COMMIT
    remark = ", with changes that are not committed" if changed else ""
    return f"commit {digest[:_DIGITS]} of {date} (swh:1:dir:{tree}){remark}"


def _of_deposit(root: Path) -> str:
    """What a deposit says of its folder `source`. New files are not looked for: results and the environment are new."""
    try:
        nodes = read_json(root.parent / TREE_FILE)["nodes"]
        facts = nodes["deposit"]["facts"]
        named = f"commit {facts['commit'][:_DIGITS]} of {facts['day']} ({facts['directory']}), from a deposit"
        files = {name: digest for node in nodes.values() for name, digest in node["files"].items()}
    except (InputError, KeyError, TypeError, AttributeError, OSError):
        return NO_COMMIT
    own = {root.parent / name: digest for name, digest in files.items() if name.startswith(f"{root.name}/")}
    if not own:
        return NO_COMMIT
    changed = any(not path.is_file() or sha256(path) != digest for path, digest in own.items())
    return f"{named}, with changes" if changed else named


def _git(root: Path, *arguments: str) -> str:
    # Without the lock a run does not disturb somebody who commits meanwhile.
    command = ["git", "--no-optional-locks", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
