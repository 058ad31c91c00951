"""Which statements of a study the seeds so far decide."""

import json
from pathlib import Path

from artifact.run.jobs import logged
from artifact.study.document import Statement
from artifact.study.pairs import as_record, decisions
from rarlib.model.files import write_text
from rarlib.records.tidy import join_tables

job = snakemake
with logged(job.log[0]) as say:
    statements = [Statement(*each) for each in job.params.statements]
    found = decisions(join_tables(job.input.cells), statements, job.params.looks)
    still_open = [name for name, each in found.items() if each.holds is None]
    say(f"look {job.wildcards.look}: {len(found) - len(still_open)} of {len(found)} statements are decided")
    write_text(Path(job.output[0]), json.dumps(as_record(found), indent=1) + "\n")
