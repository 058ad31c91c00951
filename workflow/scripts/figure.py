"""Run the notebook that draws a figure, with exactly the parameters that the notebook declares."""

import json
from pathlib import Path

from rarlib.workflow.jobs import logged
from rarlib.workflow.notebooks import run_notebook

job = snakemake
with logged(job.log[0]):
    facts = [json.loads(Path(path).read_text(encoding="utf-8")) for path in job.input.provenance]
    parameters = {
        "tables": [str(Path(path).resolve()) for path in job.input.tables],
        "published": str(Path(job.input.published).resolve()),
        "svg": str(Path(job.output.svg).resolve()),
        "png": str(Path(job.output.png).resolve()),
        "standin": any(fact["standin"] for fact in facts),
    }
    run_notebook(Path(job.input.notebook), Path(job.output.notebook), parameters, Path(job.log[0]))
