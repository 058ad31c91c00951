"""Write the report from all results."""

from pathlib import Path

from artifact.report.page import write_report
from artifact.run.jobs import logged

job = snakemake
with logged(job.log[0]):
    params = job.params
    write_report(Path(job.output.front).parent, params.figures, params.tutorials, params.instances, params.commit)
