"""Evaluate the claims and write the ledger, as a table and as the report's first page."""

from pathlib import Path

from rarlib.evidence import ledger, ledger_html
from rarlib.experiments.tidy import write_text
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]):
    table = ledger.build(Path(job.input.published), Path("config/claims"), Path(job.params.tables))
    print(ledger.counts(table).to_string())
    ledger.write(table, Path(job.output.ledger))
    write_text(Path(job.output.page), ledger_html.page(ledger.read(Path(job.output.ledger))))
