"""Write what a paper needs besides the figures: numbers, tables, captions, references."""

from pathlib import Path

from artifact.paper.folder import write_paper
from artifact.run.jobs import logged

job = snakemake
with logged(job.log[0]):
    folder = Path(job.output[0]).parent
    write_paper(folder.parent, job.params.figures, folder)
