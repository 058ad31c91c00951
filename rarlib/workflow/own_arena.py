"""The arena for schedulers of a user's choice, without the pipeline: its table, and verdicts on the user's statements.

Jobs, clusters and prices are those of `config/config.yaml`. The folder has the layout of a results folder, so the
commands that read those read it, too; what is stated lies in its folder `study`, as in a study.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from rarlib.arena import cells, inputs
from rarlib.arena.standings import by_rank, standings
from rarlib.arena.windows import families
from rarlib.cost.goodput.measured import PREFIX
from rarlib.declared import offers
from rarlib.discovery import scheduler_labels
from rarlib.evidence import ledger
from rarlib.evidence.claims import stated_in
from rarlib.evidence.published import OWN, listed_csv
from rarlib.evidence.robust import TABLE
from rarlib.model import limits
from rarlib.model.errors import InputError, did_you_mean
from rarlib.model.files import read_json, write_text
from rarlib.model.inputs import file_text
from rarlib.model.project import DERIVED, study_of
from rarlib.records.tidy import read_table, sha256, write_table
from rarlib.study.code import package_code
from rarlib.workflow import manifest
from rarlib.workflow.settings import configuration, recorded_remarks, settings_of

_PAPER, _PART = TABLE.split("-")


def arena_settings(
    traces: Sequence[str] = (), windows: int | None = None, jobs: int | None = None, *, grid: bool = False
) -> dict[str, Any]:
    """The settings of the cells: those of the project, or a part of them.

    Args:
        traces: families of windows; without any, all of the project's.
        windows: how many of each trace; None: all.
        jobs: first ones of each window; None: all.
        grid: whether the settings beyond the base setting are run, too, those that use these traces.

    Raises:
        InputError: for an unknown trace, or a number of windows or jobs that the project does not have.
    """
    config = configuration()
    section, made = settings_of(config["experiments"][_PAPER], _PART), config["profiles"][_PAPER]
    for name in traces:
        if name not in section["traces"]:
            known = ", ".join(section["traces"])
            raise InputError(f"no trace {name!r}{did_you_mean(name, section['traces'])}; known: {known}", field="trace")
    for field, value, most in (("windows", windows, len(section["windows"])), ("jobs", jobs, made["jobs"])):
        if value is not None and not 1 <= value <= most:
            raise InputError(f"must be from 1 to {most}, found {value}", field=field)
    chosen = list(dict.fromkeys(traces)) or section["traces"]
    blocks = [{**each, "trace": _common(each.get("trace", chosen), chosen)} for each in section["grid"] if grid]
    return {
        **section,
        "traces": chosen,
        "windows": section["windows"][:windows],
        "jobs": jobs,
        "grid": [each for each in blocks if each["trace"]],
    }


def _common(listed: Sequence[str], chosen: Sequence[str]) -> list[str]:
    return [each for each in listed if each in chosen]


def run_arena(
    names: Sequence[str],
    settings: Mapping[str, Any],
    folder: Path,
    statements: Path | None = None,
    *,
    figure: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> pd.DataFrame:
    """Run schedulers in the arena; write their cells, the table, and a ledger of the statements.

    Args:
        names: of schedulers; `bounds` for the proven bounds.
        settings: as `arena_settings` gives them.
        folder: for the results.
        statements: a file as in `config/claims`, of the paper `arena`: each entry is a statement of one's own.
        figure: whether to draw the standings.
        say: called with a line before each scheduler.

    Returns:
        The rows of `rarlib.arena.cells`, table `runs`.

    Raises:
        InputError: for an unknown or repeated scheduler, or statements that cannot be read.
    """
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"{twice[0]} is given twice", field="scheduler")
    if statements is not None:
        state(statements, folder / DERIVED)
    draw = _drawing() if figure else None
    data = _write_inputs(settings["traces"], folder / "data")
    cells.inputs.cache_clear()  # it goes by the path, which may have been that of other traces before
    files = [folder / "cells" / _PAPER / _PART / f"{name}.csv" for name in names]
    for name, file in zip(names, files, strict=True):
        say(f"arena: {name}")
        write_table(cells.run_cell(_PART, name, settings, data), file)
    table = pd.concat([read_table(file) for file in files], ignore_index=True)
    write_table(table, folder / "tables" / f"{TABLE}.csv")
    _write_facts(names, settings, data, folder)
    if statements is not None:
        with study_of(folder):  # as those who read the ledger do
            remarks = recorded_remarks(folder)
        stated = folder / DERIVED
        found = ledger.build(stated / "data", stated / "config/claims", folder / "tables", remarks)
        ledger.write_ledger(found, folder / "claims.csv")
    if draw is not None:
        draw(table, folder)
    manifest.write_manifest(folder, folder / "manifest.json")
    return table


def state(statements: Path, folder: Path) -> None:
    """Write what is stated where a results folder has it: the formulas, and the list of statements.

    Raises:
        InputError: naming the file and the statement.
    """
    text = file_text(statements, limits.JSON_BYTES)
    claims = stated_in(statements, _PAPER)
    if wrong := [each.published for each in claims if each.formula is None]:
        raise InputError("a statement needs a formula", file=statements, field=wrong[0])
    rows = [[each.published, _PAPER, each.where, each.statement, "", "true", "", OWN] for each in claims]
    write_text(folder / "config/claims" / f"{_PAPER}.yaml", text)
    write_text(folder / "data/statements.csv", listed_csv(rows))
    write_text(folder / "data/published.csv", listed_csv([]))


def _write_inputs(traces: Sequence[str], folder: Path) -> Path:
    """Profiles, and the windows of these traces as the project cuts them."""
    given = configuration()["profiles"][_PAPER]
    profiles = [name for name in given["sources"] if name.startswith(PREFIX)]
    by_family = families([name for name in given["sources"] if name not in profiles])
    sources = [source for trace in traces for source in by_family[trace]]
    made = inputs.profile_set(_PAPER, {**given, "sources": [*profiles, *sources]})
    write_text(folder / f"{_PAPER}.json.json", json.dumps(made.provenance, indent=2, sort_keys=True) + "\n")
    path = folder / f"{_PAPER}.json"
    write_text(path, json.dumps(made.data, sort_keys=True, separators=(",", ":")) + "\n")
    return path


def _drawing() -> Callable[[pd.DataFrame, Path], None]:
    """The function that draws the standings; imported before the work, since it needs an extra."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 - an extra brings Matplotlib

    from rarlib.arena.figures.ranking import ranking  # noqa: PLC0415
    from rarlib.plot import style  # noqa: PLC0415

    def draw(table: pd.DataFrame, folder: Path) -> None:
        style.use_style()
        style.introduce(scheduler_labels())
        ranked = standings(table)
        made_up = [
            name for name, each in read_json(folder / f"data/{_PAPER}.json")["traces"].items() if each["standin"]
        ]
        made = ranking(ranked, by_rank(ranked), made_up)
        svg, png = (folder / f"figures/arena-ranking.{kind}" for kind in ("svg", "png"))
        style.save(made, svg, png, {"title": "arena-ranking", TABLE: sha256(folder / f"tables/{TABLE}.csv")})
        plt.close(made)

    return draw


def _write_facts(names: Sequence[str], settings: Mapping[str, Any], data: Path, folder: Path) -> None:
    """Beside the table: whether it rests on stand-ins, its settings, and digests of installed packages."""
    origin = json.loads((data.parent / f"{data.name}.json").read_text(encoding="utf-8"))
    listed = [f"{_PAPER}/{_PART}/{name}" for name in names]
    facts = {"cells": list(names), "left_out": [], "standin": origin["standin"], "traces": [origin]}
    code = {f"{cell}.csv": package_code(offers().get(name)) for cell, name in zip(listed, names, strict=True)}
    made = {"module": cells.__name__, "settings": dict(settings), "code": code}
    for path, content in ((f"tables/{TABLE}.json", facts), (f"provenance/{TABLE}.json", made)):
        write_text(folder / path, json.dumps(content, indent=1, sort_keys=True) + "\n")
