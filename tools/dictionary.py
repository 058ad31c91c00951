"""The data dictionary, docs/data-dictionary.md, from the schema: `python -m tools.dictionary`."""

import sys
from pathlib import Path

from artifact.arena.metrics import JCT_QUANTILES, METRICS
from rarlib.model.jobs import JOB_COLUMNS, Column
from rarlib.records.waiting import TURNAROUND_PARTS

JOBS_CSV = (
    Column("job_id", "text", "", True, "Name of the job in the trace."),
    Column("submit_s", "float", "s", True, "Submission."),
    Column("start_s", "float", "s", True, "First time the job gets GPUs."),
    Column("finish_s", "float", "s", True, "End of its last interval with GPUs."),
    Column("gpus", "int", "GPU", True, "Gang size the user requested."),
    Column("gpu_seconds", "float", "GPU s", True, "GPUs held times time held, summed over its allocations."),
    Column("restarts", "int", "", True, "Starts after the first one."),
    Column("queue_s", "float", "s", True, "Seconds in the system without GPUs."),
    Column(
        "contention_s",
        "float",
        "s",
        True,
        "Extra run time because other jobs share a link of one of its servers.",
    ),
    Column("overhead_s", "float", "s", True, "Restart seconds plus the seconds of the per-server overhead."),
    Column("status", "text", "", True, "finished, or unfinished when the run was stopped before the job ended."),
)
DETAILS_CSV = (
    Column("job_id", "text", "", True, "Name of the job in the trace."),
    Column("min_gpus", "int", "GPU", True, "Fewest GPUs the job starts with; = gpus when rigid."),
    Column("moves", "int", "", True, "Moves to other GPUs that cost nothing (`--free-moves`)."),
    Column("restart_s", "float", "s", True, "The part of overhead_s spent on launch and restarts."),
)
ALLOCATIONS_CSV = (
    Column("job_id", "text", "", True, "Name of the job."),
    Column("start_s", "float", "s", True, "From this time on the job holds these GPUs."),
    Column("end_s", "float", "s", True, "Until here."),
    Column("node", "int", "", True, "0-based node of the cluster."),
    Column("gpu_type", "text", "", True, "Type of the node's GPUs."),
    Column("gpus", "int", "GPU", True, "How many of the node's GPUs."),
)
WAITING_CSV = (
    Column("job_id", "text", "", True, "Name of the job."),
    Column("gpus", "int", "GPU", True, "Gang size the user requested."),
    Column("turnaround_s", "float", "s", True, "finish_s - submit_s: the sum of all columns that follow."),
    Column("wait_gpus_s", "float", "s", True, "In the queue while fewer GPUs are free than it needs."),
    Column(
        "wait_fragmentation_s",
        "float",
        "s",
        True,
        "In the queue while enough GPUs are free, but not on one GPU type (where no gang of the run mixes types) or on "
        "more servers than the placement rule `consolidate` accepts.",
    ),
    Column(
        "wait_round_s",
        "float",
        "s",
        True,
        "In the queue while its gang could be placed, but before the next scheduling pass; 0 without a quantum.",
    ),
    Column(
        "wait_order_s",
        "float",
        "s",
        True,
        "In the queue while its gang could be placed and the scheduler passed it over (blocked, reserved, ...).",
    ),
    Column("restart_s", "float", "s", True, "Holding GPUs without progress: launch and restarts."),
    Column("server_overhead_s", "float", "s", True, "Per-server overhead of a gang that spans servers."),
    Column("contention_s", "float", "s", True, "Extra run time because other jobs share its links."),
    Column("running_s", "float", "s", True, "The rest of the time with GPUs: as if alone, in the same placement."),
)
RUN_JSON = (
    Column("scheduler", "text", "", True, "Name of the scheduler."),
    Column("parameters", "object", "", True, "Its parameters, defaults included."),
    Column("seed", "int", "", True, "Master seed."),
    Column("cluster", "text", "", True, "The cluster's specification, or its file's name."),
    Column("nodes", "int", "", True, "Its nodes."),
    Column("gpus", "int", "GPU", True, "Its GPUs."),
    Column("node_groups", "object", "", True, "Its nodes in order: [type, nodes, GPUs of each] for equal neighbours."),
    Column("cost", "object", "", True, "Name and parameters of the cost model."),
    Column("fabric", "object", "", False, "The fabric whose links jobs shared, as stated; absent: counted by server."),
    Column(
        "links",
        "object",
        "",
        False,
        "On a fabric, each link in use: [name, seconds that it took for what it carried, contention put down to it].",
    ),
    Column(
        "link_load",
        "object",
        "",
        False,
        "On a fabric: start_s of bins of time, and by name of the 8 links that carried most, their load in each bin: "
        "the share of capacity in use, on average.",
    ),
    Column("applications", "object", "", False, "With --applications: rule, seed, jobs by application, gangs reduced."),
    Column("quantum_s", "float", "s", True, "Time between scheduling passes; 0: a pass at every event."),
    Column("origin_s", "float", "s", True, "Time of the first submission on the clock whose multiples passes follow."),
    Column("tick_s", "float", "s", True, "Jobs end at the nearest multiple of this; 0: exactly."),
    Column("free_moves", "bool", "", True, "Whether a move to other nodes of the same types and shape costs nothing."),
    Column("restart_s", "float", "s", True, "Restart cost of a preempted job; null: each job's own."),
    Column(
        "trace",
        "object",
        "",
        True,
        "Provenance of the job table (`rarlib.traces.load.Trace`): where it is from, rows read, kept and dropped.",
    ),
    Column("versions", "object", "", True, "Versions of rarlib, Python and the numerical packages."),
    Column(
        "counters",
        "object",
        "",
        True,
        "Events, scheduling passes, the areas behind Little's law; unmeasured_s, if above 0: seconds of progress, of "
        "all jobs together, on the times of the nearest measurements (`rarlib/cost/goodput/step_time.py`).",
    ),
    Column("digests", "object", "", True, "sha256 of the three tables."),
)
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
    """Rows of the metrics; the quantiles are one row, and so are the parts of the mean JCT."""
    quantiles, parts = list(JCT_QUANTILES), list(TURNAROUND_PARTS)
    alike = {
        quantiles[0]: (
            f"{quantiles[0]} to {quantiles[-1]}, median_jct, h",
            "least JCT that so many % of the jobs do not exceed (an element, not interpolated)",
        ),
        parts[0]: (
            f"{parts[0]} to {parts[-1]}, s",
            "mean over the jobs of the columns of `waiting.csv`; together the mean JCT",
        ),
    }
    left_out = {*quantiles, *parts} - set(alike)
    return [
        alike.get(m.name, (f"{m.name}, {m.unit}", f"{m.formula} ({m.source})" if m.source else m.formula))
        for m in METRICS
        if m.name not in left_out
    ]


def main() -> int:
    """Write docs/data-dictionary.md."""
    path = Path(__file__).resolve().parents[1] / "docs" / "data-dictionary.md"
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(render(), encoding="utf-8")
    temporary.replace(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
