# What happens at the start and at the end of a run.
import shutil
import sys
import time

from snakemake.logging import logger

from artifact.run.forks import start as start_fork_server
from artifact.run.jobs import failures, left_out
from artifact.run.unchanged import remember

STARTED = time.time()


# Snakemake's limit of jobs per second is meant for clusters. On one machine, for each finished job it starts another
# timer that schedules again every second, which would keep a third of a core busy. The display of progress, if there is one
# (workflow/scripts/run.py), is given the jobs of the run; a study has one however it is started.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
        # Elsewhere libraries do not bear being forked; in a container or another environment jobs have imports of their own.
        if sys.platform == "linux" and not workflow.deployment_settings.deployment_method:
            start_fork_server()
    if STUDY in os.environ:
        from artifact.run.display import attach_display

        attach_display(workflow.logger_manager)
    if workflow.logger_manager.get_log_handlers():
        from artifact.run.forecast import plan

        logger.info("", extra=plan(workflow, Path(RESULTS)))


onsuccess:
    remember()
    if failed := left_out(Path(RESULTS) / "logs"):
        logger.warning("\n  ".join(["\nWithout schedulers that failed; everything else is made:", *failed]))


# With keep-going a failure scrolls out of sight while other jobs finish, so failures are repeated at the end. Results
# that an earlier run made from a cell that is now missing are removed: Snakemake would consider them finished.
onerror:
    for path in map(Path, RUN.without_cells()):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    if failed := failures(Path(RESULTS) / "logs", STARTED):
        logger.error("\n  ".join(["\nFailed:", *failed]))
