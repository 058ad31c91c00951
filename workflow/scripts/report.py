"""Write the report from all results."""

from pathlib import Path

from artifact.report.page import write_report
from artifact.run.jobs import logged

job = snakemake
with logged(job.log[0]):
    page = Path(job.output[0])
    params = job.params
    write_report(page.parent, params.figures, params.tutorials, params.instances, params.commit, page)
