"""Compile the paper of a study: pdflatex, bibtex, pdflatex twice; a reference that is missing is an error."""

import shutil
from pathlib import Path

from artifact.run.jobs import logged
from artifact.study.paper import compile_paper

job = snakemake
with logged(job.log[0]):
    made = compile_paper(Path("paper/paper.tex"), Path(job.input.text[0]).parent)
    shutil.copyfile(made, job.output[0])
