"""Evaluate the claims and write the ledger."""

from pathlib import Path

from rarlib.evidence import ledger
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]):
    table = ledger.build(Path(job.params.data), Path("config/claims"), Path(job.params.tables))
    print(ledger.counts(table).to_string())
    ledger.write_ledger(table, Path(job.output[0]))
