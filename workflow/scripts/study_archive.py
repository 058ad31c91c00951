"""Write the deposit of a study: its folder and archive in results/deposit."""

from pathlib import Path

from rarlib.archive.study_deposit import build_study_deposit
from rarlib.study.document import read_study_file
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]) as say:
    folder = Path(job.output[0]).parent
    for line in build_study_deposit(read_study_file(Path()), Path(job.input.results[0]).parent, folder):
        say(line)
