"""One cell: one member of one table of an experiment, all seeds."""

import importlib
from pathlib import Path

from rarlib.records.tidy import write_table
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]):
    experiment = importlib.import_module(job.params.module)
    data = Path(job.input.data) if job.input.data else None
    frame = experiment.run_cell(job.wildcards.part, job.wildcards.member, job.params.settings, data)
    write_table(frame, Path(job.output[0]))
