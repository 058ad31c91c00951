"""The tree of digests of a deposit: each figure over its tables, their cells, the cells' code and data.

The digest of a node is the SHA-256 of its name, facts, files (with their digests) and of the digests of the nodes below
it, as JSON with sorted keys and no spaces. The digest of the root therefore covers every byte of the deposit.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ROOT_NODE = "deposit"


@dataclass
class Node:
    """A node: the files that belong to it, what is known besides, and the nodes below it."""

    files: dict[str, str] = field(default_factory=dict)
    children: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def digest_of(data: bytes) -> str:
    """SHA-256 of bytes, 64 digits."""
    return hashlib.sha256(data).hexdigest()


def digest_tree(nodes: Mapping[str, Node]) -> dict[str, str]:
    """Digest of every node that is the root or below it, by name."""
    done: dict[str, str] = {}

    def digest(name: str) -> str:
        if name not in done:
            node = nodes[name]
            below = {child: digest(child) for child in node.children}
            text = json.dumps([name, node.facts, node.files, below], sort_keys=True, separators=(",", ":"))
            done[name] = digest_of(text.encode())
        return done[name]

    digest(ROOT_NODE)
    return done


def tree_as_json(nodes: Mapping[str, Node]) -> bytes:
    """The content of `tree.json`: the root's digest and every node with its digest."""
    digests = digest_tree(nodes)
    listed = {
        name: {
            "digest": digests[name],
            "facts": nodes[name].facts,
            "files": nodes[name].files,
            "children": sorted(nodes[name].children),
        }
        for name in sorted(digests)
    }
    tree = {"root": digests[ROOT_NODE], "nodes": listed}
    return (json.dumps(tree, indent=1, sort_keys=True) + "\n").encode()
