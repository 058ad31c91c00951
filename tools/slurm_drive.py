"""Schedulers of ours decide for a real Slurm: `python -m tools.slurm_drive` (docs/slurm.md).

`rarlib drive` runs twelve jobs on five servers of a Slurm on this machine, with one scheduler after the other, and once
more with a driver that is killed without notice and started again. What Slurm did is compared with the simulated
schedule.
`--accept` copies the table of the last run to results/expected.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from artifact.slurm.history import SAY_GPUS, cpu_counts, node_numbers
from artifact.slurm.loopback import Loopback
from rarlib.cost.trace import TraceCost
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.model.files import write_text
from rarlib.model.jobs import Jobs
from rarlib.model.project import ROOT
from rarlib.simulator.engine import simulate
from rarlib.simulator.run import Run

OUT, ACCEPTED = ROOT / "build/slurm-drive/starts.csv", ROOT / "results/expected/slurm-drive.csv"
CLUSTER = "5x4"
JOBS = (
    (0, 8, 30), (0, 8, 22), (0, 4, 50), (0, 16, 15), (0, 4, 40), (0, 8, 27),
    (0, 4, 36), (10, 12, 10), (10, 4, 8), (10, 8, 18), (36, 20, 6), (36, 4, 5),
)  # fmt: skip
"""Submission, GPUs and length of each job; seconds."""

INTERVAL_S, LATE_S = 0.5, 2.5
"""Between two steps of the driver; within this much more than a step, Slurm carries out what it is told."""

SAME_ORDER = {"fifo": 1.0, "sjf-bco": 1.0, "srtf": 0.8}
"""Share of the pairs of jobs that must start in the order simulated. Delays change what is left of a job, and with it
whom SRTF stops."""

MOST_S = 400.0


class Case(NamedTuple):
    """A scheduler, and whether its driver is killed and started again after the last submission."""

    name: str
    scheduler: str
    killed: bool = False


CASES = (
    Case("fifo", "fifo"),
    Case("sjf-bco", "sjf-bco"),
    Case("srtf", "srtf"),
    Case("srtf, driver killed", "srtf", True),
)

_SCRIPT = """\
#!/bin/sh
# Sleeps for what is left of its length; what it has slept is kept in a file, as a checkpoint would be.
now() {{ echo $(($(date +%s%N) / 1000000)); }}
began=$(now)
done=$(cat {folder}/done.$SLURM_JOB_ID 2>/dev/null || echo 0)
echo start $began $({say}) >> {folder}/said.$SLURM_JOB_ID
left=$(({length_ms} - done))
stopped() {{
    trap '' TERM
    echo $((done + $(now) - began)) > {folder}/done.$SLURM_JOB_ID
    echo stop $(now) >> {folder}/said.$SLURM_JOB_ID
    exit 1
}}
trap stopped TERM
sleep $((left / 1000)).$(printf %03d $((left % 1000))) &
if wait $!; then echo end $(now) >> {folder}/said.$SLURM_JOB_ID; else stopped; fi
"""


def drive(case: Case) -> pd.DataFrame:
    """Bring up a Slurm, let it be driven, and compare; one row per job."""
    gpus = Cluster.parse(CLUSTER).gpus.tolist()
    with (
        tempfile.TemporaryDirectory(prefix="rarlib-", dir="/tmp") as name,
        Loopback(
            Path(name), gpus, settings={"SchedulerParameters": "batch_sched_delay=0,sched_min_interval=100000"}
        ) as loopback,
    ):
        folder = Path(name)
        driver = _driver(case, loopback, folder)
        try:
            _warm_up(loopback, folder)
            zero_s = time.time()
            for number, (submit_s, _, _) in enumerate(JOBS):
                time.sleep(max(zero_s + submit_s - time.time(), 0.0))
                _submit(loopback, folder, number)
            if case.killed:
                driver.kill()
                driver.wait()
                driver = _driver(case, loopback, folder)
            while loopback.slurm.call("squeue", "--noheader", "--format=%i"):
                if time.time() > zero_s + MOST_S:
                    raise SystemExit(f"error: {case.name}: jobs are left after {MOST_S:.0f} s")
                time.sleep(0.5)
        finally:
            driver.send_signal(signal.SIGINT)
            driver.wait(60)
        version, log = loopback.slurm.version(), (folder / "drive.log").read_text(encoding="utf-8")
        return _table(case, folder, zero_s, version, log)


def _driver(case: Case, loopback: Loopback, folder: Path) -> subprocess.Popen[bytes]:
    told = {"cluster-name": "loopback", "partition": "main", "scheduler": case.scheduler, "interval": INTERVAL_S}
    options = [text for name, value in told.items() for text in (f"--{name}", str(value))]
    command = ["rarlib.cli.main", "drive", "--slurm", "--commit", *options, "--log", str(folder / "drive.log")]
    return subprocess.Popen([sys.executable, "-m", *command], env=os.environ | loopback.slurm.environment)


def _warm_up(loopback: Loopback, folder: Path) -> None:
    """A job of no length: kernels are loaded with the first decision."""
    loopback.slurm.call("sbatch", "--hold", "--output=/dev/null", "--chdir=/", "--wrap=true")
    deadline = time.time() + MOST_S
    while loopback.slurm.call("squeue", "--noheader", "--format=%i"):
        if time.time() > deadline:
            raise SystemExit("error: the driver does not start a job")
        time.sleep(0.2)


def _submit(loopback: Loopback, folder: Path, number: int) -> None:
    _, gpus, length_s = JOBS[number]
    loopback.slurm.call(
        "sbatch",
        "--hold",
        f"--ntasks={gpus}",
        "--time=10",
        f"--comment=rarlib seconds={length_s}",
        f"--output={folder}/out.%j",
        "--chdir=/",
        text=_SCRIPT.format(folder=folder, say=SAY_GPUS, length_ms=1000 * length_s),
    )


def _table(case: Case, folder: Path, zero_s: float, version: str, log: str) -> pd.DataFrame:
    run = simulated(case.scheduler)
    rows = [_said(folder / f"said.{number + 2}", zero_s) for number in range(len(JOBS))]
    entries = [json.loads(line) for line in log.splitlines()]
    latency = [entry["seconds"] for entry in entries if "decision" in entry][1:]
    frame = pd.DataFrame(rows)
    frame.insert(0, "slurm", version)
    frame.insert(1, "case", case.name)
    frame.insert(2, "job", np.arange(len(JOBS)))
    holds = run.allocations_frame()
    return frame.assign(
        start_s=run.start_s,
        end_s=run.finish_s,
        starts=[holds[holds["job_id"] == str(job)]["start_s"].nunique() for job in range(len(JOBS))],
        servers=[_first_place(holds[holds["job_id"] == str(job)]) for job in range(len(JOBS))],
        latency_median_s=float(np.median(latency)),
        latency_95_s=float(np.quantile(latency, 0.95)),
        latency_longest_s=float(np.max(latency)),
    ).round(4)


def _first_place(own: pd.DataFrame) -> str:
    first = own[own["start_s"] == own["start_s"].min()].sort_values("node")
    return " ".join(f"{node}:{gpus}" for node, gpus in first[["node", "gpus"]].to_numpy().tolist())


def simulated(scheduler: str) -> Run:
    """The schedule of the simulator for the same jobs."""
    submit_s, gpus, length_s = zip(*JOBS, strict=True)
    jobs = Jobs.build(submit_s=submit_s, gpus=gpus, duration_s=length_s)
    return simulate(jobs, Cluster.parse(CLUSTER), make_scheduler(scheduler), TraceCost())


def _said(path: Path, zero_s: float) -> dict[str, Any]:
    """First start, end, number of starts and first place of a job, as it has said itself."""
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    starts, (end,) = [line for line in lines if line[0] == "start"], [line for line in lines if line[0] == "end"]
    counts, names = starts[0][2:]
    places = sorted(zip(node_numbers(names), cpu_counts(counts), strict=True))
    return {
        "slurm_start_s": int(starts[0][1]) / 1000.0 - zero_s,
        "slurm_end_s": int(end[1]) / 1000.0 - zero_s,
        "slurm_starts": len(starts),
        "slurm_servers": " ".join(f"{node}:{gpus}" for node, gpus in places),
    }


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """One row per case."""
    rows = []
    for case, own in table.groupby("case", sort=False):
        allowed = INTERVAL_S + LATE_S
        rows.append(
            {
                "case": case,
                "slurm_makespan_s": round(own["slurm_end_s"].max(), 1),
                "makespan_s": round(own["end_s"].max(), 1),
                "same_order": _in_order(own, allowed),
                "same_servers": (own["slurm_servers"] == own["servers"]).mean(),
                "slurm_restarts": int((own["slurm_starts"] - 1).sum()),
                "restarts": int((own["starts"] - 1).sum()),
                "latency_median_ms": round(1000 * own["latency_median_s"].iloc[0], 1),
                "latency_95_ms": round(1000 * own["latency_95_s"].iloc[0], 1),
                "latency_longest_ms": round(1000 * own["latency_longest_s"].iloc[0], 1),
            }
        )
    return pd.DataFrame(rows)


def _in_order(own: pd.DataFrame, allowed_s: float) -> float:
    """Share of the pairs of jobs that start in the same order; starts that Slurm may carry out together agree."""
    real, ours = own["slurm_start_s"].to_numpy(), own["start_s"].to_numpy()
    first, second = np.triu_indices(len(own), 1)
    apart, meant = real[first] - real[second], ours[first] - ours[second]
    return float(((np.sign(apart) == np.sign(meant)) | (np.abs(apart) <= allowed_s)).mean().round(4))


def missed(table: pd.DataFrame) -> list[str]:
    """What is aimed at and was not reached, a sentence each.

    Every job ends, once. A start comes up to an interval and `LATE_S` late, so a schedule of g starts one after the
    other is at most g times that longer.
    """
    said = []
    for row in summary(table).to_dict("records"):
        case, slurm_s, ours_s = row["case"], row["slurm_makespan_s"], row["makespan_s"]
        scheduler = next(known.scheduler for known in CASES if known.name == case)
        late = _chain(simulated(scheduler)) * (INTERVAL_S + LATE_S)
        if not ours_s <= slurm_s <= ours_s + late:
            said.append(f"{case}: makespan {slurm_s} s, simulated {ours_s} s")
        if row["same_order"] < SAME_ORDER[scheduler]:
            said.append(f"{case}: {row['same_order']:.1%} of the pairs of jobs start in the order simulated")
    return said


def _chain(run: Run) -> int:
    """Most holds of GPUs, one after the other, in a schedule."""
    holds = run.allocations_frame().drop_duplicates(["job_id", "start_s"]).sort_values("start_s")
    length: list[tuple[float, int]] = []
    for start_s, end_s in holds[["start_s", "end_s"]].to_numpy().tolist():
        length.append((end_s, 1 + max((count for before_s, count in length if before_s <= start_s), default=0)))
    return max(count for _, count in length)


def main() -> int:
    """Run, or accept the last run; exit code 1 if something aimed at was not reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="run nothing; accept the table of the last run")
    parser.add_argument("--case", choices=[case.name for case in CASES], help="this one only; nothing is written")
    given = parser.parse_args()
    chosen = [case for case in CASES if given.case in (None, case.name)]
    table = pd.read_csv(OUT) if given.accept else pd.concat([drive(case) for case in chosen])
    if not given.accept and given.case is None:
        write_text(OUT, table.to_csv(index=False, lineterminator="\n"))
    print(summary(table).to_string(index=False))
    said = missed(table)
    for line in said:
        print(f"error: {line}", file=sys.stderr)
    if given.accept and not said:
        shutil.copy(OUT, ACCEPTED)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
