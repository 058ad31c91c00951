"""Write the report from all results."""

from pathlib import Path

from rarlib.workflow.jobs import logged
from rarlib.workflow.report.page import write_report

job = snakemake
with logged(job.log[0]):
    page = Path(job.output[0])
    params = job.params
    write_report(page.parent, params.figures, params.tutorials, params.instances, params.commit, page)
