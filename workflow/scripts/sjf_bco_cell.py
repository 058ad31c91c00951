"""One scheduler in one figure of SJF-BCO, all instances."""

from pathlib import Path

from rarlib.experiments.jobs import logged
from rarlib.experiments.sjf_bco import run_cell
from rarlib.experiments.tidy import write_table

job = snakemake
with logged(job.log[0]):
    frame = run_cell(job.wildcards.figure, job.wildcards.scheduler, job.params.settings)
    write_table(frame, Path(job.output[0]))
