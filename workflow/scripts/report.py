"""Let Snakemake write its report about everything that has been made so far."""

import json
import subprocess
import sys
from pathlib import Path

job = snakemake
part = Path(job.output[0]).with_suffix(".part.html")
command = [sys.executable, "-m", "snakemake", "--snakefile", job.params.snakefile, "--nolock", "--report", str(part)]
command += ["--report-stylesheet", "workflow/report/report.css"]
# The configuration in force, command-line overrides included.
settings = Path(job.log[0]).with_name("config.json")
settings.write_text(json.dumps(job.params.config, indent=1, sort_keys=True), encoding="utf-8")
command += ["--configfile", str(settings)]
with Path(job.log[0]).open("w", encoding="utf-8") as log:
    done = subprocess.run([*command, "--", *job.input.figures], stdout=log, stderr=log, check=False)
if done.returncode:
    sys.exit(f"error: the report could not be written, see {job.log[0]}")
part.replace(job.output[0])
