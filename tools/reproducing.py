"""Where each claim of the five papers is checked, and what to expect: docs/reproducing.md and docs/claims.csv.

python -m tools.reproducing   # from results/expected/claims.csv, benchmarks/costs.csv and the declared figures
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from artifact.run.costs import minutes, read_costs
from artifact.run.settings import configuration
from rarlib.model.files import write_text
from rarlib.model.project import ROOT
from tools.section import Section

TABLE, COSTS = ROOT / "docs" / "claims.csv", ROOT / "benchmarks" / "costs.csv"
CORES = 2

SUMMARY, CLAIMS = (Section("reproducing.md", name, "tools.reproducing") for name in ("summary", "claims"))
NAMES = {"sjf-bco": "SJF-BCO", "gadget": "GADGET", "sia": "Sia", "aiturbo": "AITurbo", "pipedream": "PipeDream"}
_COUNTED = ("reproduced", "direction only")
"""Verdicts that the page counts; docs/claims.csv has all."""


class Shown(NamedTuple):
    """A figure that shows a claim's tables.

    Attributes:
        figure: its name; its notebook is notebooks/figures/NAME.ipynb.
        tables: the tables that it shows.
    """

    figure: str
    tables: tuple[str, ...]


@cache
def figures() -> tuple[Shown, ...]:
    """The declared figures, in the report's order."""
    declared = yaml.safe_load((ROOT / "workflow/report/figures.yaml").read_text(encoding="utf-8"))
    return tuple(Shown(name, tuple(figure["tables"])) for name, figure in declared.items())


def figure_of(evidence: str) -> Shown | None:
    """The figure that shows most of a claim's tables; of several, the one that shows the fewest others.

    Args:
        evidence: as in the ledger: paths of tables, separated by spaces; empty: nothing can be computed.
    """
    wanted = {Path(path).stem for path in evidence.split()}
    if not wanted:
        return None
    return max(figures(), key=lambda shown: (len(wanted & set(shown.tables)), -len(shown.tables)))


@cache
def figure_minutes(shown: Shown) -> float:
    """Minutes that a figure takes on two cores of the measured machine, with all that it is made from."""
    costs, reads = read_costs(COSTS), _tables()
    needed = {reads[table] for table in shown.tables} - {""}
    jobs = costs[(costs["command"] == "reproduce") & (costs["unit"] == "s")]
    of_cell = jobs["job"].map(_table_of)
    mine = (jobs["rule"].isin(["cell", "table"]) & of_cell.isin(shown.tables)) | (
        jobs["rule"].isin(["profile", "trace"]) & jobs["job"].isin(needed)
    )
    mine |= (jobs["rule"] == "figure") & (jobs["job"] == shown.figure)
    seconds = jobs.loc[mine, "value"]
    return float(max(seconds.sum() / CORES, seconds.max())) / 60


def _tables() -> dict[str, str]:
    """Table -> the data that its cells read; empty: none."""
    experiments: dict[str, Any] = configuration()["experiments"]
    return {
        f"{name.replace('_', '-')}-{part}": section.get("reads", {}).get(part, "")
        for name, section in experiments.items()
        for part in section["cells"]
    }


@cache
def _table_of(job: str) -> str:
    """The table of a cell's or table's job; empty for others."""
    return max((table for table in _tables() if f"{job}-".startswith(f"{table}-")), key=len, default="")


def claims() -> pd.DataFrame:
    """Each claim with its published and expected number, its notebook, command and minutes."""
    rows = []
    for row in pd.read_csv(ROOT / "results/expected/claims.csv", dtype=str, keep_default_na=False).to_dict("records"):
        shown = figure_of(row["evidence"])
        rows.append(
            {
                "claim": row["published"],
                **{column: row[column] for column in ("paper", "where", "statement")},
                "published": row["value"],
                "unit": row["unit"],
                "expected": row["ours"],
                "verdict": row["verdict"],
                "role": row["role"],
                "notebook": f"notebooks/figures/{shown.figure}.ipynb" if shown else "",
                "command": f"snakemake results/figures/{shown.figure}.svg" if shown else "",
                "minutes": f"{figure_minutes(shown):.1f}" if shown else "",
            }
        )
    return pd.DataFrame(rows)


def by_paper(rows: pd.DataFrame) -> str:
    """A row for each paper: how its claims are expected to end, and what all of its figures take."""
    heads = ["paper", "claims", *_COUNTED, "figures", "min"]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for paper, found in rows[rows["paper"].isin(list(NAMES))].groupby("paper", sort=False):
        counts = [str((found["verdict"] == word).sum()) for word in _COUNTED]
        made = found[found["notebook"] != ""].drop_duplicates("notebook")
        minutes_of_all = f"{made['minutes'].astype(float).sum():.1f}"
        cells = [NAMES[str(paper)], str(len(found)), *counts, str(len(made)), minutes_of_all]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(rows: pd.DataFrame) -> str:
    """The check-list's lines that hold figures."""
    costs = read_costs(COSTS)
    disk = costs[costs["rule"] == "disk"].set_index("job")["value"]
    memory = costs[(costs["unit"] == "MB") & (costs["rule"] != "disk")]["value"].max()
    numbers, own = rows["paper"].isin(list(NAMES)).sum(), (~rows["paper"].isin(list(NAMES))).sum()
    lines = {
        "time": f"`make reproduce`: {minutes(costs, 'reproduce')} min on 2 cores; `make smoke`: "
        f"{minutes(costs, 'smoke')} min; `rarlib doctor` predicts it for your machine",
        "memory, disk": f"a job takes at most {memory:,.0f} MB; the environment {disk['.venv'] / 1000:.1f} GB, all "
        f"results {disk['results']:,.0f} MB",
        "output": f"{len(figures())} figures as SVG, {len(_tables())} tables, {numbers} verdicts on published claims "
        f"and {own} on our own statements",
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in lines.items())])


def main() -> None:
    """Write both files."""
    rows = claims()
    SUMMARY.write(summary(rows))
    CLAIMS.write(by_paper(rows))
    write_text(TABLE, rows.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    main()
