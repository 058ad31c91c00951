"""Raw trace -> clean table, provenance and audit."""

from artifact.run.forks import hand_over

hand_over()

from pathlib import Path

from artifact.run.jobs import logged
from rarlib.model.cluster import Cluster
from rarlib.model.files import write_text
from rarlib.traces.audit import audit, write_clean
from rarlib.traces.load import load_trace

job = snakemake
with logged(job.log.text) as say:
    settings = job.params.settings
    own = {"trace": settings.get("file", job.wildcards.trace), "format": settings.get("format")}
    trace = load_trace(**own, limit=settings["limit"], seed=settings["seed"])
    facts = trace.provenance
    kind = "a STAND-IN drawn from statistics" if facts["standin"] else f"the recorded file ({trace.origin})"
    dropped = "".join(f", {count} dropped ({reason})" for reason, count in facts["dropped"].items()) or ", none dropped"
    rows = f"{facts['read']} rows read, {facts['kept']} kept{dropped}"
    say(f"{facts['name']}: {kind}; {rows}; {len(trace.jobs)} jobs used")
    table = audit(trace, Cluster.parse(settings["cluster"]))
    print(table.to_string(index=False))
    write_text(Path(job.output.audit), table.to_csv(index=False, lineterminator="\n", float_format="%.6g"))
    write_text(Path(job.log.origin), trace.origin)
    write_clean(trace, Path(job.output.jobs))
