"""Digests of all results that must come out the same on every run."""

from pathlib import Path

from rarlib.workflow import manifest
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]):
    manifest.write_manifest(Path(job.params.results), Path(job.output[0]))
