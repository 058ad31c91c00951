"""Write the digests of all results that must be identical on every run, and the commit that made them."""

from pathlib import Path

from artifact.run import manifest
from artifact.run.jobs import logged

job = snakemake
with logged(job.log[0]):
    manifest.write_manifest(Path(job.params.results), Path(job.output[0]), job.params.commit)
