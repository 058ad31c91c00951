"""Software Heritage identifiers (ISO/IEC 18670) of a tree of files: those of git, computed without git."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple


class SourceFile(NamedTuple):
    """A file under version control."""

    data: bytes
    executable: bool = False


def tree_digest(files: Mapping[str, SourceFile]) -> str:
    """Digest that git gives a tree, 40 hexadecimal digits."""
    return _tree({name.encode(): file for name, file in files.items()}).hex()


def _tree(files: Mapping[bytes, SourceFile]) -> bytes:
    folders: dict[bytes, dict[bytes, SourceFile]] = {}
    entries = []
    for name, file in files.items():
        first, slash, rest = name.partition(b"/")
        if slash:
            folders.setdefault(first, {})[rest] = file
        else:
            mode = b"100755" if file.executable else b"100644"
            entries.append((first, mode, _object(b"blob", file.data)))
    entries += [(name + b"/", b"40000", _tree(inside)) for name, inside in folders.items()]
    # Git sorts a folder as if its name ended in a slash.
    lines = (mode + b" " + name.rstrip(b"/") + b"\0" + digest for name, mode, digest in sorted(entries))
    return _object(b"tree", b"".join(lines))


def _object(kind: bytes, data: bytes) -> bytes:
    return hashlib.sha1(b"%s %d\0%s" % (kind, len(data), data), usedforsecurity=False).digest()
