"""A figure's notebook: `open_figure` gives it tables for its parameters, and the notebook shows its figure."""

import difflib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from artifact.ledger.result import result
from artifact.notebook import parameters
from artifact.notebook.job import FIGURE_FILES
from artifact.notebook.picture import display_picture
from artifact.notebook.tables import (
    FigureTables,
    accepted_tables,
    read_tables,
    results_folder,
    simulate_tables,
    suit,
)
from artifact.plot.published import read_published
from artifact.run.settings import configuration, remarks
from rarlib.discovery import scheduler_labels
from rarlib.model.errors import InputError
from rarlib.model.plain_yaml import yaml_file
from rarlib.model.project import placed_file
from rarlib.plot import style
from rarlib.records.tidy import read_table

DRAWN = "drawn from statistics, not from the recorded data"


@dataclass(frozen=True)
class OpenFigure:
    """What a figure's notebook works with.

    Attributes:
        name: of the figure and its notebook.
        about: title, category, tables, caption and alternative text, from workflow/report/figures.yaml.
        tables: tidy rows by table.
        published: the published numbers, see `read_published`.
        settings: parameter -> the value that made the tables.
        standin: whether the tables rest on data drawn from statistics instead of recorded ones.
        remarks: what sets the tables apart from the headline, see `artifact.run.settings.remarks`.
        source: where the tables come from, in one line.
    """

    name: str
    about: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    published: pd.DataFrame
    settings: Mapping[str, Any]
    standin: bool
    remarks: list[str]
    source: str
    files: tuple[Path, ...]
    job: Mapping[str, Any]

    @property
    def frame(self) -> pd.DataFrame:
        """Rows of all tables; `x` holds numbers wherever all of it are."""
        joined = pd.concat(self.tables.values(), ignore_index=True)
        numbers = pd.to_numeric(joined["x"], errors="coerce")
        return joined if numbers.isna().any() else joined.assign(x=numbers.astype(float))

    def show(self, draw: Callable[..., Figure], *args: Any, standin: str = DRAWN, **kwargs: Any) -> None:
        """Draw the figure, say above it what came out or sets it apart from the headline, and display it.

        The pipeline also saves it; for a paper, without a title.

        Args:
            draw: makes the figure from the other arguments.
            args: for `draw`.
            standin: how data that are not recorded ones are described.
            kwargs: for `draw`.
        """
        figure = draw(*args, **kwargs)
        drawn = {name: about["tables"] for name, about in _listed().items()}
        if "pdf" not in self.job and (line := result(self.name, drawn, self.tables)) and not figure.get_suptitle():
            figure.suptitle(line, fontsize=10)
        marks = ([f"STAND-IN DATA: {standin}"] if self.standin else []) + self.remarks
        style.mark(figure, marks)
        if self.job:
            title = f"{self.about['category']}: {self.about['title']}"
            facts = {"tables": style.digests(self.files), "published": style.digests([self.job["published"]])}
            if "pdf" in self.job:
                style.save_pdf(figure, self.job["pdf"], {"Title": title, "Subject": facts["tables"]})
            else:
                style.save(figure, self.job["svg"], self.job["png"], {"title": title, **facts}, self.job["marks"])
        display_picture(figure, str(self.about["alt"]))


def open_figure(name: str, names: Mapping[str, Any] | None = None, **values: Any) -> OpenFigure:
    """Tables and published numbers of a figure, for parameters that may differ from the headline's.

    The pipeline's tables are read if they were made with these parameters, else the accepted ones; otherwise a small
    part of the figure is simulated here (config/quick.yaml says which).

    Args:
        name: of the figure.
        names: the notebook's `globals()`; those that are parameters of the figure count.
        values: further parameters.

    Raises:
        InputError: an unknown figure or parameter, or an impossible value; the message names notebook, parameter and
            rule.
    """
    style.use_style()
    style.introduce(scheduler_labels())
    pd.set_option("display.max_colwidth", None)  # sentences in tables are shown in full
    about = _declared(name)
    tables = list(about["tables"])
    job = json.loads(os.environ.get(FIGURE_FILES, "{}"))
    try:
        parameters.refuse_unknown(tables)
        given = parameters.differing(tables, names or {}, values)
        parameters.with_parameters(configuration(), tables, given)
        found, source = _job_tables(tables, job) if job else _tables(tables, given)
    except InputError as error:
        where = error.file or f"notebooks/figures/{name}.ipynb"
        raise InputError(error.rule, file=where, row=error.row, field=error.field) from None
    lines = remarks(tables, found.settings)
    if not job:
        print("\n".join([f"Tables: {source}.", *lines]))  # noqa: T201 - the first thing that a reader should know
    return OpenFigure(
        name,
        about,
        found.frames,
        read_published(job.get("published") or placed_file("data/published.csv")),
        parameters.made_with(tables, found.settings),
        found.standin,
        lines,
        source,
        tuple(found.files),
        job,
    )


def _listed() -> dict[str, dict[str, Any]]:
    return dict(yaml_file(placed_file("workflow/report/figures.yaml")))


def _declared(name: str) -> dict[str, Any]:
    """What workflow/report/figures.yaml says of a figure."""
    figures = _listed()
    if name not in figures:
        near = difflib.get_close_matches(name, figures, n=1, cutoff=0)
        raise InputError(f"no such figure; did you mean {near[0]!r}?", file="figures.yaml", field=name)
    return dict(figures[name])


def _tables(names: list[str], given: Mapping[str, Any]) -> tuple[FigureTables, str]:
    results = results_folder()
    found = read_tables(names, results)
    if found is not None and suit(found, given):
        return found, f"the pipeline's tables in {results.name}/tables"
    found = accepted_tables(names)
    if found is not None and suit(found, given):
        return found, "accepted results of a run with recorded data; make reproduce makes them here"
    config = parameters.with_parameters(configuration("quick"), names, given)
    return simulate_tables(names, config, results), "simulated here; make reproduce makes all of them"


def _job_tables(names: list[str], job: Mapping[str, Any]) -> tuple[FigureTables, str]:
    files = [Path(path) for path in job["tables"]]
    settings = [json.loads(Path(path).read_text(encoding="utf-8"))["settings"] for path in job["made"]]
    frames = {name: read_table(path) for name, path in zip(names, files, strict=True)}
    return FigureTables(frames, dict(zip(names, settings, strict=True)), files, job["standin"]), "the pipeline's tables"
