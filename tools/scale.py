"""What runs of any size take, into docs/scale.md: `python -m tools.scale`, from the records in benchmarks/."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.workflow.costs import recorded_probe_s
from rarlib.workflow.full import seconds_by_job
from rarlib.workflow.settings import merged
from tools.section import Section

ROOT = Path(__file__).resolve().parents[1]
SECTION = Section("scale.md", "scale", "tools.scale")
HELIOS = {"Venus": 247_000, "Earth": 873_000, "Saturn": 1_753_000, "Uranus": 490_000}
"""Jobs of the four clusters of Helios, to the nearest thousand (Hu et al., SC 2021, Table 1: 3.36 million in all)."""
PAI_JOBS = 1_200_000
"""Jobs of PAI's trace (Weng et al., NSDI 2022, section 3)."""
CORES = (1, 100, 10_000)
_TAIL = 3


class Law:
    """Seconds of a run by its jobs: the power law through the largest runs measured, `seconds = a jobs^b`.

    Attributes:
        power: b.
    """

    def __init__(self, jobs: Any, seconds: Any) -> None:
        tail = slice(-_TAIL, None)
        self.power, self._log_a = np.polyfit(np.log(np.asarray(jobs)[tail]), np.log(np.asarray(seconds)[tail]), 1)

    def seconds(self, jobs: float) -> float:
        """Seconds of a run with so many jobs."""
        return float(np.exp(self._log_a) * jobs**self.power)


def normalised(record: pd.DataFrame, probe: float) -> pd.DataFrame:
    """Measurements as they would be on a machine with this probe."""
    times = [name for name in ("seconds", "deciding_s", "median_s", "worst_s") if name in record]
    return record.assign(**{name: record[name] * probe / record["probe_s"] for name in times})


def by_scheduler(record: pd.DataFrame, workload: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Measurements of each scheduler, the smallest first."""
    for name, rows in record[record["workload"] == workload].groupby("scheduler"):
        yield str(name), rows.sort_values("jobs")


def said(seconds: float) -> str:
    """A time, with its unit."""
    for unit, size in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def measured_table(record: pd.DataFrame, workload: str) -> str:
    """Table: the largest run of each scheduler, how its cost grows, and what the law says of it from smaller runs."""
    lines = [
        "| scheduler | jobs | time | memory | grows as | passes | worst pass | deciding | prediction |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, rows in by_scheduler(record, workload):
        last, law = rows.iloc[-1], Law(rows["jobs"], rows["seconds"])
        if len(rows) > _TAIL:
            error = Law(rows["jobs"][:-1], rows["seconds"][:-1]).seconds(last["jobs"]) / last["seconds"] - 1
        else:
            error = np.nan
        cells = [
            name,
            f"{last['jobs']:,.0f}",
            said(last["seconds"]),
            f"{last['memory_mb']:,.0f} MB",
            f"n^{law.power:.2f}",
            f"{last['decisions']:,.0f}",
            said(last["worst_s"]) if last["deciding_s"] else "compiled",
            f"{100 * last['deciding_s'] / last['seconds']:.0f} %" if last["deciding_s"] else "compiled",
            f"{100 * error:+.0f} %" if np.isfinite(error) else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def held_out(record: pd.DataFrame) -> str:
    """Sentence: how far predictions of the largest runs are off."""
    errors = []
    for workload in record["workload"].unique():
        for _, rows in by_scheduler(record, workload):
            if len(rows) > _TAIL:
                law = Law(rows["jobs"][:-1], rows["seconds"][:-1])
                errors.append(law.seconds(rows["jobs"].iloc[-1]) / rows["seconds"].iloc[-1] - 1)
    off = np.abs(errors)
    return (
        f"Predicted from the {_TAIL} runs before it, the largest run of a scheduler is off by "
        f"{100 * np.median(off):.0f} % in the median and {100 * off.max():.0f} % at worst; "
        f"{sum(off <= 0.25)} of {len(off)} are within 25 %."
    )


def traces_table(record: pd.DataFrame) -> str:
    """Table: what whole traces would take, for every scheduler in the arena's way."""
    philly = int(record[record["workload"] == "philly"]["jobs"].max())
    sizes = {"Philly": [philly], "PAI": [PAI_JOBS], "Helios": list(HELIOS.values())}
    head = [f"{name}, {sum(jobs):,} jobs" for name, jobs in sizes.items()]
    lines = [f"| scheduler | {' | '.join(head)} | Helios, largest cluster | spent on |", "|---" * 6 + "|"]
    totals: dict[str, list[float]] = {name: [] for name in sizes}
    for name, rows in by_scheduler(record, "philly"):
        law, last = Law(rows["jobs"], rows["seconds"]), rows.iloc[-1]
        for trace, jobs in sizes.items():
            totals[trace].append(sum(law.seconds(each) for each in jobs))
        known = last["seconds"] if last["jobs"] == philly else law.seconds(philly)
        bottleneck = "decisions" if last["deciding_s"] > 0.5 * last["seconds"] else "events and training"
        cells = [
            f"{said(known)}{'' if last['jobs'] == philly else ' (predicted)'}",
            *(said(totals[trace][-1]) for trace in ("PAI", "Helios")),
            said(max(law.seconds(each) for each in HELIOS.values())),
            bottleneck,
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def studies(record: pd.DataFrame) -> list[tuple[str, list[float]]]:
    """Seconds of each job of larger studies; a job is a run, or a cell of the pipeline."""
    costs = pd.read_csv(ROOT / "benchmarks" / "costs.csv", keep_default_na=False)
    default = merged(ROOT / "config" / "config.yaml")
    full = merged(ROOT / "config" / "config.yaml", ROOT / "config" / "full.yaml")
    laws = [Law(rows["jobs"], rows["seconds"]) for _, rows in by_scheduler(record, "philly")]
    philly = int(record[record["workload"] == "philly"]["jobs"].max())
    return [
        ("`make reproduce`", seconds_by_job(costs, default, default).tolist()),
        ("`make full`", seconds_by_job(costs, default, full).tolist()),
        ("Philly, all schedulers", [law.seconds(philly) for law in laws]),
        ("PAI, all schedulers", [law.seconds(PAI_JOBS) for law in laws]),
        ("Helios, all schedulers", [law.seconds(jobs) for law in laws for jobs in HELIOS.values()]),
    ]


def studies_table(record: pd.DataFrame) -> str:
    """Table: what studies take on many cores: never less than their longest job."""
    lines = [
        f"| study | jobs | {' | '.join(f'{cores:,} core' + 's' * (cores > 1) for cores in CORES)} | cores that help |",
        "|---" * (len(CORES) + 3) + "|",
    ]
    for name, jobs in studies(record):
        times = [said(max(sum(jobs) / cores, *jobs)) for cores in CORES]
        lines.append(f"| {name} | {len(jobs):,} | {' | '.join(times)} | {np.ceil(sum(jobs) / max(jobs)):.0f} |")
    return "\n".join(lines)


def rounds_table(record: pd.DataFrame) -> str:
    """Table: decisions on a large cluster, from benchmarks/large_rounds.csv."""
    lines = ["| scheduler | GPUs | jobs, at most | decisions | median | worst | proven gap |", "|---" * 7 + "|"]
    for row in record.to_dict("records"):
        gap = f"{row['gap']:.1e}" if np.isfinite(row["gap"]) else ""
        sizes = f"{row['gpus']:,} | {row['jobs']:,} | {row['passes']}"
        lines.append(f"| {row['scheduler']} | {sizes} | {said(row['median_s'])} | {said(row['worst_s'])} | {gap} |")
    return "\n".join(lines)


def render() -> str:
    """All tables as Markdown."""
    costs = pd.read_csv(ROOT / "benchmarks" / "costs.csv", keep_default_na=False)
    probe = recorded_probe_s(costs)
    record = normalised(pd.read_csv(ROOT / "benchmarks" / "scale.csv"), probe)
    rounds = normalised(pd.read_csv(ROOT / "benchmarks" / "large_rounds.csv"), probe)
    return "\n\n".join(
        [
            "Philly's first jobs in the arena's way, one run of each scheduler:",
            measured_table(record, "philly"),
            "Jobs like Philly's with recorded durations, compiled runs:",
            measured_table(record, "stream"),
            held_out(record),
            "Decisions on a large cluster where many jobs are alike (`benchmarks/large_rounds.py`):",
            rounds_table(rounds),
            "Whole traces in the arena's way, each run on one core:",
            traces_table(record),
            "Studies:",
            studies_table(record),
        ]
    )


def main() -> None:
    """Put the tables into docs/scale.md."""
    SECTION.write(render())


if __name__ == "__main__":
    main()
