# Entry point: configuration, its check, rules, targets. `snakemake` alone makes everything (flags: profiles/default).
import os
import time
from pathlib import Path

from snakemake.logging import logger
from snakemake.utils import min_version

from rarlib.workflow.config import check_or_exit
from rarlib.workflow.jobs import LIMIT, failures, left_out
from rarlib.workflow.settings import configuration, typed

min_version("9.0")


configfile: "config/config.yaml"


# The image of Containerfile, for every rule; looked at only with profiles/apptainer. No image is published: it is built
# and converted to this file as docs/container.md says.
container: "build/rarlib.sif"


config.update(typed(config, configuration()))
check_or_exit(config)
STARTED = time.time()
os.environ[LIMIT] = str(config["minutes"])


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/simulate.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/archive.smk"


localrules:
    all,
    figures,
    full,
    paper,
    tables,


rule all:
    default_target: True
    input:
        f"{RESULTS}/report.html",
        rules.pages.output,
        f"{RESULTS}/manifest.json",


rule figures:
    input:
        collect(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),


rule tables:
    input:
        collect(f"{RESULTS}/tables/{{table}}.csv", table=TABLES),


rule paper:
    input:
        rules.paper_text.output,
        collect(f"{RESULTS}/paper/figures/{{figure}}-{{width}}.pdf", figure=FIGURES, width=WIDTHS),


# A separate Snakemake run inside this one, because the full configuration is another file.
rule full:
    log:
        f"{RESULTS}/logs/full.log",
    conda:
        "environment.yml"
    threads: workflow.cores
    script:
        "workflow/scripts/full.py"


# Snakemake's limit of jobs per second is meant for clusters. On one machine, for each finished job it starts another
# timer that schedules again every second, which would keep a third of a core busy. The display of progress, if there is one
# (workflow/scripts/run.py), is given the jobs of the run.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
    if workflow.logger_manager.get_log_handlers():
        from rarlib.workflow.forecast import plan

        logger.info("", extra=plan(workflow, config))


onsuccess:
    if failed := left_out(Path(RESULTS) / "logs"):
        logger.warning("\n  ".join(["\nWithout schedulers that failed; everything else is made:", *failed]))


# With keep-going a failure scrolls out of sight while other jobs finish, so failures are repeated at the end. Results
# that an earlier run made from a cell that is now missing are removed: Snakemake would consider them finished.
onerror:
    for path in without_cells():
        Path(path).unlink(missing_ok=True)
    if failed := failures(Path(RESULTS) / "logs", STARTED):
        logger.error("\n  ".join(["\nFailed:", *failed]))
