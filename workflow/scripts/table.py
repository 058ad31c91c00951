"""Join the cells of a table, and record its traces and whether one of them is a stand-in."""

import json
from pathlib import Path

from rarlib.model.files import write_text
from rarlib.records.tidy import join_tables, write_table
from rarlib.workflow.jobs import logged

job = snakemake
with logged(job.log[0]):
    traces = [json.loads(Path(path).read_text(encoding="utf-8")) for path in job.input.provenance]
    facts = {
        "cells": [Path(path).stem for path in job.input.cells],
        "standin": any(trace["standin"] for trace in traces),
        "traces": traces,
    }
    write_table(join_tables([Path(path) for path in job.input.cells]), Path(job.output.table))
    write_text(Path(job.output.provenance), json.dumps(facts, indent=1, sort_keys=True) + "\n")
