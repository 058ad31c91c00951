"""Raw trace -> clean table, provenance and audit."""

from pathlib import Path

from rarlib.experiments.jobs import logged
from rarlib.experiments.tidy import write_text
from rarlib.model.cluster import Cluster
from rarlib.traces.audit import audit, write_clean
from rarlib.traces.load import load_trace

job = snakemake
with logged(job.log[0]):
    trace = load_trace(job.wildcards.trace, limit=job.params.limit, seed=job.params.seed)
    facts = audit(trace, Cluster.parse(job.params.cluster))
    print(facts.to_string(index=False))
    write_text(Path(job.output.audit), facts.to_csv(index=False, lineterminator="\n", float_format="%.6g"))
    write_clean(trace, Path(job.output.jobs))
