"""Digests of code outside of rarlib that a cell of a study runs: a file of the study, or an installed package."""

from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from rarlib.cost.named import added_cost_models
from rarlib.declared import offers
from rarlib.records.tidy import sha256
from rarlib.study.document import Study


def outside_code(study: Study, member: str) -> list[str]:
    """`NAME DIGEST` of every file outside of rarlib that makes a cell of this scheduler, sorted.

    Files of an installed package count with their paths in it, so the folder it lies in does not matter.
    """
    entrant = study.entrants[member]
    found = [f"{entrant.file} {sha256(study.folder / entrant.file)}"] if entrant.file else []
    points = [offers()[entrant.scheduler]] if entrant.scheduler in offers() else []
    models = added_cost_models()
    points += [models[each["model"]] for each in study.costs.values() if each["model"] in models]
    return sorted([*found, *(line for point in points for line in _package(point))])


def _package(point: EntryPoint) -> list[str]:
    """Python files of the package that an entry point leads to."""
    spec = find_spec(point.module.partition(".")[0])
    if spec is None:
        return []
    places = [Path(place) for place in spec.submodule_search_locations or []]
    files = {path.relative_to(place.parent): path for place in places for path in place.rglob("*.py")}
    if not places and spec.origin:
        files = {Path(Path(spec.origin).name): Path(spec.origin)}
    return [f"{name.as_posix()} {sha256(path)}" for name, path in files.items()]
