"""A case, what it is given to, and the list of all targets."""

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.rarlib.fuzz.draw import Draw

Files = dict[str, bytes]
"""Path below the folder of inputs -> content."""


class Case(NamedTuple):
    """One use of the artifact, whole enough to be repeated without the drawing that made it.

    Attributes:
        target: name of the target.
        files: its inputs.
        given: what else the target is told, as JSON holds it.
    """

    target: str
    files: Mapping[str, bytes]
    given: Any = None


class Target(NamedTuple):
    """A boundary of the artifact.

    Attributes:
        name: as in the summary.
        draw: draws the inputs of a case and what else it is given.
        run: uses the artifact; the working folder is the one for outputs. It returns when all is well, and raises what
            the artifact raises.
        weight: share of the cases, relative to other targets.
    """

    name: str
    draw: Callable[[Draw], tuple[Files, Any]]
    run: Callable[[Path, Any], object]
    weight: float = 1.0


def drawn_case(targets: Mapping[str, Target], draw: Draw) -> Case:
    """The case of a random stream."""
    weights = [each.weight for each in targets.values()]
    target = draw.random.choices(list(targets.values()), weights)[0]
    return Case(target.name, *target.draw(draw))


def to_text(case: Case) -> str:
    """A case as a file of the corpus: contents as text where they are text."""
    files = {name: _written(content) for name, content in case.files.items()}
    return json.dumps({"target": case.target, "given": case.given, "files": files}, indent=1) + "\n"


def from_text(text: str) -> Case:
    """The case that `to_text` wrote."""
    data = json.loads(text)
    return Case(data["target"], {name: _read(content) for name, content in data["files"].items()}, data["given"])


def _written(content: bytes) -> str | dict[str, str]:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def _read(content: str | dict[str, str]) -> bytes:
    return content.encode() if isinstance(content, str) else base64.b64decode(content["base64"])
