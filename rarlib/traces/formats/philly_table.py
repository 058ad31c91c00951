"""The per-job Philly table shipped with the Pollux simulator (OSDI'21): one line per job, no ids, no status.

Columns: timestamp (`YYYY-MM-DD HH:MM:SS`, no zone), duration (s), num_gpus, gpu_time (GPU s, = duration x
num_gpus, not used), cluster (virtual cluster). Every row is a job: duplicates cannot be told from jobs that are alike.
"""

from rarlib.traces.table import ParsedTrace, RawTable, iso

FORMAT = "philly-table"
HEADER = frozenset({"timestamp", "duration", "num_gpus", "cluster"})


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the table; nothing is dropped."""
    table = RawTable.parse(data, file, text=("timestamp", "cluster")).require(*sorted(HEADER))
    submit = table.seconds("timestamp", "%Y-%m-%d %H:%M:%S")
    jobs = table.jobs(
        submit_s=("timestamp", submit),
        gpus=("num_gpus", table.numbers("num_gpus")),
        duration_s=("duration", table.numbers("duration")),
        vc=("cluster", table.text("cluster")),
    )
    return ParsedTrace(jobs, len(table), {}, starts=iso(submit.min()))
