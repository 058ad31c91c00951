"""PAI jobs on one GPU, sampled by Hydra: job_name, norm_job_submit_time (s), ddl, run times in s on T4, P100, V100.

The run time on the GPU that a job had is PAI's; Hydra's authors scaled the others, and the table does not say which is
which. This reader takes the run time on a T4. Deadlines are made up and not used.
"""

from rarlib.traces.table import ParsedTrace, RawTable

FORMAT = "hydra"
HEADER = frozenset({"job_name", "norm_job_submit_time", "T4"})
NOTE = "duration_s is the run time on a T4; for jobs of other GPU types the sample's authors scaled it"


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the table; nothing is dropped."""
    table = RawTable.parse(data, file, text=("job_name",)).require(*sorted(HEADER))
    jobs = table.jobs(
        job_id=("job_name", table.text("job_name")),
        submit_s=("norm_job_submit_time", table.numbers("norm_job_submit_time")),
        gpus=("", [1] * len(table)),
        duration_s=("T4", table.numbers("T4")),
    )
    return ParsedTrace(jobs, len(table), {}, note=NOTE)
