"""Runs of a study -> paired ratios, with the provenance of the runs."""

from pathlib import Path

from artifact.run.jobs import logged
from artifact.study.document import Statement
from artifact.study.pairs import paired
from rarlib.model.files import write_text
from rarlib.records.tidy import read_table, write_table

job = snakemake
with logged(job.log[0]):
    statements = [Statement(*each) for each in job.params.statements]
    write_table(paired(read_table(job.input.runs), statements, job.params.study), Path(job.output.table))
    for kind in ("facts", "made"):
        write_text(Path(getattr(job.output, kind)), Path(getattr(job.input, kind)).read_text(encoding="utf-8"))
