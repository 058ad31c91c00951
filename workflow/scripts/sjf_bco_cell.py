"""One scheduler in one figure of SJF-BCO, all instances."""

from pathlib import Path

from rarlib.experiments.jobs import logged
from rarlib.experiments.sjf_bco.cells import run_cell
from rarlib.experiments.tidy import write_table
from rarlib.traces.load import load_trace

job = snakemake
with logged(job.log[0]):
    trace = load_trace(job.input.jobs, "rarlib").jobs if job.input.jobs else None
    frame = run_cell(job.wildcards.figure, job.wildcards.scheduler, job.params.settings, trace)
    write_table(frame, Path(job.output[0]))
