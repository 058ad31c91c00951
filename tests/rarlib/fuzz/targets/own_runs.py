"""What a command wrote must be read back by all others, whatever was in the trace that it came from."""

from collections.abc import Collection
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rarlib.declared import scheduler_names
from rarlib.discovery import parameters, scheduler_class
from rarlib.model.errors import InputError
from rarlib.model.limits import IDLE, PASSES
from rarlib.records.job_history import lines
from rarlib.records.perfetto import to_perfetto
from rarlib.records.read import Record
from rarlib.records.waiting import decompose
from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import BadEndingError, run_command

_SHORT_SEARCH = {"generations": 2, "population": 10, "round_s": 3_600}
"""A search in every minute of jobs that take days is no hang, but would take more than a case may."""
_SHORT_LIMIT = 0.001
"""A solver that is given time in every pass takes it, which is no hang either."""
_PASSES, _IDLE = PASSES._replace(most=20_000), IDLE._replace(most=2_000)
"""A million passes, which users may ask for, take longer than a case may."""


def short_search(name: str, stated: Collection[str] = ()) -> list[str]:
    """Options that keep a scheduler's search in every pass short, but for the parameters that are stated already."""
    known = parameters(scheduler_class(name))
    short = _SHORT_SEARCH if "generations" in known else {"limit": _SHORT_LIMIT} if known.get("limit") is float else {}
    return [
        word
        for key, value in short.items()
        if key in known and key not in stated
        for word in ("--param", f"{key}={value}")
    ]


def simulated(inputs: Path, words: list[str]) -> None:
    """Run `rarlib simulate` on `t.csv`, and read what it wrote.

    Raises:
        InputError: the command refused its input.
        BadEndingError: it ended badly, or the run that it wrote is refused.
    """
    with patch("rarlib.simulator.waking.PASSES", _PASSES), patch("rarlib.simulator.waking.IDLE", _IDLE):
        run_command(["simulate", "--trace", str(inputs / "t.csv"), "--out", "run", "--quiet", *words])
    try:
        record = Record.read(Path("run"))
        decompose(record)
        lines(record, len(record.jobs) - 1)
        to_perfetto(record)
    except InputError as error:
        raise BadEndingError(f"refuses the run that it wrote: {error}") from error


def _chain(draw: Draw) -> tuple[Files, Any]:
    trace = (grammar.table if draw.chance(0.5) else mutate.table)(draw, originals.OWN)
    cost = draw.one([[], [], ["--cost", "ring"], ["--cost", "goodput"]])
    clock = draw.one([[], [], ["--quantum", "60"], ["--restart", "30"], ["--quantum", "0.3", "--restart", "0.1"]])
    cluster = draw.one(["1x8", "4x4", "t4:2x4,rtx:1x8", grammar.cluster(draw).replace("\0", "")])
    name = draw.one(scheduler_names())
    return {"t.csv": trace}, ["--scheduler", name, "--cluster", cluster, *cost, *clock, *short_search(name)]


TARGETS = (Target("own-run", _chain, simulated, 2.5),)
