"""Measured profiles -> one file, and its provenance."""

from artifact.run.forks import hand_over

hand_over(snakemake.params.settings["module"])

import importlib
import json
from pathlib import Path

from artifact.run.jobs import logged
from rarlib.model.files import write_text

job = snakemake
with logged(job.log.text) as say:
    made = importlib.import_module(job.params.settings["module"]).profile_set(
        job.wildcards.profiles, job.params.settings
    )
    say(f"{job.wildcards.profiles}: {len(made.data)} profiles, origin {made.origin}")
    write_text(Path(job.log.origin), made.origin)
    write_text(Path(job.output.provenance), json.dumps(made.provenance, indent=2, sort_keys=True) + "\n")
    write_text(Path(job.output.profiles), json.dumps(made.data, sort_keys=True, separators=(",", ":")) + "\n")
