"""Write a deposit: its folder and its archive."""

from pathlib import Path

from artifact.archive.build import build_deposit
from artifact.archive.source import read_source
from artifact.run.jobs import logged
from rarlib.model.project import ROOT

job = snakemake
with logged(job.log[0]) as say:
    results, folder = Path(job.input.results[0]).parent, Path(job.output[0]).parent
    say(build_deposit(read_source(ROOT), job.params.edition, results, folder))
