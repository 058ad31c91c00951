"""The rule for every file that a command or a notebook writes where a user said: what it may replace."""

from collections.abc import Iterable, Mapping
from os.path import lexists
from pathlib import Path
from shutil import rmtree

from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text
from rarlib.records.write import RUN_FILES


def check_outputs(
    outputs: Iterable[Path], inputs: Iterable[str | Path] = (), runs: Iterable[Path] = (), *, force: bool = False
) -> None:
    """Refuse to write a file in the place of another one, except of what we wrote ourselves.

    An input is never replaced, nor anything that is no regular file. Any other file that exists may be replaced in a
    folder with a run of ours, or beside such folders if the command writes all of them; files of the run itself only
    by another run. Call this before the work, so that a refusal costs nothing.

    Args:
        outputs: files that will be written; those of `runs` are added.
        inputs: files that are read, and folders whose files are; what does not exist does not count.
        runs: folders of runs that will be written.
        force: replace other files, too.

    Raises:
        InputError: naming the file that would be replaced, and why it may not be.
    """
    runs, read = list(runs), _files(inputs)
    for path in (*outputs, *(run / name for run in runs for name in RUN_FILES)):
        try:
            if not path.name or path.is_dir():
                raise InputError("is a folder; name a file", file=path)
            if not lexists(path):
                _check_folder(path)
                continue
            if not path.is_file():
                raise InputError("exists and is not a regular file", file=path)
            if any(path.samefile(each) for each in read):
                raise InputError("is an input of this command and is not replaced; choose another output", file=path)
        except OSError as error:
            raise InputError(f"cannot write there: {error.strerror}", file=path) from None
        except ValueError:  # a NUL
            raise InputError("is no path", file=repr(str(path))) from None
        if not force:
            _check_ours(path, runs)


def write_new_folder(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Write a folder that is not there yet, with files by path in it; gives the files.

    Raises:
        InputError: the folder is there already, would lie below something that is no folder, or cannot be written;
            nothing is left of it then.
    """
    if lexists(folder):
        raise InputError("is there already", file=folder)
    _check_folder(folder)
    try:
        for place, text in files.items():
            write_text(folder / place, text)
    except InputError:
        rmtree(folder, ignore_errors=True)
        raise
    return [folder / place for place in files]


def is_run_folder(folder: Path) -> bool:
    """Whether a folder holds a `run.json` that `write_run` wrote."""
    try:
        facts = read_json(folder / "run.json")
    except InputError:
        return False
    return isinstance(facts.get("digests"), dict) and isinstance(facts.get("versions"), dict)


def _check_folder(path: Path) -> None:
    """Refuse a new file below something that is no folder."""
    above = next((folder for folder in path.parents if lexists(folder)), None)
    if above is not None and not above.is_dir():
        raise InputError("cannot write there: it is not a folder", file=above)


def _check_ours(path: Path, runs: list[Path]) -> None:
    beside = [run for run in runs if run.parent == path.parent]
    if path.name in RUN_FILES and path.parent not in runs and is_run_folder(path.parent):
        raise InputError("belongs to the run in its folder; a command replaces it with --force", file=path)
    if not is_run_folder(path.parent) and not any(is_run_folder(run) for run in beside):
        raise InputError("exists, and its folder holds no run of ours; a command replaces it with --force", file=path)


def _files(inputs: Iterable[str | Path]) -> list[Path]:
    found: list[Path] = []
    for each in map(Path, inputs):
        try:
            found += [path for path in each.iterdir() if path.is_file()] if each.is_dir() else []
            found += [each] if each.is_file() else []
        except (OSError, ValueError):
            continue  # whoever reads it says what is wrong
    return found
