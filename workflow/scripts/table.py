"""Join the cells of a table; record its traces, whether one of them is a stand-in, and how the cells were made."""

from artifact.run.forks import hand_over

hand_over()

import json
from pathlib import Path

import pandas as pd

from artifact.run.jobs import failed_cells, logged
from rarlib.model.files import write_text
from rarlib.records.tidy import read_table, write_table

job = snakemake
with logged(job.log[0]):
    traces = [json.loads(Path(path).read_text(encoding="utf-8")) for path in job.input.provenance]
    frames = [read_table(Path(path)) for path in job.input.cells]
    facts = {
        "cells": [Path(path).stem for path in job.input.cells],
        "left_out": failed_cells(
            {Path(p).stem: f for p, f in zip(job.input.cells, frames, strict=True)}, job.params.found
        ),
        "standin": any(trace["standin"] for trace in traces),
        "traces": traces,
    }
    whole = [frame for frame in frames if not frame.empty] or frames[:1]
    write_table(pd.concat(whole, ignore_index=True), Path(job.output.table))
    write_text(Path(job.output.provenance), json.dumps(facts, indent=1, sort_keys=True) + "\n")
    write_text(Path(job.output.made), json.dumps(job.params.made, indent=1, sort_keys=True) + "\n")
