"""One scheduler on a recorded trace."""

from pathlib import Path

from rarlib.experiments.jobs import logged
from rarlib.experiments.philly import run_cell
from rarlib.experiments.tidy import write_table
from rarlib.traces.load import load_trace

job = snakemake
with logged(job.log[0]):
    jobs = load_trace(job.input.jobs, "rarlib").jobs
    write_table(run_cell(job.wildcards.scheduler, jobs, job.params.settings), Path(job.output[0]))
