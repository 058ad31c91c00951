"""`rarlib fit`: laws of arrivals, sizes and durations, fitted to a trace."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rarlib.cli.options import Force, Format, Limit
from rarlib.cli.text import say

if TYPE_CHECKING:
    import pandas as pd

_FAR = 1.5
"""From this factor on, a quantity of the drawn trace is named as one that the laws miss."""


def fit(
    source: Annotated[str, typer.Argument(help="A file, or the name of a source (see `rarlib sources list`).")],
    out: Annotated[Path, typer.Option(help="YAML file to write, for `rarlib trace generate`.")],
    format: Format = None,
    limit: Limit = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the drawn trace that is compared with the recorded one.")] = 0,
    force: Force = False,
) -> None:
    """Fit laws of a workload to a trace, and say how near they come."""
    from rarlib.model.files import write_text
    from rarlib.records.outputs import check_outputs
    from rarlib.traces.laws.fit import fit_workload
    from rarlib.traces.laws.spec import write_spec
    from rarlib.traces.load import load_trace

    check_outputs([out], [source], force=force)
    loaded = load_trace(source, format, limit=limit)
    fitted = fit_workload(loaded, seed)
    facts = loaded.provenance
    about = f"Fitted to {facts['name']!r}, {len(loaded.jobs)} jobs, sha256 {facts['sha256']}."
    about += "\nThese jobs were drawn from statistics, not recorded." if facts["standin"] else ""
    write_text(out, write_spec(fitted.spec, about))
    say(*about.splitlines(), "")
    _say_table("durations: largest difference of the distribution functions, and ratio of means", fitted.classes)
    _say_table(f"recorded, and {len(loaded.jobs):,} jobs drawn from the laws", fitted.checks)
    far = fitted.checks[(fitted.checks["ratio"] > _FAR) | (fitted.checks["ratio"] < 1 / _FAR)]
    if len(far):
        say(f"the laws miss, by a factor of more than {_FAR}: {', '.join(far['quantity'])}")
    say(f"written to {out}")


def _say_table(title: str, table: "pd.DataFrame") -> None:
    say(title, *(f"  {line}" for line in table.to_string(index=False, float_format="{:,.4g}".format).splitlines()), "")
