"""Executed notebooks -> pages that open without a notebook server."""

from pathlib import Path

from artifact.report.notebook_pages import write_pages, write_tutorials
from artifact.run.jobs import logged

job = snakemake
with logged(job.log[0]):
    write_pages([Path(path) for path in job.input.notebooks])
    write_tutorials([Path(path) for path in job.input.tutorials])
