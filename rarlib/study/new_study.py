"""The folder of a new study, from the files in `rarlib/templates/study`."""

from pathlib import Path

from rarlib.model.errors import InputError
from rarlib.model.project import CODE_ROOT, ROOT
from rarlib.records.outputs import write_new_folder
from rarlib.study.entries import STUDY_NAME

STUDY_TEMPLATES = CODE_ROOT / "rarlib" / "templates" / "study"
_SUFFIX = ".template"
_LONGEST = 40
_PROFILE = "profiles/default/config.yaml"
"""How Snakemake runs: the study gets the file of the project."""


def study_files(name: str) -> dict[str, str]:
    """Content of the files of a new study, by path in its folder.

    Args:
        name: of the study and of its tables: lower-case words and hyphens.

    Raises:
        InputError: for a name that is none.
    """
    if not STUDY_NAME.fullmatch(name) or len(name) > _LONGEST:
        rule = f"must be lower-case words joined by hyphens, {_LONGEST} characters at most, such as shorter-queues"
        raise InputError(rule, field="name")
    words = {"name": name, "title": name.replace("-", " ").capitalize()}
    found = {}
    for path in sorted(STUDY_TEMPLATES.rglob(f"*{_SUFFIX}")):
        place = path.relative_to(STUDY_TEMPLATES).as_posix().removesuffix(_SUFFIX)
        text = path.read_text(encoding="utf-8")
        for word, value in words.items():  # LaTeX has dollar signs of its own
            text = text.replace(f"${word}", value)
        found[".gitignore" if place == "gitignore" else place] = text
    found[_PROFILE] = (ROOT / _PROFILE).read_text(encoding="utf-8")
    return found


def write_study(name: str, folder: Path) -> list[Path]:
    """Write a new study into a folder of its name; gives the files.

    Args:
        name: see `study_files`.
        folder: where that folder is made.

    Raises:
        InputError: for a name that cannot be used, or a folder that is there already.
    """
    return write_new_folder(folder / name, study_files(name))
