"""Evaluate the claims and write the ledger."""

from pathlib import Path

from artifact.ledger import ledger
from artifact.run.jobs import logged
from artifact.run.settings import recorded_remarks

job = snakemake
with logged(job.log[0]):
    tables = Path(job.params.tables)
    table = ledger.build(Path(job.params.data), Path(job.params.claims), tables, recorded_remarks(tables.parent))
    print(ledger.counts(table).to_string())
    ledger.write_ledger(table, Path(job.output[0]))
