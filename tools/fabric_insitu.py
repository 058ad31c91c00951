"""The fast law on windows of the arena, beside the same runs phase by phase: `python -m tools.fabric_insitu`.

Writes results/expected/fabric-insitu.csv and a section of docs/fabric.md. Takes a quarter of an hour.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import yaml

from rarlib.arena.in_situ import RACKED, InSituRun, in_situ_runs
from rarlib.arena.inputs import ArenaInputs, profile_set
from rarlib.arena.settings import Setting, clusters_of
from rarlib.model.files import write_text
from tools.section import Section

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "expected" / "fabric-insitu.csv"
SECTION = Section("fabric.md", "in situ", "tools.fabric_insitu")
SCHEDULERS = ("tiresias", "drf", "optimus", "sjf-bco")
TRACES = ("sia-philly", "philly-pollux", "pai-sample", "aiturbo")
FABRICS = {"homogeneous": RACKED}
GOAL = 0.03
_PROCESSES = 2


def runs() -> pd.DataFrame:
    """All runs, on windows of the arena, a row each."""
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    section, made = config["experiments"]["arena"], profile_set("arena", config["profiles"]["arena"])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "arena.json"
        write_text(file, json.dumps(made.data))
        windows = [(trace, window) for trace in TRACES for window in section["windows"]]
        with ProcessPoolExecutor(_PROCESSES) as pool:
            found = [run for each in pool.map(partial(_window, file, section), windows) for run in each]
    return pd.DataFrame(found, columns=InSituRun._fields)


def _window(file: Path, section: dict[str, Any], window: tuple[str, int]) -> list[InSituRun]:
    """All runs on one window."""
    clusters = clusters_of(section["clusters"])
    base = Setting("", "", str(section["load"]), "k", section["restart"], str(section["error"]))
    chosen = {name: (clusters[name], fabric) for name, fabric in FABRICS.items()}
    found = list(in_situ_runs(ArenaInputs.read(file), chosen, base, [window], SCHEDULERS))
    for each in found:
        print(*each[:5], *(f"{100 * (value / each.flow_s - 1):+.2f} %" for value in each[7:9]), flush=True)
    return found


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns of `InSituRun`.
    """
    off = table.assign(
        law=table["law_s"] / table["flow_s"] - 1.0,
        counted=table["counted_s"] / table["flow_s"] - 1.0,
        again=table["again_s"] / table["flow_s"] - 1.0,
        waits=table["flow_contention_s"] / table["flow_s"],
    )
    lines = [
        "| cluster, fabric | scheduler | law: mean (largest), % | within 3 % | phases again: largest, % | counted: "
        "mean (largest), % | contention, % of turnaround |",
        "|---" * 7 + "|",
    ]
    for (cluster, fabric, scheduler), rows in off.groupby(["cluster", "fabric", "scheduler"], sort=False):
        lines.append(
            f"| {cluster}, {fabric} | {scheduler} | {_off(rows['law'])} | {_within(rows)} "
            f"| {100 * rows['again'].abs().max():.1f} | {_off(rows['counted'])} | {100 * rows['waits'].mean():.1f} |"
        )
    means = off.groupby("scheduler", sort=False)["law"].mean().abs()
    windows, pairs = len(off[["trace", "window"]].drop_duplicates()), len(off)
    verdict = "reached" if means.max() <= GOAL else "missed"
    said = (
        f"{windows} windows, {pairs} runs: the mean over windows differs by {100 * means.max():.1f} % at most for a "
        f"scheduler (the goal of 3 % is {verdict}), and {_within(off)} single runs are within 3 %; so are "
        f"{int((off['again'].abs() <= GOAL).sum())} of the runs whose phases are followed again."
    )
    standins = sorted(set(off.loc[off["standin"], "trace"]))
    if standins:
        said += f" Stand-ins: {', '.join(standins)}."
    return "\n".join([*lines, "", said, ""])


def _off(values: pd.Series) -> str:
    largest = values.iloc[int(np.argmax(values.abs().to_numpy()))]
    return f"{100 * values.mean():+.1f} ({100 * largest:+.1f})"


def _within(rows: pd.DataFrame) -> str:
    return f"{int((rows['law'].abs() <= GOAL).sum())} of {len(rows)}"


def main() -> None:
    """Run, and write the table and the section."""
    table = runs()
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6f"))
    SECTION.write(render(table))


if __name__ == "__main__":
    main()
