"""Names and digests of the packages' files that requirements.lock allows: `python -m tools.wheels` (needs the network).

Writes workflow/archive/wheels.tsv. The lock knows digests only; in ten years, a file is found by its name. Listed are
the wheels for the systems that the artifact names (Linux and macOS, CPython 3.11 to 3.13), or the source where there is
none.
"""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.request import Request, urlopen

from packaging.utils import parse_wheel_filename

from rarlib.model.files import write_text

_ROOT = Path(__file__).resolve().parents[1]
LOCK, WHEELS = _ROOT / "requirements.lock", _ROOT / "workflow/archive/wheels.tsv"
COLUMNS = ("package", "version", "file", "sha256")
_INDEX = "https://pypi.org/simple/{name}/"
_ASKED = {"Accept": "application/vnd.pypi.simple.v1+json"}
_INTERPRETERS, _PLATFORMS = ("py3", "cp311", "cp312", "cp313"), ("any", "manylinux", "macosx")


class Locked(NamedTuple):
    """A package of the lock: its name, version, and the SHA-256 of each file that may be installed."""

    name: str
    version: str
    digests: frozenset[str]


def locked(text: str) -> list[Locked]:
    """The packages of a lock that uv wrote, in its order."""
    entries = re.findall(r"^([a-z0-9_.-]+)==([^ \\;]+)((?:.*\\\n)+.*)$", text, re.MULTILINE)
    return [Locked(name, version, frozenset(re.findall(r"sha256:(\w{64})", rest))) for name, version, rest in entries]


def serves(wheel: str) -> bool:
    """Whether a wheel is for one of the systems that the artifact names."""
    tags = parse_wheel_filename(wheel)[3]
    return any(
        (tag.interpreter in _INTERPRETERS or (tag.abi == "abi3" and tag.interpreter.startswith("cp3")))
        and tag.platform.startswith(_PLATFORMS)
        for tag in tags
    )


def files_of(package: Locked, published: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Rows of one package, by file name.

    Args:
        package: from the lock.
        published: file name -> SHA-256, of all its versions.
    """
    mine = {file: digest for file, digest in published.items() if digest in package.digests}
    wheels = [file for file in mine if file.endswith(".whl") and serves(file)]
    for file in sorted(wheels or [file for file in mine if not file.endswith(".whl")]):
        yield package.name, package.version, file, mine[file]


def _published(name: str) -> dict[str, str]:
    with urlopen(Request(_INDEX.format(name=name), headers=_ASKED), timeout=60) as answer:
        return {file["filename"]: file["hashes"]["sha256"] for file in json.load(answer)["files"] if file["hashes"]}


def main() -> None:
    """Write the list."""
    packages = locked(LOCK.read_text(encoding="utf-8"))
    with ThreadPoolExecutor(8) as pool:
        published = list(pool.map(_published, [package.name for package in packages]))
    rows = [row for package, files in zip(packages, published, strict=True) for row in files_of(package, files)]
    write_text(WHEELS, "".join("\t".join(row) + "\n" for row in [COLUMNS, *rows]))


if __name__ == "__main__":
    main()
