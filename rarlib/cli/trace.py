"""`rarlib trace`: describe the jobs of a trace, draw jobs from stated laws, convert to our own CSV."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rarlib.cli.options import Force, Format, Limit
from rarlib.cli.text import say

if TYPE_CHECKING:
    import pandas as pd

    from rarlib.traces.load import Trace

app = typer.Typer(no_args_is_help=True, add_completion=False)

_Source = Annotated[str, typer.Argument(help="A file, or the name of a source (see `rarlib sources list`).")]
_MOST_ROWS = 12


@app.callback()
def trace() -> None:
    """Describe, draw and convert traces of jobs."""


@app.command()
def describe(
    source: _Source,
    format: Format = None,
    cluster: Annotated[
        str | None, typer.Option(help="20x8, t4:16x4,rtx:3x8 or a YAML file: tells the offered load on it.")
    ] = None,
    limit: Limit = None,
) -> None:
    """Print load, burstiness, sizes, durations and what was dropped."""
    from rarlib.model.cluster import Cluster
    from rarlib.traces.describe import describe_trace
    from rarlib.traces.load import load_trace

    machines = Cluster.parse(cluster) if cluster is not None else None
    loaded = load_trace(source, format, limit=limit)
    _print(loaded, describe_trace(loaded, machines))


@app.command()
def convert(
    source: _Source,
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    format: Format = None,
    limit: Limit = None,
    force: Force = False,
) -> None:
    """Write a trace as our own CSV."""
    from rarlib.records.outputs import check_outputs
    from rarlib.traces.load import load_trace

    check_outputs(_files_of(out), [source], force=force)
    _write(load_trace(source, format, limit=limit), out)
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

    check_outputs(_files_of(out), [spec, *_cluster_of_laws(spec)], force=force)
    made = drawn_trace(spec, jobs, seed)
    _write(made, out)
    say(made.provenance["note"], f"written to {out}")


def _cluster_of_laws(spec: Path) -> list[str]:
    """The cluster that a file of laws names, which may be a file and thus an input."""
    from rarlib.model.plain_yaml import yaml_file

    laws = yaml_file(spec)
    load = laws.get("load") if isinstance(laws, dict) else None
    cluster = load.get("cluster") if isinstance(load, dict) else None
    return [cluster] if isinstance(cluster, str) else []


def _files_of(out: Path) -> list[Path]:
    return [out, out.parent / f"{out.name}.json"]


def _write(loaded: "Trace", out: Path) -> None:
    """Our own CSV on the clock of the week, so that hours and weekdays stay what they are."""
    from rarlib.traces.audit import write_clean
    from rarlib.traces.describe import week_s

    write_clean(loaded, out, float(week_s(loaded)[0]))


def _print(loaded: "Trace", tables: "dict[str, pd.DataFrame]") -> None:
    facts = loaded.provenance
    made_up = "STAND-IN for " if facts["standin"] else ""
    say(f"{made_up}{facts['name']}: {len(loaded.jobs):,} jobs (format {facts['format']})")
    if facts["starts"]:
        say(f"first submission {facts['starts']}")
    if facts["note"]:
        say(f"note: {facts['note']}")
    for quantity, value, unit in tables["facts"][["quantity", "value", "unit"]].itertuples(index=False):
        say(f"  {quantity:52}{_number(value):>14} {unit}".rstrip())
    _table("sizes, most jobs first", tables["sizes"].sort_values("jobs", ascending=False, kind="stable"))
    _table("durations (s)", tables["durations"])


def _table(title: str, table: "pd.DataFrame") -> None:
    more = f" ({_MOST_ROWS} of {len(table)})" if len(table) > _MOST_ROWS else ""
    say("", f"{title}{more}")
    text = table.head(_MOST_ROWS).to_string(index=False, float_format=_number)
    say(*(f"  {line}" for line in text.splitlines()))


def _number(value: float) -> str:
    whole = abs(value) >= 1000 or float(value).is_integer()
    return f"{value:,.0f}" if math.isfinite(value) and whole else f"{value:.4g}"
