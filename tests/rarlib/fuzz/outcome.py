"""What came of a case: a valid result, a refusal in one line, or a finding."""

import os
import shutil
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

from rarlib.model.errors import DecisionError, InputError
from rarlib.model.project import ROOT
from tests.rarlib.fuzz.case import Case
from tests.rarlib.fuzz.guard import MOST_BYTES, MOST_S, Guard, OverrunError
from tests.rarlib.fuzz.registry import TARGETS
from tests.rarlib.fuzz.targets.commands import is_plain

VALID, REFUSED, FINDING = "valid", "refused", "finding"
_MOST_SAID = 2_500


class Outcome(NamedTuple):
    """What came of a case.

    Attributes:
        verdict: `VALID`, `REFUSED` or `FINDING`.
        said: the refusal, or what is wrong.
    """

    verdict: str
    said: str = ""


def outcome_of(case: Case, guard: Guard) -> Outcome:
    """Run a case in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="rarlib-fuzz-"))
    try:
        inputs, outputs, scratch = (folder / name for name in ("in", "out", "tmp"))
        for each in (inputs, outputs, scratch):
            each.mkdir()
        for name, content in case.files.items():
            (inputs / name).parent.mkdir(parents=True, exist_ok=True)
            (inputs / name).write_bytes(content)
        with guard.watching(outputs, scratch), warnings.catch_warnings():
            warnings.filterwarnings("error", category=RuntimeWarning, module="rarlib")
            found = _judged(case, inputs)
        return _within(found, guard)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _judged(case: Case, inputs: Path) -> Outcome:
    try:
        TARGETS[case.target].run(inputs, case.given)
    except (InputError, DecisionError) as error:
        said = str(error)
        short = len(said) < _MOST_SAID and is_plain(said)
        return Outcome(REFUSED if short else FINDING, said if short else f"no short line of text: {said[:300]!r}")
    except OverrunError as error:
        return Outcome(FINDING, f"more than {MOST_S:g} s of a processor{_place(error)}")
    except BaseException as error:  # whatever it is, the next case is run
        return Outcome(FINDING, f"{type(error).__name__}: {str(error)[:600]}{_place(error)}")
    return Outcome(VALID)


def _within(found: Outcome, guard: Guard) -> Outcome:
    if guard.touched:
        return Outcome(FINDING, f"touched what is not its own: {'; '.join(guard.touched[:3])}")
    peak = guard.taken_bytes()
    if peak > MOST_BYTES:
        return Outcome(FINDING, f"{peak / 2**20:,.0f} MiB of memory, then: {found.said[:200]}")
    return found


def _place(error: BaseException) -> str:
    """The last lines of the artifact that an error passed, the innermost first."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame
        for frame in frames
        if frame.filename.startswith((os.fspath(ROOT / "rarlib"), os.fspath(ROOT / "artifact")))
    ]
    return "".join(f" < {Path(frame.filename).name}:{frame.lineno}" for frame in reversed(own[-4:]))
