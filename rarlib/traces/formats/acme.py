"""Acme `trace_seren.csv` and `trace_kalos.csv` (Hu et al., NSDI'24).

Columns used: job_id, user, gpu_num, type, state, submit_time, start_time, end_time (ISO with zone). The running time
is end - start: the column `duration` of Kalos counts the queueing time as well, so it is not used, and the rows where
it disagrees are counted in the note. CPU-only jobs and jobs that never started or ended are dropped and counted.
"""

import numpy as np

from rarlib.model.errors import InputError
from rarlib.traces.formats.status import SLURM, translate
from rarlib.traces.table import ParsedTrace, RawTable, iso

FORMAT = "acme"
HEADER = frozenset({"job_id", "user", "gpu_num", "type", "state", "submit_time", "start_time", "end_time"})
_TEXT = ("job_id", "user", "type", "state", "submit_time", "start_time", "end_time")


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the trace; the module's docstring says what is dropped."""
    table = RawTable.parse(data, file, text=_TEXT).require(*sorted(HEADER))
    kept = table.keep(table.numbers("gpu_num") != 0)
    start, end = (kept.seconds(name, "ISO8601", empty=np.nan) for name in ("start_time", "end_time"))
    ran = np.isfinite(start) & np.isfinite(end)
    dropped = {"CPU only (gpu_num 0)": len(table) - len(kept), "never started or ended": int((~ran).sum())}
    kept, running = kept.keep(ran), (end - start)[ran]
    if not len(kept):
        raise InputError("holds no job that ran on a GPU", file=file)
    kept.fail(running < 0, "end_time", "must not be before start_time")
    submit = kept.seconds("submit_time", "ISO8601")
    jobs = kept.jobs(
        job_id=("job_id", kept.text("job_id")),
        submit_s=("submit_time", submit),
        gpus=("gpu_num", kept.numbers("gpu_num")),
        duration_s=("end_time", running),
        application=("type", kept.text("type")),
        user=("user", kept.text("user")),
        status=("state", translate(kept, "state", SLURM)),
    )
    reasons = {reason: count for reason, count in dropped.items() if count}
    return ParsedTrace(jobs, len(table), reasons, starts=iso(submit.min()), note=_note(kept, running))


def _note(kept: RawTable, running: np.ndarray) -> str:
    if "duration" not in kept.frame.columns:
        return ""
    other = int(np.count_nonzero(np.abs(kept.numbers("duration", empty=np.nan) - running) > 1))
    return f"duration_s is end - start; the column duration differs in {other} of {len(kept)} rows" if other else ""
