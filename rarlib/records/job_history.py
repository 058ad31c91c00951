"""History of one job: its waits and its time with GPUs, and the jobs that held the GPUs while it waited."""

import numpy as np
import pandas as pd

from rarlib.records.availability import availability
from rarlib.records.read import Record
from rarlib.records.waiting import TURNAROUND_PARTS, WAITS, decompose, waiting_intervals

HOLDING = "holding"


def job_history(record: Record, job: int) -> pd.DataFrame:
    """A job's intervals by time: start_s, end_s, part (one of `WAITS`, or `HOLDING`), servers (0 while waiting)."""
    clock, gang = availability(record), int(record.gangs[job])
    enough, fits = clock.free >= gang, clock.fits(gang)
    rows: list[tuple[float, float, str, int]] = []
    whose, starts, ends = waiting_intervals(record)
    for start, end in zip(starts[whose == job], ends[whose == job], strict=True):
        since = start  # from here on the job has been waiting and its gang has fitted
        for i in range(*np.searchsorted(clock.times, (start, end))):
            begin, until = clock.times[i], clock.times[i + 1]
            if fits[i]:
                acts = np.clip(clock.next_pass(np.array([since]))[0], begin, until)
                rows += [(begin, acts, "wait_round_s", 0), (acts, until, "wait_order_s", 0)]
            else:
                rows.append((begin, until, "wait_fragmentation_s" if enough[i] else "wait_gpus_s", 0))
                since = until
    mine = record.holds[record.holds["job"] == job]
    rows += [(s, e, HOLDING, n) for s, e, n in mine[["start_s", "end_s", "servers"]].itertuples(index=False)]
    entries: list[tuple[float, float, str, int]] = []
    for row in sorted(row for row in rows if row[1] > row[0]):
        if entries and row[2] != HOLDING and entries[-1][1:3] == row[0::2][:2]:
            entries[-1] = (entries[-1][0], *row[1:])
        else:
            entries.append(row)
    return pd.DataFrame(entries, columns=["start_s", "end_s", "part", "servers"])


def waiting_at(record: Record, time_s: float) -> pd.DataFrame:
    """Jobs in the queue at a moment and what each waits for (one of `WAITS`): job_id, gpus, part; by submission.

    For small runs: each job's history is computed from scratch.
    """
    whose, starts, ends = waiting_intervals(record)
    here = np.unique(whose[(starts <= time_s) & (time_s < ends)])
    stories = [job_history(record, int(job)) for job in here]
    parts = [
        entries["part"][(entries["start_s"] <= time_s) & (time_s < entries["end_s"])].iloc[0] for entries in stories
    ]
    return record.jobs.loc[here, ["job_id", "gpus"]].assign(part=parts).reset_index(drop=True)


def blockers(record: Record, job: int) -> pd.DataFrame:
    """Jobs that held GPUs while a job waited, most GPU-seconds first: job_id, gpu_seconds, share, later.

    `share` is relative to all GPU-seconds of that time; `later` says whether the holder was submitted after the job.
    """
    whose, starts, ends = waiting_intervals(record)
    rows, on_gpus = record.allocations, record.is_gpu[record.allocations["node"].to_numpy()]
    begin, stop, gpus = (rows[name].to_numpy() for name in ("start_s", "end_s", "gpus"))
    held, waited = np.zeros(len(record.jobs)), 0.0
    for start, end in zip(starts[whose == job], ends[whose == job], strict=True):
        overlap = np.clip(np.minimum(stop, end) - np.maximum(begin, start), 0.0, None)
        held += np.bincount(record.alloc_job, overlap * gpus * on_gpus, len(held))
        waited += end - start
    who = np.flatnonzero(held > 0.0)
    who = who[np.lexsort((who, -held[who]))]
    return pd.DataFrame(
        {
            "job_id": record.jobs["job_id"].to_numpy()[who],
            "gpu_seconds": held[who],
            "share": held[who] / (record.total_gpus * waited) if waited else held[who],
            "later": who > job,
        }
    )


def lines(record: Record, job: int) -> list[str]:
    """A job's history in a few lines."""
    row, parts = record.jobs.iloc[job], decompose(record).iloc[job]
    entries = [
        f"job {row.job_id}: {row.gpus} GPUs, submitted at {row.submit_s:,.0f} s, finished at {row.finish_s:,.0f} s, "
        f"turnaround {parts.turnaround_s:,.1f} s"
    ]
    for name, label in TURNAROUND_PARTS.items():
        if abs(parts[name]) > 5e-7:
            entries.append(f"  {label:<20} {parts[name]:>14,.1f} s  {parts[name] / parts.turnaround_s:>6.1%}")
    if sum(parts[list(WAITS)]) > 0.0:
        who = blockers(record, job)
        named = [f"{b.job_id} ({b.share:.0%}{', submitted later' if b.later else ''})" for b in who[:5].itertuples()]
        more = f" and {len(who) - 5:,} more" if len(who) > 5 else ""
        entries.append(f"  while it waited, GPUs were held by {', '.join(named) or 'nobody'}{more}")
    return entries
