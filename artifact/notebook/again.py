"""A figure again, for other settings, while a reader watches: its own cells in a small part, and its own drawing."""

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from artifact.ledger.inference import Draws
from artifact.notebook.at_hand import data_at_hand
from artifact.notebook.figure import DRAWN, OpenFigure
from artifact.notebook.parameters import with_parameters
from artifact.plot.inference import draw_one
from artifact.run.members import members
from artifact.run.settings import configuration, section_of, settings_of, split, values_of
from rarlib.plot import style
from rarlib.traces.audit import is_standin


def again(
    run: OpenFigure, draw: Callable[[OpenFigure], Figure], tables: Sequence[str] = (), **fixed: Any
) -> Callable[..., Figure]:
    """What draws a figure from tables that are made for the settings given.

    Args:
        run: the opened figure.
        draw: draws it from such a one with other tables.
        tables: those that it draws, if not all.
        fixed: settings that differ from those of config/quick.yaml.

    Returns:
        A function of further settings, by name; a single value stands for a list of one, and `member` is the only
        member of the tables that runs.
    """

    def redraw(member: str = "", **chosen: Any) -> Figure:
        made, standin = _tables(list(tables or run.tables), member, {**fixed, **chosen})
        figure = draw(replace(run, tables=made))
        style.mark(figure, [f"STAND-IN DATA: {DRAWN}"] if standin else [])
        return figure

    redraw.__doc__ = f"The figure for a small part: {run.about['alt']}"
    return redraw


def _tables(names: list[str], member: str, chosen: Mapping[str, Any]) -> tuple[dict[str, pd.DataFrame], bool]:
    """Rows by table, and whether any of them rest on a stand-in."""
    usual = values_of(names, [*chosen], configuration())
    listed = {
        name: [value] if isinstance(usual[name], list) and not isinstance(value, list) else value
        for name, value in chosen.items()
        if value is not None
    }
    config = with_parameters(configuration("quick"), names, listed)
    tables, standin = {}, False
    for name in names:
        experiment, part = split(name, config)
        section = section_of(config, experiment)
        settings = json.dumps(settings_of(section, part), sort_keys=True)
        read = section.get("reads", {}).get(part, "")
        standin = standin or (bool(read) and is_standin(data_at_hand(read)))
        ran = [member] if member else members(section, part)
        tables[name] = pd.concat([_rows(section["module"], part, one, settings, read) for one in ran])
    return tables, standin


@cache
def _rows(module: str, part: str, member: str, settings: str, read: str) -> pd.DataFrame:
    """Rows of one cell; kept, so that only cells whose settings change are run again."""
    data = data_at_hand(read) if read else None
    found: pd.DataFrame = importlib.import_module(module).run_cell(part, member, json.loads(settings), data)
    return found


def one_draw(
    draws: Draws,
    labels: "pd.Series[str]",
    readings: Mapping[str, Mapping[str, Any]],
    outcomes: Callable[..., Mapping[str, float]],
    data: str = "",
) -> Callable[..., Figure]:
    """What draws the published numbers that a choice of the unstated parameters brings out.

    Args:
        draws: the table of draws, for the published numbers and their tolerances.
        labels: of the published numbers, by id.
        readings: a value for each unknown, by reading; the first one counts unless `reading` is chosen.
        outcomes: what a value for each unknown gives, by id.
        data: the trace or set whose file `outcomes` takes first, if any.
    """

    def redraw(reading: str = "", **chosen: Any) -> Figure:
        """Our value over the published one, a row per published number, with the band of its tolerance."""
        named = {name.rstrip("_").replace("_", " "): value for name, value in chosen.items() if value is not None}
        read = [data_at_hand(data)] if data else []
        values = pd.Series(outcomes(*read, {**readings[reading or next(iter(readings))], **named}))
        known = draws.published.index.isin(values.index)
        published, within = draws.published[known], draws.within[known]
        return draw_one(values[published.index], published, within, labels)

    return redraw
