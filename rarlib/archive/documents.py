"""Documents at the top of a deposit: what it is, how to cite it, under which terms."""

import yaml

from rarlib import __version__
from rarlib.archive.source import Commit
from rarlib.archive.swhid import SourceFile

_COPIED = ("LICENSE", "LICENSES/MIT.txt", "REUSE.toml", "codemeta.json", ".zenodo.json")


def documents(source: Commit, name: str) -> dict[str, SourceFile]:
    """The documents by path.

    Args:
        source: the commit.
        name: of the deposit.
    """
    found = {path: source.files[path] for path in _COPIED}
    found["CITATION.cff"] = SourceFile(_citation(source).encode())
    text = source.files["archive/README.md"].data.decode()
    about = {"name": name, "version": __version__, "commit": source.commit, "day": source.day}
    for key, value in (about | {"directory": source.directory}).items():
        text = text.replace(f"{{{key}}}", value)
    found["README.md"] = SourceFile(text.encode())
    return found


def _citation(source: Commit) -> str:
    """CITATION.cff with what only a deposit knows: commit, date and the identifier of the tree."""
    content = yaml.safe_load(source.files["CITATION.cff"].data)
    content |= {"version": __version__, "commit": source.commit, "date-released": source.day}
    tree = {"type": "swh", "value": source.directory, "description": "The source tree, in source/"}
    content["identifiers"] = [*content.get("identifiers", []), tree]
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
