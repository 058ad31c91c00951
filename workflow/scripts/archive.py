"""Write the deposit: its folder and archives in build/."""

from pathlib import Path

from rarlib.archive.build import build_deposit
from rarlib.model.project import ROOT
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]) as say:
    source, deposit = build_deposit(
        ROOT, Path(job.input.results[0]).parent, Path(job.output[0]).parent, job.params.edition
    )
    say(f"{len(deposit.files)} files of commit {source.commit}, {source.directory}")
