"""Write what a paper needs besides the figures: numbers, tables, captions, references, a sample."""

from pathlib import Path

from rarlib.workflow.jobs import logged
from rarlib.workflow.paper.folder import write_paper

job = snakemake
with logged(job.log[0]):
    folder = Path(job.output[0]).parent
    write_paper(folder.parent, job.params.figures, folder)
