"""A small package of one's own, from the files in `rarlib/templates/plugin`."""

import keyword
import re
from importlib.util import find_spec
from pathlib import Path
from string import Template

from rarlib.declared import scheduler_names
from rarlib.model.errors import InputError
from rarlib.model.project import CODE_ROOT
from rarlib.records.outputs import write_new_folder

PLUGIN_TEMPLATES = CODE_ROOT / "rarlib" / "templates" / "plugin"
_SUFFIX = ".template"
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LONGEST = 40


def plugin_files(name: str) -> dict[str, str]:
    """Content of the files of a new package, by path in its folder.

    Args:
        name: of the package and of its scheduler: lower-case words and hyphens.

    Raises:
        InputError: for a name that is none, that a scheduler has already, or under which Python imports something else.
    """
    package = name.replace("-", "_")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST or keyword.iskeyword(package) or package == "rarlib":
        rule = f"must be lower-case words joined by hyphens, {_LONGEST} characters at most, such as least-gpu-time"
        raise InputError(rule, field="name")
    if name in scheduler_names():
        raise InputError(f"a scheduler {name!r} is there already", field="name")
    found_before = find_spec(package)
    if found_before is not None and found_before.origin is not None:  # a folder without code has no origin
        rule = f"Python imports something else as {package!r}, which the new package would hide; take another name"
        raise InputError(rule, field="name")
    words = {
        "name": name,
        "package": package,
        "cls": "".join(word.capitalize() for word in name.split("-")),
        "label": name.replace("-", " ").capitalize(),
    }
    found = {}
    for path in sorted(PLUGIN_TEMPLATES.rglob(f"*{_SUFFIX}")):
        place = (
            path.relative_to(PLUGIN_TEMPLATES)
            .as_posix()
            .removesuffix(_SUFFIX)
            .replace("src/package/", f"src/{package}/")
        )
        found[place] = Template(path.read_text(encoding="utf-8")).substitute(words)
    return found


def write_plugin(name: str, folder: Path) -> list[Path]:
    """Write a new package into a folder of its name; gives the files.

    Args:
        name: see `plugin_files`.
        folder: where that folder is made.

    Raises:
        InputError: for a name that cannot be used, or a folder that is there already.
    """
    return write_new_folder(folder / name, plugin_files(name))
