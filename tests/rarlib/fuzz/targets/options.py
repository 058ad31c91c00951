"""Command lines: every command, every option that it declares, with usual and odd values."""

from functools import cache
from pathlib import Path
from typing import Any

import typer

from rarlib.cli.lazy import COMMAND_NAMES
from rarlib.cli.main import app
from tests.rarlib.fuzz import originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import run_command
from tests.rarlib.fuzz.targets.folders import result_files, run_files

_USUAL = {
    "trace": "{inputs}/t.csv", "run_folder": "{inputs}/run", "results": "{inputs}/results", "profile": "vgg16",
    "accepted": "{inputs}/results/claims.csv", "same_as": "{inputs}/results", "cluster": "2x4", "scheduler": "fifo",
    "out": "out", "picture": "picture", "machines": "2", "bandwidth": "1e9", "name": "las", "job": "a",
    "figure": "sjf-bco-fig4", "names": "tiresias-60", "why": "sjf-bco-001", "variant": "published", "format": "rarlib",
    "source": "{inputs}/t.csv",
    "param": "placement=pack", "contention": "alpha=0.3", "cost": "trace", "preset": "sia", "paper": "sjf-bco",
    "verdict": "reproduced", "role": "tested", "find": "GPU", "origin": "first",
}  # fmt: skip
_LEFT_OUT = {"help", "version", "debug", "force", "slurm"}
"""With `--force` a command may replace what it is told to, which the guard cannot know; `--slurm` starts daemons."""
_GROUPS = ("sources", "new", "trace")
"""Commands that are called with commands of their own."""
_NOT_RUN = {"doctor", "measured", *_GROUPS}
"""Each of them has a target of its own, with a data folder of the case; that of this machine would take seconds."""
_WRITTEN = {"out", "picture", "folder"}


@cache
def _commands() -> dict[str, list[Any]]:
    """The parameters of every command, by the words that call it."""
    top: Any = typer.main.get_command(app)
    found = {name: top.get_command(None, name).params for name in COMMAND_NAMES if name not in _NOT_RUN}
    for group in _GROUPS:
        within = top.get_command(None, group)
        found |= {f"{group} {name}": command.params for name, command in within.commands.items()}
    return found


def _line(draw: Draw) -> tuple[Files, Any]:
    call = draw.one(list(_commands()))
    words, after = call.split(" "), []
    for each in _commands()[call]:
        if each.name in _LEFT_OUT or not (each.required or draw.chance(0.3)):
            continue
        value = [] if getattr(each, "is_flag", False) else [_value(draw, each.name)]
        if each.param_type_name == "argument":
            after += value
        else:
            words += [draw.one(each.opts), *value]
            if draw.chance(0.02):
                words += [draw.one(each.opts), *value]
    words += after if draw.chance(0.98) else [*after, draw.argument()]
    if call in ("sources check", "sources fetch") and not after:
        words.append("tiresias-60")
    files = {"t.csv": originals.OWN, **{f"run/{name}": data for name, data in run_files().items()}}
    return files | {f"results/{name}": data for name, data in result_files().items()}, words


def _value(draw: Draw, name: str) -> str:
    if draw.chance(0.75) and name in _USUAL:
        return _USUAL[name]
    # A new file may be written to any folder that is named for it, so the inputs' folder is never named for outputs.
    folder = "{inputs}/t.csv" if name in _WRITTEN else "{inputs}"
    value = draw.one([draw.argument(), draw.argument(), draw.one(["{inputs}/t.csv", folder, "/dev/zero", "x.yaml"])])
    # What is written goes below the working folder, whatever the name.
    return value.lstrip("/~").replace("..", ".") if name in _WRITTEN and "{inputs}" not in value else value


def _call(inputs: Path, given: Any) -> None:
    run_command([word.replace("{inputs}", str(inputs)) for word in given])


TARGETS = (Target("command-line", _line, _call, 3.0),)
