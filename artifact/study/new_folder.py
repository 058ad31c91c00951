"""The files of a new package or study of one's own, from the templates in `artifact/templates`."""

import keyword
from collections.abc import Mapping
from importlib.util import find_spec

from artifact.study.entries import STUDY_NAME
from rarlib.declared import scheduler_names
from rarlib.model.errors import InputError
from rarlib.model.project import ROOT

NEW_FOLDERS = ROOT / "artifact" / "templates"
_SUFFIX = ".template"
_LONGEST = 40
_PROFILE = "profiles/default/config.yaml"
"""How Snakemake runs: the study gets the file of the project."""


def plugin_files(name: str) -> dict[str, str]:
    """Content of the files of a new package, by path in its folder.

    Raises:
        InputError: for a name that is none, that a scheduler has already, or under which Python imports something else.
    """
    package = name.replace("-", "_")
    _check_name(name, "least-gpu-time", refused=keyword.iskeyword(package) or package == "rarlib")
    if name in scheduler_names():
        raise InputError(f"a scheduler {name!r} is there already", field="name")
    found_before = find_spec(package)
    if found_before is not None and found_before.origin is not None:  # a folder without code has no origin
        rule = f"Python imports something else as {package!r}, which the new package would hide; take another name"
        raise InputError(rule, field="name")
    cls = "".join(word.capitalize() for word in name.split("-"))
    words = {"name": name, "package": package, "cls": cls, "label": name.replace("-", " ").capitalize()}
    return {place.replace("src/package/", f"src/{package}/"): text for place, text in _filled("plugin", words).items()}


def study_files(name: str) -> dict[str, str]:
    """Content of the files of a new study, by path in its folder.

    Raises:
        InputError: for a name that is none.
    """
    _check_name(name, "shorter-queues")
    found = _filled("study", {"name": name, "title": name.replace("-", " ").capitalize()})
    return found | {".gitignore": found.pop("gitignore"), _PROFILE: (ROOT / _PROFILE).read_text(encoding="utf-8")}


def _check_name(name: str, example: str, *, refused: bool = False) -> None:
    if refused or not STUDY_NAME.fullmatch(name) or len(name) > _LONGEST:
        rule = f"must be lower-case words joined by hyphens, {_LONGEST} characters at most, such as {example}"
        raise InputError(rule, field="name")


def _filled(kind: str, words: Mapping[str, str]) -> dict[str, str]:
    """The templates of a kind, by path, with `$WORD` replaced."""
    found = {}
    for path in sorted((NEW_FOLDERS / kind).rglob(f"*{_SUFFIX}")):
        text = path.read_text(encoding="utf-8")
        for word, value in words.items():  # LaTeX has dollar signs of its own
            text = text.replace(f"${word}", value)
        found[path.relative_to(NEW_FOLDERS / kind).as_posix().removesuffix(_SUFFIX)] = text
    return found
