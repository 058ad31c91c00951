"""The tables of a figure: the pipeline's, else the accepted ones, else a small part of them, simulated here."""

import importlib
import json
import os
import zipfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from tqdm.auto import tqdm

from artifact.notebook.data import data_file, own_folder
from artifact.run.members import members
from artifact.run.settings import key_of, section_of, settings_of, split
from rarlib.model.project import ROOT
from rarlib.records.tidy import read_table
from rarlib.traces.audit import is_standin

RESULTS = "RARLIB_RESULTS"
"""Environment variable: folder of the pipeline's results; without it `results` in the project's folder."""

ACCEPTED = ROOT / "results/expected/tables.zip"
"""Tables of the accepted run with recorded data (`python -m tools.accept`)."""


class FigureTables(NamedTuple):
    """Tables of a figure.

    Attributes:
        frames: tidy rows by name of the table.
        settings: settings that made them, by name of the table.
        files: files that were read; none when the tables were made here.
        standin: whether any of them rests on data drawn from statistics instead of recorded ones.
    """

    frames: dict[str, pd.DataFrame]
    settings: dict[str, dict[str, Any]]
    files: list[Path]
    standin: bool


class _Cell(NamedTuple):
    table: str
    module: str
    part: str
    member: str
    settings: dict[str, Any]
    data: Path | None


def results_folder() -> Path:
    """Folder of the pipeline's results."""
    return Path(os.environ.get(RESULTS) or ROOT / "results")


def read_tables(names: list[str], results: Path) -> FigureTables | None:
    """The pipeline's tables, None if one of them is missing."""
    files = [results / "tables" / f"{name}.csv" for name in names]
    facts = [path.with_suffix(".json") for path in files]
    made = [results / "provenance" / f"{name}.json" for name in names]
    if not all(path.is_file() for path in (*files, *facts, *made)):
        return None
    standin = any(json.loads(path.read_text(encoding="utf-8"))["standin"] for path in facts)
    settings = [json.loads(path.read_text(encoding="utf-8"))["settings"] for path in made]
    frames = {name: read_table(path) for name, path in zip(names, files, strict=True)}
    return FigureTables(frames, dict(zip(names, settings, strict=True)), files, standin)


def accepted_tables(names: list[str]) -> FigureTables | None:
    """The accepted tables, None if one of them is missing."""
    if ACCEPTED.is_file():
        with zipfile.ZipFile(ACCEPTED) as packed:
            packed.extractall(own_folder(), [file for file in packed.namelist() if Path(file).stem in names])
    return read_tables(names, own_folder() / "accepted")


def suit(found: FigureTables, knobs: Mapping[str, Any]) -> bool:
    """Whether tables were made with these parameters; parameters that are not given may have any value."""
    plain = json.loads(json.dumps({key_of(name): value for name, value in knobs.items()}))
    return all(s.get(key, value) == value for s in found.settings.values() for key, value in plain.items())


def simulate_tables(names: list[str], config: Mapping[str, Any], results: Path) -> FigureTables:
    """Make the tables here, with a progress bar, on all cores.

    Recorded data are read if they are at hand: in `results`, in data/raw or in a mirror. Nothing is downloaded; without
    them stand-ins are drawn.

    Args:
        names: of the tables.
        config: a configuration.
        results: folder of the pipeline's results, whose data are used if there are any.

    Raises:
        InputError: settings that the experiment refuses.
    """
    cells, standin = _cells(names, config, results, own_folder())
    made = list(zip(cells, _run_all(cells), strict=True))
    frames = {name: pd.concat([f for cell, f in made if cell.table == name], ignore_index=True) for name in names}
    return FigureTables(frames, {cell.table: cell.settings for cell in cells}, [], standin)


def _cells(names: list[str], config: Mapping[str, Any], results: Path, folder: Path) -> tuple[list[_Cell], bool]:
    cells, standin = [], False
    for name in names:
        experiment, part = split(name, config)
        section = section_of(config, experiment)
        read = section.get("reads", {}).get(part)
        data = data_file(read, config, results, folder) if read else None
        standin = standin or (data is not None and is_standin(data))
        settings = settings_of(section, part)
        cells += [_Cell(name, section["module"], part, member, settings, data) for member in members(section, part)]
    return cells, standin


def _run_all(cells: list[_Cell]) -> list[pd.DataFrame]:
    """The cells' tables, in the order given."""
    workers = min(len(cells), os.cpu_count() or 1)
    made: dict[int, pd.DataFrame] = {}
    with tqdm(total=len(cells), desc="simulating", unit="cell", leave=False) as bar:
        if workers == 1:
            return [_run(cell) for cell in cells]
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(_run, cell): i for i, cell in enumerate(cells)}
            for done in as_completed(waiting):
                made[waiting[done]] = done.result()
                bar.update()
    return [made[i] for i in range(len(cells))]


def _run(cell: _Cell) -> pd.DataFrame:
    frame: pd.DataFrame = importlib.import_module(cell.module).run_cell(
        cell.part, cell.member, cell.settings, cell.data
    )
    return frame
