"""`rarlib trace`: describe the jobs of a trace, draw jobs from stated laws, resample recorded ones, convert formats."""

import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rarlib.cli.options import Force, Format, Limit
from rarlib.cli.text import say

if TYPE_CHECKING:
    import pandas as pd

    from rarlib.traces.load import Trace

app = typer.Typer(no_args_is_help=True)

_Source = Annotated[str, typer.Argument(help="A file, or the name of a source (see `rarlib sources list`).")]

_PICTURES = ("workload.svg", "workload.png")
_FACTS = "facts.csv"
_MOST_ROWS = 12


@app.callback()
def trace() -> None:
    """Describe, draw, resample and convert traces of jobs."""


@app.command()
def describe(
    source: _Source,
    format: Format = None,
    cluster: Annotated[
        str | None, typer.Option(help="20x8, t4:16x4,rtx:3x8 or a YAML file: tells the offered load on it.")
    ] = None,
    limit: Limit = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the tables (CSV) and a figure (SVG, PNG).")] = None,
    force: Force = False,
) -> None:
    """Print load, sizes, durations, arrivals, burstiness, users and what was dropped."""
    from rarlib.model.cluster import Cluster
    from rarlib.records.outputs import check_outputs
    from rarlib.traces.describe import describe_trace
    from rarlib.traces.load import load_trace

    machines = Cluster.parse(cluster) if cluster is not None else None
    if out is not None:
        names = ["facts", "sizes", "durations", "arrivals", "users", "statuses"]
        paths = [out / name for name in (*(f"{name}.csv" for name in names), *_PICTURES)]
        check_outputs(paths, [source, *_given(cluster)], force=force or _is_ours(out))
    loaded = load_trace(source, format, limit=limit)
    tables = describe_trace(loaded, machines)
    _print(loaded, tables)
    if out is not None:
        _write(loaded, tables, out)
        say(f"written to {out}")


class TraceFormat(StrEnum):
    """Formats in which a trace can be written."""

    rarlib = "rarlib"
    swf = "swf"


@app.command()
def convert(
    source: _Source,
    out: Annotated[Path, typer.Option(help="File to write.")],
    to: Annotated[TraceFormat, typer.Option(help="Our own CSV, or the Standard Workload Format.")] = TraceFormat.rarlib,
    format: Format = None,
    cluster: Annotated[str | None, typer.Option(help="The machine, for the header of swf.")] = None,
    limit: Limit = None,
    force: Force = False,
) -> None:
    """Write a trace in another format, and say what is lost."""
    from rarlib.model.cluster import Cluster
    from rarlib.model.files import write_text
    from rarlib.records.outputs import check_outputs
    from rarlib.traces.convert import lost_in_swf, trace_to_swf
    from rarlib.traces.load import load_trace

    machines = Cluster.parse(cluster) if cluster is not None else None
    check_outputs(_files_of(out, to), [source, *_given(cluster)], force=force)
    loaded = load_trace(source, format, limit=limit)
    if to is TraceFormat.swf:
        write_text(out, trace_to_swf(loaded, machines))
        lost = lost_in_swf(loaded.jobs)
        say(f"lost: {', '.join(lost)}" if lost else "nothing is lost")
    else:
        _write_own(loaded, out)
    say(f"written to {out}")


@app.command()
def generate(
    spec: Annotated[Path, typer.Argument(help="YAML file with laws of arrivals, sizes and durations.")],
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    jobs: Annotated[int, typer.Option(min=1, help="Number of jobs.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same jobs.")] = 0,
    force: Force = False,
) -> None:
    """Draw jobs from stated laws (docs/your-trace.md)."""
    from rarlib.records.outputs import check_outputs
    from rarlib.traces.laws.spec import drawn_trace

    check_outputs(_files_of(out, TraceFormat.rarlib), [spec, *_cluster_of_laws(spec)], force=force)
    made = drawn_trace(spec, jobs, seed)
    _write_own(made, out)
    say(made.provenance["note"], f"written to {out}")


@app.command()
def resample(
    source: _Source,
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    by: Annotated[
        str | None, typer.Option(help="Draw whole days, or jobs, with replacement. Default: neither.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed draws the same jobs.")] = 0,
    factor: Annotated[float | None, typer.Option("--stretch", help="Multiply all gaps between submissions.")] = None,
    load: Annotated[float | None, typer.Option(help="Scale all gaps to this offered load on --cluster.")] = None,
    cluster: Annotated[str | None, typer.Option(help="The cluster of --load.")] = None,
    format: Format = None,
    limit: Limit = None,
    force: Force = False,
) -> None:
    """Draw days or jobs of a recorded trace, and scale its gaps."""
    from rarlib.model.cluster import Cluster
    from rarlib.model.errors import InputError
    from rarlib.records.outputs import check_outputs
    from rarlib.traces.load import load_trace
    from rarlib.traces.resample import at_load, resampled, stretched

    if (load is None) != (cluster is None) or (load is not None and factor is not None):
        raise InputError("--load and --cluster belong together, and exclude --stretch", file="--load")
    if by is None and load is None and factor is None:
        raise InputError("nothing to do; name --by, --stretch or --load", file="--by")
    check_outputs(_files_of(out, TraceFormat.rarlib), [source, *_given(cluster)], force=force)
    made = load_trace(source, format, limit=limit)
    made = resampled(made, by, seed) if by is not None else made
    made = stretched(made, factor) if factor is not None else made
    made = at_load(made, load, Cluster.parse(cluster)) if load is not None and cluster is not None else made
    _write_own(made, out)
    say(made.provenance["note"], f"written to {out}")


def _given(cluster: object) -> list[str]:
    """A cluster that is named, which may be a file, as an input."""
    return [cluster] if isinstance(cluster, str) else []


def _cluster_of_laws(spec: Path) -> list[str]:
    from rarlib.model.plain_yaml import yaml_file

    laws = yaml_file(spec)
    load = laws.get("load") if isinstance(laws, dict) else None
    return _given(load.get("cluster")) if isinstance(load, dict) else []


def _files_of(out: Path, to: TraceFormat) -> list[Path]:
    return [out, out.parent / f"{out.name}.json"] if to is TraceFormat.rarlib else [out]


def _write_own(loaded: "Trace", out: Path) -> None:
    """Our own CSV on the clock of the week, so that hours and weekdays stay what they are."""
    from rarlib.traces.audit import write_clean
    from rarlib.traces.describe import week_s

    write_clean(loaded, out, float(week_s(loaded)[0]))


def _is_ours(out: Path) -> bool:
    """Whether a folder has tables of this command."""
    from rarlib.model.inputs import is_regular, open_regular

    if not is_regular(out / _FACTS):
        return False
    with open_regular(out / _FACTS) as stream:
        return stream.readline(200) == b"trace,quantity,value,unit\n"


def _write(loaded: "Trace", tables: "dict[str, pd.DataFrame]", out: Path) -> None:
    from rarlib.model.files import write_text
    from rarlib.plot.style import save, use_style
    from rarlib.plot.workload import draw_workload

    for name, table in tables.items():
        write_text(out / f"{name}.csv", table.to_csv(index=False, lineterminator="\n"))
    use_style()
    facts = {"title": "Jobs of a trace", "jobs": loaded.provenance["name"], "sha256": loaded.provenance["sha256"]}
    figure = draw_workload(tables, loaded.jobs.submit_s, _title(loaded))
    save(figure, out / _PICTURES[0], out / _PICTURES[1], facts)


def _title(loaded: "Trace") -> str:
    made_up = "STAND-IN for " if loaded.provenance["standin"] else ""
    return f"{made_up}{loaded.provenance['name']}: {len(loaded.jobs):,} jobs"


def _print(loaded: "Trace", tables: "dict[str, pd.DataFrame]") -> None:
    facts = loaded.provenance
    say(f"{_title(loaded)} (format {facts['format']})")
    if facts["starts"]:
        say(f"first submission {facts['starts']}")
    if facts["note"]:
        say(f"note: {facts['note']}")
    for quantity, value, unit in tables["facts"][["quantity", "value", "unit"]].itertuples(index=False):
        say(f"  {quantity:52}{_number(value):>14} {unit}".rstrip())
    arrivals = tables["arrivals"].drop(columns="observed_h")
    _table("sizes, most jobs first", tables["sizes"].sort_values("jobs", ascending=False, kind="stable"))
    _table("durations (s)", tables["durations"])
    _table("jobs per hour by hour of the day", _wide(arrivals, "hour", 6))
    _table("jobs per hour by weekday (0 is Monday)", _wide(arrivals, "weekday", 7))
    _table("users, most GPU time first", tables["users"])
    _table("statuses", tables["statuses"])


def _table(title: str, table: "pd.DataFrame") -> None:
    more = f" ({_MOST_ROWS} of {len(table)})" if len(table) > _MOST_ROWS else ""
    say("", f"{title}{more}")
    text = table.head(_MOST_ROWS).to_string(index=False, float_format=_number)
    say(*(f"  {line}" for line in text.splitlines()))


def _number(value: float) -> str:
    whole = abs(value) >= 1000 or float(value).is_integer()
    return f"{value:,.0f}" if math.isfinite(value) and whole else f"{value:.4g}"


def _wide(arrivals: "pd.DataFrame", cycle: str, columns: int) -> "pd.DataFrame":
    """Jobs per hour at each position of a cycle, some positions in each row."""
    import pandas as pd

    rate = arrivals.loc[arrivals["cycle"] == cycle, "jobs_per_h"].to_numpy().reshape(-1, columns)
    table = pd.DataFrame(rate, columns=[f"+{i}" for i in range(columns)])
    table.insert(0, cycle, range(0, rate.size, columns))
    return table
