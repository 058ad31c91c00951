"""What a command wrote must be read back by all others, whatever was in the trace that it came from."""

from pathlib import Path
from typing import Any

from rarlib.declared import scheduler_names
from rarlib.model.errors import InputError
from rarlib.records.batsim import to_batsim
from rarlib.records.job_history import lines
from rarlib.records.perfetto import to_perfetto
from rarlib.records.read import Record
from rarlib.records.swf import to_swf
from rarlib.records.waiting import decompose
from tests.fuzz import grammar, mutate, originals
from tests.fuzz.case import Files, Target
from tests.fuzz.draw import Draw
from tests.fuzz.targets.commands import BadEndingError, run_command


def simulated(inputs: Path, words: list[str]) -> None:
    """Run `rarlib simulate` on `t.csv`, and read what it wrote.

    Raises:
        InputError: the command refused its input.
        BadEndingError: it ended badly, or the run that it wrote is refused.
    """
    run_command(["simulate", "--trace", str(inputs / "t.csv"), "--out", "run", "--quiet", *words])
    try:
        record = Record.read(Path("run"))
        decompose(record)
        lines(record, len(record.jobs) - 1)
        for write in (to_perfetto, to_swf, to_batsim):
            write(record)
    except InputError as error:
        raise BadEndingError(f"refuses the run that it wrote: {error}") from error


def _chain(draw: Draw) -> tuple[Files, Any]:
    trace = (grammar.table if draw.chance(0.5) else mutate.table)(draw, originals.OWN)
    cost = draw.one([[], [], ["--cost", "ring"], ["--cost", "goodput"]])
    clock = draw.one([[], [], ["--quantum", "60"], ["--restart", "30"], ["--quantum", "0.3", "--restart", "0.1"]])
    cluster = draw.one(["1x8", "4x4", "t4:2x4,rtx:1x8", grammar.cluster(draw).replace("\0", "")])
    return {"t.csv": trace}, ["--scheduler", draw.one(scheduler_names()), "--cluster", cluster, *cost, *clock]


TARGETS = (Target("own-run", _chain, simulated, 2.5),)
