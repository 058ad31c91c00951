"""Communication policies under schedulers, on the same batches: `python -m tools.fabric_schedulers` (some minutes).

Writes results/expected/fabric-schedulers.csv and a section of docs/fabric.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import t as student

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.discovery import make_policy, make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.files import write_text
from rarlib.model.seeds import stream
from rarlib.papers.sjf_bco.premise import premise_batch, premise_shape
from rarlib.simulator.engine import simulate
from tools.section import Section

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "expected" / "fabric-schedulers.csv"
SECTION = Section("fabric.md", "schedulers", "tools.fabric_schedulers")
SCHEDULERS = ("fifo", "sjf", "srtf", "las", "tiresias", "drf", "sjf-bco", "gadget")
POLICIES: Mapping[str, tuple[str, dict[str, Any]]] = {
    "fair sharing": ("fair", {}),
    "shifts (CASSINI)": ("cassini", {}),
    "priorities (Crux)": ("crux", {"parts": "priorities"}),
    "paths (Crux)": ("crux", {"parts": "paths"}),
    "both (Crux)": ("crux", {}),
}
PERIODS = ("random", "simple")
SEEDS = tuple(range(1, 13))
DUTY, SHARERS, OVERSUBSCRIPTION = 0.4, 4, 2.0
_SIMPLE_S = (0.3, 0.6, 1.2)
_LAW = "fast law"


class PolicyRun(NamedTuple):
    """A scheduler on one batch under one policy; `policy` is `_LAW` for the fast law, which knows no policies.

    Attributes:
        periods: one of `PERIODS`.
        scheduler: its name.
        policy: a key of `POLICIES`, or the fast law.
        seed: of the batch.
        mean_jct_s: mean completion time.
        makespan_s: latest finish.
        contention_s: mean contention.
    """

    periods: str
    scheduler: str
    policy: str
    seed: int
    mean_jct_s: float
    makespan_s: float
    contention_s: float


def runs(seeds: Sequence[int], schedulers: Sequence[str] = SCHEDULERS) -> Iterator[PolicyRun]:
    """All runs, on batches whose periods are random or in simple ratios."""
    for seed in seeds:
        for periods in PERIODS:
            jobs, alone = premise_batch(seed, DUTY)
            if periods == "simple":
                drawn = stream(seed, "fabric", "simple periods").choice(_SIMPLE_S, len(jobs))
                alone = replace(alone, iteration_s=drawn)
            shape = premise_shape(SHARERS, OVERSUBSCRIPTION)
            cluster = laid_out(Cluster.of([SHARERS] * shape.servers), shape)
            costs = {_LAW: on_fabric(alone, shape)}
            for policy, (name, params) in POLICIES.items():
                costs[policy] = on_fabric(alone, shape, grade="flow", policy=make_policy(name, params))
            for scheduler in schedulers:
                for policy, cost in costs.items():
                    run = simulate(jobs, cluster, make_scheduler(scheduler, {}), cost, seed=seed)
                    means = float(run.turnaround_s.mean()), float(run.makespan_s), float(run.contention_s.mean())
                    yield PolicyRun(periods, scheduler, policy, seed, *means)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half the width of its 95 % interval (Student's t)."""
    n = len(values)
    half = float(student.ppf(0.975, n - 1)) * float(np.std(values, ddof=1)) / n**0.5
    return float(np.mean(values)), half


def _cell(wide: pd.DataFrame, policy: str) -> str:
    mean, half = interval((100.0 * (wide[policy] / wide["fair sharing"] - 1.0)).tolist())
    return f"{mean:+.1f} ± {half:.1f}"


def render(table: pd.DataFrame) -> str:
    """The section as Markdown.

    Args:
        table: columns of `PolicyRun`.
    """
    compared = [_LAW, *(policy for policy in POLICIES if policy != "fair sharing")]
    parts = []
    for periods in PERIODS:
        lines = [
            "| scheduler | fair sharing, s | contention, s | " + " | ".join(f"{each}, %" for each in compared) + " |",
            "|---" * (3 + len(compared)) + "|",
        ]
        for scheduler in SCHEDULERS:
            mine = table[(table["periods"] == periods) & (table["scheduler"] == scheduler)]
            wide = mine.pivot_table(index="seed", columns="policy", values="mean_jct_s")
            waits = mine.loc[mine["policy"] == "fair sharing", "contention_s"].mean()
            cells = " | ".join(_cell(wide, each) for each in compared)
            lines.append(f"| {scheduler} | {wide['fair sharing'].mean():.0f} | {waits:.1f} | {cells} |")
        told = {"random": "Random periods", "simple": "Periods in ratios of 1, 2 and 4 on one server"}[periods]
        parts.append(f"{told}, {table['seed'].nunique()} batches:\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Run, and write the table and the section."""
    table = pd.DataFrame(runs(SEEDS), columns=PolicyRun._fields)
    write_text(TABLE, table.to_csv(index=False, lineterminator="\n", float_format="%.6f"))
    SECTION.write(render(pd.read_csv(TABLE)))


if __name__ == "__main__":
    main()
