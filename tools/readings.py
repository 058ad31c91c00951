"""Fits the reading of a paper and writes what it rests on: `python -m tools.readings PAPER`.

The chosen reading goes to the end of config/readings/PAPER.yaml, its tables to results/expected/readings: the loss
along each unknown, every printed number beside ours, the guards, and pairs of numbers that exclude each other. Every
evaluation is kept in build/readings, so that an interrupted fit goes on where it was. Same code, same result.
"""

import hashlib
import importlib
import math
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from artifact.ledger import fit, guards
from artifact.ledger.reading import ALIVE, Outcomes, PaperPlan, read_plan
from artifact.unknowns import READINGS_FOLDER
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.model.project import ROOT

TABLES = ROOT / "results/expected/readings"
MODULES = {
    "sjf-bco": "artifact.papers.sjf_bco.inference",
    "gadget": "artifact.papers.gadget.inference",
    "aiturbo": "artifact.papers.aiturbo.inference",
    "pipedream": "artifact.papers.pipedream.inference",
}
SHORT = {"sjf-bco", "pipedream"}
"""Paper -> the module whose `outcomes` runs a reading; where a run is short, every figure is fitted in its turn."""

MADE = "# Made by `python -m tools.readings`: do not edit."
"""The line above what the program writes; everything before it is kept."""


def code_digest() -> str:
    """Digest of the code that runs a reading; what judges one does not change its outcomes."""
    digest = hashlib.sha256()
    for path in sorted(path for package in ("rarlib", "artifact") for path in (ROOT / package).rglob("*.py")):
        if "ledger" not in path.parts:
            digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def announce(plan: PaperPlan, outcomes: Outcomes) -> None:
    """Say how long a fit takes from its start, by one evaluation of each kind."""
    seconds = []
    for cheap in (True, False):
        outcomes(plan.text, 0, cheap)  # compiles what is not compiled yet
        began = time.perf_counter()
        outcomes(plan.text, 1, cheap)
        seconds.append(time.perf_counter() - began)
    (search, judged), effort, whole_plan = plan.seeds, plan.effort, guards.whole_search(plan)
    few, small, figures = whole_plan.seeds, whole_plan.effort, len({plan.where[name] for name in plan.tested}) + 2
    fitted = 2 * (effort.population * (effort.generations + 1) * search + 3 * effort.finalists * judged)
    whole = effort.random * effort.instances + 4 * effort.finalists * judged
    if plan.paper in SHORT:
        whole += figures * (small.population * (small.generations + 1) * few[0] + 6 * small.finalists * few[1])
    minutes = (fitted * seconds[0] + whole * seconds[1]) / 60.0
    print(
        f"Reading {plan.paper}: about {minutes:.0f} minutes on one core from its start. It may be interrupted: "
        "the same command goes on where it was.",
        flush=True,
    )


def write_chosen(path: Path, chosen: Mapping[str, Any]) -> None:
    """Replace what stands under `chosen`, the last key of the file."""
    text, _, _ = path.read_text(encoding="utf-8").partition(MADE)
    block = yaml.safe_dump({"chosen": dict(chosen)}, sort_keys=False, allow_unicode=True)
    write_text(path, f"{text.rstrip()}\n{MADE}\n{block}")


def tables(
    plan: PaperPlan, runs: fit.Runs, quick: fit.Runs, chosen: dict[str, Any], free: dict[str, Any]
) -> dict[str, pd.DataFrame]:
    """The tables of a fit.

    Args:
        plan: of the paper.
        runs: of the paper.
        quick: for random readings; the same, or what is about the same in far less time.
        chosen: the reading.
        free: the fit that need not keep the paper's subject alive.
    """
    readings = {"reading": chosen, "as_stated": plan.text, "free": dict(free)}
    along = fit.along(plan, runs, chosen)
    rows = []
    for name, each in readings.items():
        values = runs.of(each, plan.judged, cheap=False)
        made = f"without the subject {100 * guards.moved(plan, runs, each):.0f} % of the numbers move by more than 1 %"
        rows.append(guards.row(plan, name.replace("_", " "), values, made))
    drawn = guards.pool(plan, quick)
    rows += guards.chance(plan, drawn) + guards.equals_of(plan, runs)
    rows += guards.by_hand(plan, runs, chosen)
    if plan.paper in SHORT:
        rows += guards.left_to_the_text(plan, runs, chosen, along)
        rows += guards.other_figures(plan, runs) + guards.best_of_all(plan, runs)
    else:
        rows += guards.best_of_pool(plan, drawn)
    return {
        "along": along,
        "numbers": guards.numbers(plan, runs, readings),
        "guards": pd.DataFrame(rows, columns=guards.GUARD_COLUMNS),
        "pairs": guards.excluding(plan, drawn),
        "readings": pd.DataFrame(readings).rename_axis("unknown").reset_index(),
    }


def _in_short(quick_outcomes: Callable[[Mapping[str, Any], int], dict[str, float]]) -> Outcomes:
    """Outcomes of random readings, which say nothing of how alive the paper's subject is."""
    return lambda values, seed, _only_fitted: quick_outcomes(values, seed) | {ALIVE: math.nan}


def main() -> None:
    """Fit, write, and print the tables."""
    paper = sys.argv[1] if len(sys.argv) == 2 else ""
    if paper not in MODULES:
        raise InputError(f"name one of {', '.join(MODULES)}", field="PAPER")
    module = importlib.import_module(MODULES[paper])
    kept = ROOT / f"build/readings/{paper}-{code_digest()}"
    runs = fit.Runs(module.outcomes, kept.with_suffix(".jsonl"))
    quick = runs
    if hasattr(module, "quick_outcomes"):
        quick = fit.Runs(_in_short(module.quick_outcomes), kept.with_suffix(".quick.jsonl"))
    plan = read_plan(paper)
    announce(plan, module.outcomes)
    chosen = fit.fit(plan, runs)
    write_chosen(READINGS_FOLDER / f"{paper}.yaml", chosen)
    free = fit.fit(guards.anything_goes(plan), runs)
    if fit.clearly_worse(plan, *(runs.of(each, plan.judged, plan.cheap) for each in (free, chosen))):
        free = chosen  # a short search may miss what the other one met
    for name, table in tables(plan, runs, quick, chosen, free).items():
        write_text(TABLES / f"{paper}-{name}.csv", table.to_csv(index=False, lineterminator="\n"))
        print(f"\n{name}\n{table.to_string(index=False)}", flush=True)


if __name__ == "__main__":
    main()
