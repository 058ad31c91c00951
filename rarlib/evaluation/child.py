"""The process in which a policy runs: FILE OUT BUDGET SEEDS SETTING...; limits of time and memory, no sandbox.

Every run adds a line of JSON to OUT: setting, seed, mean JCT (why it failed, if it did) and seconds.
"""

import json
import resource
import sys
import time
import traceback
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from rarlib.discovery import make_scheduler
from rarlib.evaluation.workloads import EVALUATION_SETTINGS, FIRST_LOOK, Drawn
from rarlib.model.errors import DecisionError, InputError, SchedulerError
from rarlib.simulator.engine import simulate

MEMORY_BYTES = 2**29
"""Memory of a policy, beyond what the simulator takes."""
FIRST_LOOK_S = 5
"""Seconds of a processor for the first look."""


def _policy(path: Path) -> Any:
    """An object of the only class of the file with a method `decide`, with the names that a scheduler has."""
    loader = SourceFileLoader("policy", str(path))
    spec = spec_from_loader("policy", loader)
    assert spec is not None
    sys.modules["policy"] = module = module_from_spec(spec)
    loader.exec_module(module)
    own = [each for each in vars(module).values() if isinstance(each, type) and each.__module__ == "policy"]
    found = [each for each in own if callable(getattr(each, "decide", None))]
    if len(found) != 1:
        raise InputError(f"the file must define one class with a method decide, {len(found)} found")
    name = str(getattr(found[0], "name", "") or path.stem[:100])
    return type(found[0].__name__, (found[0],), {"name": name, "label": name, "paper": ""})()


def main(path: Path, out: Path, budget_s: float, seeds: int, names: list[str]) -> None:
    """Run the first look and every setting seed by seed, until the budget is spent or a run fails."""
    sys.dont_write_bytecode = True  # beside the policy's file
    first = FIRST_LOOK.draw(0)
    simulate(first.jobs, first.cluster, make_scheduler("srtf"), first.cost, compiled=False)  # compiles what it needs
    pages, hard = int(Path("/proc/self/statm").read_text().split()[0]), resource.getrlimit(resource.RLIMIT_AS)[1]
    most = pages * resource.getpagesize() + MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    settings = {each.name: each for each in (FIRST_LOOK, *EVALUATION_SETTINGS)}
    runs = [(FIRST_LOOK.name, 0), *((name, seed) for seed in range(1, seeds + 1) for name in names)]
    _may_take(FIRST_LOOK_S)
    for place, (name, seed) in enumerate(runs):
        if place == 1:
            _may_take(budget_s)
            until = time.monotonic() + budget_s
        if place and time.monotonic() > until:
            return
        began = time.monotonic()
        found = _run(path, settings[name].draw(seed), seed)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, seed, found, time.monotonic() - began]) + "\n")
        if isinstance(found, str):
            return


def _run(path: Path, drawn: Drawn, seed: int) -> float | str:
    """The mean JCT in seconds, or why there is none."""
    try:
        run = simulate(drawn.jobs, drawn.cluster, _policy(path), drawn.cost, seed=seed, compiled=False)
        return float(run.turnaround_s.mean())
    except BaseException as error:  # a policy may raise anything, and each ends with a reason
        return _reason(error, str(path))


def _may_take(seconds: float) -> None:
    """Seconds of a processor from now on; whoever takes more is ended by SIGXCPU."""
    most = int(time.process_time() + min(seconds, 1e6)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _reason(error: BaseException, path: str) -> str:
    """What was raised, and the last line of the policy that it went through."""
    if isinstance(error, InputError | DecisionError | SchedulerError):
        return str(error)
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == path]
    said = f"{type(error).__name__}: {str(error)[:300]}".removesuffix(": ")
    return said + (f" (line {lines[-1]})" if lines else "")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
