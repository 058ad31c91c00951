"""The data dictionary, docs/data-dictionary.md, from the schema: `python -m tools.dictionary`."""

from artifact.arena.metrics import METRICS
from rarlib.model.files import write_text
from rarlib.model.jobs import JOB_COLUMNS, Column
from rarlib.model.project import ROOT
from rarlib.records.waiting import TURNAROUND_PARTS


def _columns(text: str) -> tuple[Column, ...]:
    """Columns, one a line: name, kind and unit, meaning; an indented line goes on with the one before."""
    found = []
    for line in text.strip().replace("\n  ", " ").splitlines():
        name, kind, meaning = line.split(" | ")
        kind, _, unit = kind.partition(", ")
        found.append(Column(name, kind, unit, not meaning.startswith(_OPTIONAL), meaning.removeprefix(_OPTIONAL)))
    return tuple(found)


_OPTIONAL = "Optional. "
JOBS_CSV = _columns("""
job_id | text | Name of the job in the trace.
submit_s | float, s | Submission.
start_s | float, s | First time the job gets GPUs.
finish_s | float, s | End of its last interval with GPUs.
gpus | int, GPU | Gang size the user requested.
gpu_seconds | float, GPU s | GPUs held times time held, summed over its allocations.
restarts | int | Starts after the first one.
queue_s | float, s | Seconds in the system without GPUs.
contention_s | float, s | Extra run time because other jobs share a link of one of its servers.
overhead_s | float, s | Restart seconds plus the seconds of the per-server overhead.
status | text | finished, or unfinished when the run was stopped before the job ended.
""")
DETAILS_CSV = _columns("""
job_id | text | Name of the job in the trace.
min_gpus | int, GPU | Fewest GPUs the job starts with; = gpus when rigid.
moves | int | Moves to other GPUs that cost nothing (`--free-moves`).
restart_s | float, s | The part of overhead_s spent on launch and restarts.
""")
ALLOCATIONS_CSV = _columns("""
job_id | text | Name of the job.
start_s | float, s | From this time on the job holds these GPUs.
end_s | float, s | Until here.
node | int | 0-based node of the cluster.
gpu_type | text | Type of the node's GPUs.
gpus | int, GPU | How many of the node's GPUs.
""")
WAITING_CSV = _columns("""
job_id | text | Name of the job.
gpus | int, GPU | Gang size the user requested.
turnaround_s | float, s | finish_s - submit_s: the sum of all columns that follow.
wait_gpus_s | float, s | In the queue while fewer GPUs are free than it needs.
wait_fragmentation_s | float, s | In the queue while enough GPUs are free, but not on one GPU type (where no gang of
  the run mixes types) or on more servers than the placement rule `consolidate` accepts.
wait_round_s | float, s | In the queue while its gang could be placed, but before the next scheduling pass; 0 without
  a quantum.
wait_order_s | float, s | In the queue while its gang could be placed and the scheduler passed it over (blocked,
  reserved, ...).
restart_s | float, s | Holding GPUs without progress: launch and restarts.
server_overhead_s | float, s | Per-server overhead of a gang that spans servers.
contention_s | float, s | Extra run time because other jobs share its links.
running_s | float, s | The rest of the time with GPUs: as if alone, in the same placement.
""")
RUN_JSON = _columns("""
scheduler | text | Name of the scheduler.
parameters | object | Its parameters, defaults included.
seed | int | Master seed.
cluster | text | The cluster's specification, or its file's name.
nodes | int | Its nodes.
gpus | int, GPU | Its GPUs.
node_groups | object | Its nodes in order: [type, nodes, GPUs of each] for equal neighbours.
cost | object | Name and parameters of the cost model.
fabric | object | Optional. The fabric whose links jobs shared, as stated; absent: counted by server.
links | object | Optional. On a fabric, each link in use: [name, seconds that it took for what it carried, contention
  put down to it].
link_load | object | Optional. On a fabric: start_s of bins of time, and by name of the 8 links that carried most,
  their load in each bin: the share of capacity in use, on average.
applications | object | Optional. With --applications: rule, seed, jobs by application, gangs reduced.
quantum_s | float, s | Time between scheduling passes; 0: a pass at every event.
origin_s | float, s | Time of the first submission on the clock whose multiples passes follow.
tick_s | float, s | Jobs end at the nearest multiple of this; 0: exactly.
free_moves | bool | Whether a move to other nodes of the same types and shape costs nothing.
restart_s | float, s | Restart cost of a preempted job; null: each job's own.
trace | object | Provenance of the job table (`rarlib.traces.load.Trace`): where it is from, rows read, kept and
  dropped.
versions | object | Versions of rarlib, Python and the numerical packages.
counters | object | Events, scheduling passes, the areas behind Little's law; unmeasured_s, if above 0: seconds of
  progress, of all jobs together, on the times of the nearest measurements (`rarlib/cost/goodput/step_time.py`).
digests | object | sha256 of the three tables.
""")
_CHECKED = "A run folder is read only if its files match its digests."
_PARTS = (
    ("Job table", "Every trace becomes this table, ordered by submission, ties in input order. It is also the format "
     "`rarlib` of `--trace`: a CSV with a header line, columns in any order; an unknown column is an error.",
     JOB_COLUMNS),
    ("jobs.csv", "One row per job of a run. finish_s - submit_s = queue_s + contention_s + overhead_s + useful running "
     "time, exactly.", JOBS_CSV),
    ("allocations.csv", "One row per interval and node: every interval in which a job holds GPUs.", ALLOCATIONS_CSV),
    ("details.csv", "Further facts about each job of a run, in the order of jobs.csv.", DETAILS_CSV),
    ("waiting.csv", "Written by `rarlib why RUN_FOLDER --out waiting.csv`: why each job took as long as it did. Every "
     "second is in one column. A job needs the GPUs that it requests, or min_gpus if some job of the run held another "
     "number of GPUs than requested.", WAITING_CSV),
    ("run.json", f"What was run, with which versions, on which data and cluster. {_CHECKED}", RUN_JSON),
)  # fmt: skip

_TOP = """# Data dictionary

Times are seconds since the first submission. CSV files are UTF-8 with LF line ends; those of a run have six decimals.
Made by `python -m tools.dictionary` from the schema in the code.

Text that a spreadsheet would take for a formula (it begins with `=`, `+`, `-` or `@`), and control characters, are
quoted in CSV files: an apostrophe, then the text with control characters as `\\xNN` or `\\uNNNN`, and
backslashes doubled. Every reader of this project gives the text back (`rarlib/model/foreign.py`).
"""
_HEAD = "| column | type, unit | meaning |\n|---|---|---|\n"
_METRICS_HEAD = "| metric, unit | formula |\n|---|---|\n"


def render() -> str:
    """The dictionary as Markdown."""
    parts = [_TOP]
    for title, text, columns in _PARTS:
        rows = [f"| {c.name} | {_kind(c)} | {'' if c.required else 'Optional. '}{c.meaning} |" for c in columns]
        parts.append(f"\n## {title}\n\n{text}\n\n{_HEAD}" + "\n".join(rows) + "\n")
    metrics = "".join(f"| {metric} | {formula} |\n" for metric, formula in _metrics())
    parts.append(f"\n## Arena metrics\n\nOf each run of the arena; n jobs.\n\n{_METRICS_HEAD}{metrics}")
    return "".join(parts)


def _kind(column: Column) -> str:
    return f"{column.kind}, {column.unit}" if column.unit else column.kind


def _metrics() -> list[tuple[str, str]]:
    """Rows of the metrics; the parts of the mean JCT are one row."""
    parts = list(TURNAROUND_PARTS)
    alike = {
        parts[0]: (
            f"{parts[0]} to {parts[-1]}, s",
            "mean over the jobs of the columns of `waiting.csv`; together the mean JCT",
        ),
    }
    left_out = {*parts} - set(alike)
    return [
        alike.get(m.name, (f"{m.name}, {m.unit}", f"{m.formula} ({m.source})" if m.source else m.formula))
        for m in METRICS
        if m.name not in left_out
    ]


if __name__ == "__main__":
    write_text(ROOT / "docs" / "data-dictionary.md", render())
