"""Runs of a study -> paired ratios, with the provenance of the runs."""

from pathlib import Path

from rarlib.model.files import write_text
from rarlib.records.tidy import read_table, write_table
from rarlib.study.document import Statement
from rarlib.study.pairs import paired
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]):
    statements = [Statement(*each) for each in job.params.statements]
    write_table(paired(read_table(job.input.runs), statements, job.params.study), Path(job.output.table))
    for kind in ("facts", "made"):
        write_text(Path(getattr(job.output, kind)), Path(getattr(job.input, kind)).read_text(encoding="utf-8"))
