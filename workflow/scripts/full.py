"""`snakemake full`: announce the predicted time, then run the pipeline with config/full.yaml in a run of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd

from rarlib.workflow import costs, full
from rarlib.workflow.jobs import ENDED
from rarlib.workflow.settings import merged

CONFIG, FULL = Path("config/config.yaml"), Path("config/full.yaml")


def announce(cores: int) -> str:
    """Print how long the run will take, and return the text."""
    records = pd.read_csv("benchmarks/costs.csv", keep_default_na=False)
    default, wanted = merged(CONFIG), merged(CONFIG, FULL)
    minutes = full.predict_s(records, default, wanted, cores, costs.probe_s()) / 60
    said = (
        f"Everything in {FULL}: about {minutes:.0f} minutes on {cores} cores (predicted from benchmarks/costs.csv);"
        f" results go to {wanted['results']}. It may be interrupted at any time and resumes where it stopped."
    )
    print(said, flush=True)
    return said


if "snakemake" in globals():
    log, said = Path(snakemake.log[0]), announce(snakemake.threads)
    log.write_text(f"{said}\n", encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--configfile", str(FULL), "--cores", str(snakemake.threads)]
    code = subprocess.run(command, check=False).returncode
    # The jobs of that run have their own logs and limits, and its output belongs on the screen.
    log.write_text(f"{said}\n{f'error: {FULL} ended with exit code {code}' if code else ENDED}\n", encoding="utf-8")
    sys.exit(code)
announce(os.cpu_count() or 1)
