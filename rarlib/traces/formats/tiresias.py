"""Tiresias' simulator input (Gu et al., NSDI'19): job_id, num_gpu, submit_time (s), model_name, duration (s), ..."""

from rarlib.traces.table import ParsedTrace, RawTable

FORMAT = "tiresias"
HEADER = frozenset({"job_id", "num_gpu", "submit_time", "duration", "model_name"})


def read(data: bytes, file: str) -> ParsedTrace:
    """Read the table; nothing is dropped."""
    table = RawTable.parse(data, file, text=("job_id", "model_name")).require(*sorted(HEADER))
    jobs = table.jobs(
        job_id=("job_id", table.text("job_id")),
        submit_s=("submit_time", table.numbers("submit_time")),
        gpus=("num_gpu", table.numbers("num_gpu")),
        duration_s=("duration", table.numbers("duration")),
        application=("model_name", table.text("model_name")),
    )
    return ParsedTrace(jobs, len(table), {})
