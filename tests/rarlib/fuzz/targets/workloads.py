"""Laws of workloads, and the commands that describe, draw and convert traces."""

from pathlib import Path
from typing import Any

import yaml

from rarlib.model.errors import InputError
from rarlib.traces.load import load_trace
from tests.rarlib.fuzz import grammar, mutate, originals
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.commands import BadEndingError, run_command

_LAWS: dict[str, Any] = {
    "arrivals": {
        "by_hour": [1.0] * 8 + [3.0] * 16,
        "by_weekday": [1, 1, 1, 1, 1, 0.5, 0.5],
        "bursts": {"calm_s": 7200, "burst_s": 1800, "ratio": 8},
        "batch_mean": 1.5,
    },
    "sizes": {1: 7, 2: 1, 8: 2},
    "durations": {
        1: {"law": "lognormal", "median_s": 600, "sigma": 1.5, "most_s": 1e6},
        8: {"law": "mixture", "parts": [
            {"weight": 0.4, "law": "weibull", "scale_s": 300, "shape": 0.5},
            {"weight": 0.6, "law": "pareto", "least_s": 600, "most_s": 1e6, "tail": 0.8},
        ]},
    },
    "load": {"target": 0.8, "cluster": "16x8"},
}  # fmt: skip
_RATE: dict[str, Any] = {"arrivals": {"per_hour": 30}, "sizes": {4: 1}, "durations": {1: _LAWS["durations"][1]}}
_OUT = "made.csv"


def _laws(draw: Draw) -> tuple[Files, Any]:
    laws = draw.one([_LAWS, _LAWS, _RATE])
    changed = mutate.numbers(draw, laws) if draw.chance(0.6) else mutate.tree(draw, laws)
    try:
        data = yaml.safe_dump(changed).encode("utf-8", "surrogatepass")
    except (yaml.YAMLError, UnicodeError):
        data = grammar.yaml(draw)
    if draw.chance(0.2):
        data = mutate.bytes_of(draw, data, separators=b" :\n,[")
    return {"w.yaml": data}, draw.one(["1", "2", "300", "5000"])


def _generate(inputs: Path, given: Any) -> None:
    run_command(["trace", "generate", str(inputs / "w.yaml"), "--jobs", given, "--out", _OUT])
    _read_back()


def _work(draw: Draw) -> tuple[Files, Any]:
    change = draw.one([mutate.table, grammar.table])
    trace = change(draw, originals.OWN if draw.chance(0.5) else draw.one(originals.traces())[1])
    return {"t.csv": trace}, draw.one([["describe", "--cluster", "2x8"], ["describe"], ["convert"]])


def _treat(inputs: Path, given: Any) -> None:
    out = [] if given[0] == "describe" else ["--out", _OUT]
    run_command(["trace", given[0], str(inputs / "t.csv"), *given[1:], *out])
    if given[0] == "convert":
        _read_back()


def _read_back() -> None:
    try:
        load_trace(Path(_OUT), network=False)
    except InputError as error:
        raise BadEndingError(f"refuses the trace that it wrote: {error}") from error


TARGETS = (Target("laws", _laws, _generate, 1.5), Target("trace-command", _work, _treat, 1.5))
