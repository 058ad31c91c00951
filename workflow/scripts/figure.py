"""Run the notebook that draws a figure, with the configuration's values of the parameters that it declares.

The figure is written as SVG, with the numbers of its marks, and as PNG; or as PDF for a paper if the
rule names it.
"""

from artifact.run.forks import hand_over

hand_over("artifact.notebook.figure", snakemake.input.notebook)

import json
import os
from pathlib import Path

from artifact.notebook.job import FIGURE_FILES
from artifact.run.jobs import logged
from artifact.run.notebooks import run_notebook

job = snakemake
with logged(job.log[0]):
    facts = [json.loads(Path(path).read_text(encoding="utf-8")) for path in job.input.provenance]
    files = {
        "tables": [str(Path(path).resolve()) for path in job.input.tables],
        "made": [str(Path(path).resolve()) for path in job.input.made],
        "published": str(Path(job.input.published).resolve()),
        **{kind: str(Path(path).resolve()) for kind, path in job.output.items() if kind != "notebook"},
        "standin": any(fact["standin"] for fact in facts),
    }
    os.environ[FIGURE_FILES] = json.dumps(files)
    run_notebook(Path(job.input.notebook), Path(job.output.notebook), job.params.parameters, Path(job.log[0]))
