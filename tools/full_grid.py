"""The full grid, run in sittings: `python -m tools.full_grid RESULTS --commit HASH --probe SECONDS`.

Judges the claims of every paper whose tables are all in a results folder of config/full.yaml, replaces its rows in
results/expected/full-claims.csv, notes each experiment's cost in full-sittings.csv beside it, and writes the section of
docs/scale.md. Papers of earlier sittings stay as they are. A run may be killed before; what is not whole is left out.
Without RESULTS, it only writes the section.
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.evidence.ledger import CLAIM_COLUMNS, as_written, build, read_ledger, write_ledger
from rarlib.evidence.published import read_listed
from rarlib.evidence.robust import TABLE as ARENA_RUNS
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text
from rarlib.workflow.costs import recorded_probe_s
from rarlib.workflow.full import cell_seconds
from rarlib.workflow.settings import configuration, recorded_remarks, section_of, settings_of
from tools.section import Section

ROOT = Path(__file__).resolve().parents[1]
EXPECTED = ROOT / "results" / "expected"
CLAIMS, SITTINGS = EXPECTED / "full-claims.csv", EXPECTED / "full-sittings.csv"
SECTION = Section("scale.md", "full grid", "tools.full_grid")
SITTING_COLUMNS = ["experiment", "commit", "cells", "core_s", "probe_s"]


def tables_of(config: Mapping[str, Any]) -> dict[str, list[str]]:
    """Experiment, as written in paths -> its tables."""
    return {
        name.replace("_", "-"): [f"{name.replace('_', '-')}-{part}" for part in section["cells"]]
        for name, section in config["experiments"].items()
    }


def whole_papers(results: Path, papers: list[str], config: Mapping[str, Any]) -> list[str]:
    """Papers all of whose tables are in a results folder, made with the settings of a configuration."""
    tables = tables_of(config)
    own = {
        paper: [name for names in tables.values() for name in names if name.startswith(f"{paper}-")] for paper in papers
    }
    return [paper for paper, names in own.items() if names and all(_is_made(results, name, config) for name in names)]


def whole_experiments(results: Path, config: Mapping[str, Any]) -> list[str]:
    """As `whole_papers`, for experiments; some have no claims."""
    return [name for name, tables in tables_of(config).items() if all(_is_made(results, t, config) for t in tables)]


def _is_made(results: Path, table: str, config: Mapping[str, Any]) -> bool:
    """Whether a table is there; it must be one of this configuration.

    Raises:
        InputError: it was made with other settings.
    """
    made = results / "provenance" / f"{table}.json"
    if not (results / "tables" / f"{table}.csv").is_file() or not made.is_file():
        return False
    name = next(e for e, tables in tables_of(config).items() if table in tables)
    if read_json(made)["settings"] != settings_of(section_of(config, name), table.removeprefix(f"{name}-")):
        raise InputError("is not of config/full.yaml", file=made, field="settings")
    return True


def merged(before: pd.DataFrame, found: pd.DataFrame, papers: list[str], *, arena: bool) -> pd.DataFrame:
    """Rows of earlier sittings, with those of the given papers replaced.

    Args:
        before: ledger of earlier sittings.
        found: ledger of this one, in the order listed.
        papers: those whose rows count in it.
        arena: whether it has the arena's runs, so that its word on robustness holds for all papers.
    """
    kept = before[~before["paper"].isin(papers)].set_index("published", drop=False)
    if arena:
        robust = found.set_index("published")["robustness"]
        kept = kept.assign(robustness=robust.reindex(kept.index))
    rows = pd.concat([kept, found[found["paper"].isin(papers)]])
    order = {name: at for at, name in enumerate(found["published"])}
    return rows.sort_values("published", key=lambda names: names.map(order)).reset_index(drop=True)[CLAIM_COLUMNS]


def costs_of(results: Path, experiments: list[str], commit: str, probe: float) -> pd.DataFrame:
    """Cells and core seconds of experiments, as Snakemake has counted them; columns as in `SITTING_COLUMNS`."""
    rows = []
    for name, tables in tables_of(configuration("full")).items():
        files = [file for table in tables for file in (results / "benchmarks" / "cell").glob(f"{table}-*.tsv")]
        if name in experiments:
            taken = [float(pd.read_csv(file, sep="\t")["cpu_time"].iloc[-1]) for file in files]
            rows.append((name, commit, len(files), round(sum(taken)), probe))
    return pd.DataFrame(rows, columns=SITTING_COLUMNS)


def changes(full: pd.DataFrame, default: pd.DataFrame) -> pd.DataFrame:
    """Claims of both ledgers side by side; columns of the default one end with `_default`."""
    return full.merge(default, on="published", suffixes=("", "_default"))


def counts_table(both: pd.DataFrame) -> str:
    """Table: claims by paper, and how many have another verdict, or another answer, than by default."""
    lines = ["| paper | claims | with more seeds | another verdict | another answer |", "|---|---|---|---|---|"]
    for paper, rows in both.groupby("paper", sort=False):
        more = pd.to_numeric(rows["seeds"]) > pd.to_numeric(rows["seeds_default"])
        other = [(rows[name] != rows[f"{name}_default"]).sum() for name in ("verdict", "answer")]
        lines.append(f"| {paper} | {len(rows)} | {more.sum()} | {other[0]} | {other[1]} |")
    return "\n".join(lines)


def changed_table(both: pd.DataFrame) -> str:
    """Table: every claim whose verdict or answer differs from that of the default run."""
    lines = ["| claim | published | default (seeds) | full (seeds) |", "|---|---|---|---|"]
    for row in both.to_dict("records"):
        if (row["verdict"], row["answer"]) != (row["verdict_default"], row["answer_default"]):
            said = [_said(row, end) for end in ("_default", "")]
            lines.append(f"| {row['published']}: {row['statement']} | {row['value']} | {said[0]} | {said[1]} |")
    return "\n".join(lines)


def _said(row: Mapping[Any, Any], end: str) -> str:
    answer = f"; {row[f'answer{end}']}" if row[f"answer{end}"] else ""
    return f"{row[f'ours{end}']}: {row[f'verdict{end}']}{answer} ({row[f'seeds{end}']})"


def sittings_table(sittings: pd.DataFrame, predicted: Mapping[str, float]) -> str:
    """Table: what was run of which code, what it took, and what was predicted."""
    lines = ["| experiment | code | cells | core seconds | predicted | probe |", "|---|---|---|---|---|---|"]
    for row in sittings.to_dict("records"):
        lines.append(
            f"| {row['experiment']} | `{row['commit'][:8]}` | {row['cells']} | {int(row['core_s']):,} "
            f"| {predicted[row['experiment']] * float(row['probe_s']):,.0f} | {1000 * float(row['probe_s']):.1f} ms |"
        )
    return "\n".join(lines)


def predicted_seconds() -> dict[str, float]:
    """Core seconds of the cells of each experiment for each second that the probe takes, from benchmarks/costs.csv."""
    records = pd.read_csv(ROOT / "benchmarks" / "costs.csv", keep_default_na=False)
    seconds = cell_seconds(records, configuration("config"), configuration("full")) / recorded_probe_s(records)
    return {
        name: sum(float(seconds[seconds.index.str.startswith(f"{table}-")].sum()) for table in tables)
        for name, tables in tables_of(configuration("full")).items()
    }


def missing(sittings: pd.DataFrame) -> list[str]:
    """Experiments of the full configuration that no sitting has run to its end."""
    return [name for name in tables_of(configuration("full")) if name not in set(sittings["experiment"])]


def render(full: pd.DataFrame, sittings: pd.DataFrame, default: pd.DataFrame) -> str:
    """The section as Markdown."""
    both = changes(full, default)
    return "\n\n".join(
        [
            "Experiments that have been run to their end:",
            sittings_table(sittings, predicted_seconds()),
            f"Still to be run: {', '.join(left)}." if (left := missing(sittings)) else "That is the whole grid.",
            "Claims of papers all of whose tables are there, beside the default run:",
            counts_table(both),
            "Claims with another verdict or answer:",
            changed_table(both),
        ]
    )


def read_sittings(path: Path = SITTINGS) -> pd.DataFrame:
    """The table of sittings; all columns are text."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def collect(results: Path, commit: str, probe: float) -> Iterator[str]:
    """Take a sitting into both files; yields what was taken, in words."""
    config = configuration("full")
    found = as_written(build(ROOT / "data", ROOT / "config" / "claims", results / "tables", recorded_remarks(results)))
    papers = whole_papers(results, read_listed(ROOT / "data")["paper"].drop_duplicates().tolist(), config)
    experiments = whole_experiments(results, config)
    before = read_ledger(CLAIMS) if CLAIMS.is_file() else found[:0]
    arena = (results / "tables" / f"{ARENA_RUNS}.csv").is_file()
    write_ledger(merged(before, found, papers, arena=arena), CLAIMS)
    earlier = read_sittings() if SITTINGS.is_file() else pd.DataFrame(columns=SITTING_COLUMNS)
    new = costs_of(results, experiments, commit, probe)
    rows = pd.concat([earlier[~earlier["experiment"].isin(experiments)], new])
    write_text(SITTINGS, rows.to_csv(index=False, lineterminator="\n"))
    yield f"claims of {', '.join(papers) or 'no paper'}"
    yield f"costs of {', '.join(experiments) or 'no experiment'}"


def main() -> None:
    """Take a sitting, if one is named, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="?", type=Path, help="results folder of a run with config/full.yaml")
    parser.add_argument("--commit", default="", help="commit whose code made it")
    parser.add_argument("--probe", type=float, default=0.0, help="rarlib.workflow.costs.probe_s() at that time")
    given = parser.parse_args()
    if given.results is not None:
        if not given.commit or not given.probe > 0.0:
            parser.error("a sitting needs --commit and --probe")
        for line in collect(given.results, given.commit, given.probe):
            print(line)
    SECTION.write(render(read_ledger(CLAIMS), read_sittings(), read_ledger(EXPECTED / "claims.csv")))


if __name__ == "__main__":
    main()
