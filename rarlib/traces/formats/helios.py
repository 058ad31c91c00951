"""SenseTime Helios `cluster_log.csv` (Hu et al., SC'21), plain or inside the released zip.

Columns used: job_id, user, vc, gpu_num, state, submit_time (no zone), duration (s of running). Jobs with gpu_num 0
run on CPUs only and are dropped and counted.
"""

import numpy as np

from rarlib.model.errors import InputError
from rarlib.traces.formats.status import SLURM, translate
from rarlib.traces.table import ParsedTrace, RawTable, iso

FORMAT = "helios"
HEADER = frozenset({"job_id", "user", "vc", "gpu_num", "state", "submit_time", "duration"})


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the log; CPU-only jobs are dropped."""
    table = RawTable.parse(data, file, text=("job_id", "user", "vc", "state", "submit_time")).require(*sorted(HEADER))
    on_gpu = table.numbers("gpu_num") != 0
    kept = table.keep(on_gpu)
    if not len(kept):
        raise InputError("holds no job that uses a GPU", file=file)
    submit = kept.seconds("submit_time", "%Y-%m-%d %H:%M:%S")
    jobs = kept.jobs(
        job_id=("job_id", kept.text("job_id")),
        submit_s=("submit_time", submit),
        gpus=("gpu_num", kept.numbers("gpu_num")),
        duration_s=("duration", kept.numbers("duration")),
        user=("user", kept.text("user")),
        vc=("vc", kept.text("vc")),
        status=("state", translate(kept, "state", SLURM)),
    )
    cpu_only = int(np.count_nonzero(~on_gpu))
    return ParsedTrace(
        jobs, len(table), {"CPU only (gpu_num 0)": cpu_only} if cpu_only else {}, starts=iso(submit.min())
    )
