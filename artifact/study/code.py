"""Digests of code outside of rarlib that a cell of a study runs: a file of the study, or an installed package."""

from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from artifact.study.document import Study
from rarlib.cost.named import added_cost_models
from rarlib.declared import offers
from rarlib.records.tidy import sha256


def outside_files(study: Study, member: str) -> dict[str, Path]:
    """Files outside of rarlib that make a cell of this scheduler, by name.

    A file of the study has its path in the study's folder. Files of an installed package have their paths in it, so the
    folder it lies in does not matter.
    """
    entrant = study.entrants[member]
    found = {entrant.file: study.folder / entrant.file} if entrant.file else {}
    points = [offers()[entrant.scheduler]] if entrant.scheduler in offers() else []
    models = added_cost_models()
    points += [models[each["model"]] for each in study.costs.values() if each["model"] in models]
    for point in points:
        found |= _package(point)
    return found


def outside_code(study: Study, member: str) -> list[str]:
    """`NAME DIGEST` of every file of `outside_files`, sorted."""
    return sorted(f"{name} {sha256(path)}" for name, path in outside_files(study, member).items())


def _package(point: EntryPoint) -> dict[str, Path]:
    """Python files of the package that an entry point leads to."""
    spec = find_spec(point.module.partition(".")[0])
    if spec is None:
        return {}
    places = [Path(place) for place in spec.submodule_search_locations or []]
    files = {path.relative_to(place.parent): path for place in places for path in place.rglob("*.py")}
    if not places and spec.origin:
        files = {Path(Path(spec.origin).name): Path(spec.origin)}
    return {name.as_posix(): path for name, path in files.items()}
