"""A run as the jobs.csv that Batsim writes, for tools like Evalys.

Format: Batsim's output file for jobs (https://batsim.readthedocs.io), 17 columns. A resource is a GPU, numbered server
by server. Batsim has no preemption: jobs are killed and resubmitted. So each interval in which a job holds GPUs is an
attempt: `17`, then `17#1`, which is submitted when the first one is killed.
"""

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pandas as pd

from rarlib.model.foreign import as_fields
from rarlib.plot.lanes import gpu_lanes
from rarlib.records.read import Record

BATSIM_COLUMNS = [
    "job_id", "workload_name", "profile", "submission_time", "requested_number_of_resources", "requested_time",
    "success", "final_state", "starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time",
    "stretch", "allocated_resources", "consumed_energy", "metadata",
]  # fmt: skip


def to_batsim(record: Record) -> str:
    """The run as CSV, attempts ordered by their end."""
    attempts = _attempts(record)
    last = ~attempts["job"].duplicated(keep="last")
    number = attempts.groupby("job").cumcount()
    name = attempts["job_id"] + np.where(number > 0, "#" + number.astype(str), "")
    ran = attempts["end_s"] - attempts["start_s"]
    turnaround = attempts["end_s"] - attempts["submit_s"]
    table = pd.DataFrame(
        {
            "job_id": as_fields(name),
            "workload_name": "w0",
            "profile": as_fields(attempts["job_id"]),
            "submission_time": attempts["submit_s"],
            "requested_number_of_resources": attempts["gpus"],
            "requested_time": -1,
            "success": last.astype(int),
            "final_state": np.where(last, "COMPLETED_SUCCESSFULLY", "COMPLETED_KILLED"),
            "starting_time": attempts["start_s"],
            "execution_time": ran,
            "finish_time": attempts["end_s"],
            "waiting_time": attempts["start_s"] - attempts["submit_s"],
            "turnaround_time": turnaround,
            "stretch": turnaround / ran.where(ran > 0.0),
            "allocated_resources": attempts["resources"],
            "consumed_energy": -1,
            "metadata": "",
        }
    )
    order = np.lexsort((table.index, attempts["end_s"]))
    return table[BATSIM_COLUMNS].iloc[order].to_csv(index=False, lineterminator="\n", float_format="%.6f", na_rep="inf")


def _attempts(record: Record) -> pd.DataFrame:
    """One row per interval of a job, by job and time; jobs of zero length have one row without resources."""
    jobs, holds = record.jobs, record.holds
    idle = jobs.loc[~jobs.index.isin(holds["job"]), ["start_s", "finish_s", "gpus"]]
    idle = idle.rename(columns={"finish_s": "end_s"}).assign(job=idle.index)
    rows = pd.concat([holds, idle]).sort_values(["job", "start_s"], ignore_index=True)
    rows["job_id"], submit = jobs["job_id"].to_numpy()[rows["job"]], jobs["submit_s"].to_numpy()[rows["job"]]
    rows["submit_s"] = rows.groupby("job")["end_s"].shift().fillna(pd.Series(submit))
    held = _resources(record)
    rows["resources"] = [held.get(key, "") for key in zip(rows["job_id"], rows["start_s"], strict=True)]
    return rows


def _resources(record: Record) -> dict[tuple[str, float], str]:
    """(job, start) -> interval set of its GPUs, as in `0-3 8`."""
    offset = np.cumsum(record.gpus) - record.gpus
    gpus = defaultdict(list)
    for job, node, gpu, start, _ in gpu_lanes(record.allocations, record.gpus.tolist()):
        gpus[job, start].append(int(offset[node]) + gpu)
    return {key: _interval_set(sorted(numbers)) for key, numbers in gpus.items()}


def _interval_set(numbers: list[int]) -> str:
    starts = [numbers[0]] + [b for a, b in pairwise(numbers) if b > a + 1]
    ends = [a for a, b in pairwise(numbers) if b > a + 1] + [numbers[-1]]
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))
