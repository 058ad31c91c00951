"""One cell: one member of one table of an experiment, all seeds.

A scheduler that was not named but found (a file of its author's, an installed package) and that fails is left out: its
cell is empty, and everything else is made.
"""

from artifact.run.forks import hand_over

hand_over(snakemake.params.module, "scipy.optimize")

import importlib
import traceback
from pathlib import Path

from artifact.run.jobs import LEFT_OUT, logged
from rarlib.model.errors import DecisionError, InputError, SchedulerError
from rarlib.records.tidy import tidy, write_table

job = snakemake
with logged(job.log[0]) as say:
    experiment = importlib.import_module(job.params.module)
    data = Path(job.input.data) if job.input.data else None
    try:
        frame = experiment.run_cell(job.wildcards.part, job.wildcards.member, job.params.settings, data)
    except Exception as error:
        if isinstance(error, InputError) or not job.params.found:
            raise
        traceback.print_exc()
        told = error if isinstance(error, SchedulerError | DecisionError) else f"{type(error).__name__}: {error}"
        say(f"{LEFT_OUT}: scheduler {job.wildcards.member}: {told} (details in {job.log[0]})")
        frame = tidy([], f"{job.wildcards.experiment}-{job.wildcards.part}", job.wildcards.member)
    write_table(frame, Path(job.output[0]))
