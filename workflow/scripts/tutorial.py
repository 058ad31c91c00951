"""Run a tutorial notebook in the form in which it becomes a page."""

from artifact.run.forks import hand_over

hand_over("artifact.notebook.figure", snakemake.input.notebook)

from pathlib import Path

from artifact.run.jobs import logged
from artifact.run.notebooks import run_tutorial

job = snakemake
with logged(job.log[0]):
    run_tutorial(Path(job.input.notebook), Path(job.output[0]), Path(job.log[0]))
