"""Compile the paper of a study: pdflatex, bibtex, pdflatex twice; a reference that is missing is an error."""

import shutil
from pathlib import Path

from rarlib.study.paper import compile_paper
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]):
    made = compile_paper(Path("paper/paper.tex"), Path(job.input.text[0]).parent)
    shutil.copyfile(made, job.output[0])
