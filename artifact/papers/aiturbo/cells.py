"""AITurbo's evaluation as far as it can be rebuilt; see `artifact.papers.aiturbo.scenarios`.

A cell is one scheduler in one table, over all its points and seeds; every scheduler sees the same instances.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from artifact.papers.aiturbo.choices import AITURBO_READINGS, member_in, run_settings, scenario_in
from artifact.papers.aiturbo.inference import replayed_from, run_draws
from artifact.papers.aiturbo.measures import run_instance
from artifact.papers.aiturbo.members import MEMBERS
from artifact.papers.aiturbo.scenarios import MAIN, Scenario, mixes
from artifact.papers.aiturbo.study import run_study
from artifact.unknowns import value_of_each
from rarlib.model.errors import InputError
from rarlib.records.tidy import tidy


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler in one table.

    Args:
        part: `study` (see `artifact.papers.aiturbo.study`), `inference` (see `artifact.papers.aiturbo.inference`),
            `main` (jobs as in the study), or `mixes` (other shares of classes, kinds and ages).
        member: a scheduler (`artifact.papers.aiturbo.members`).
        settings: those of the configuration.
        data: the trace whose arrivals are replayed; for the study, its data set.

    Returns:
        Tidy rows, one per metric and run.

    Raises:
        InputError: for an unknown table or member, or no data.
    """
    if part == "study":
        return run_study(member, settings, data)
    cases = [] if part == "inference" else _scenarios(part, member, settings)
    if data is None:
        raise InputError("needs a trace whose arrivals are replayed", field="reads")
    submit_s = replayed_from(data).submit_s
    if part == "inference":
        return run_draws(member, settings, submit_s)
    # A cluster or load that the settings give replaces that of the reading.
    own = {name: settings[name] for name in ("cluster", "load")}
    rows = [
        (case.setup, reading, case.x_name, case.x, seed, *row)
        for reading in settings["readings"]
        for values in [value_of_each(AITURBO_READINGS, reading)]
        for case in cases
        for seed in range(int(settings["seeds"]))
        for row in run_instance(
            scenario_in(values, case, member),
            member_in(values, member),
            seed,
            {**settings, **run_settings(values, own)},
            submit_s,
        )
    ]
    return tidy(rows, f"aiturbo-{part}", member)


def _scenarios(part: str, member: str, settings: Mapping[str, Any]) -> list[Scenario]:
    if member not in MEMBERS:
        raise InputError(f"unknown member {member!r}; known: {', '.join(MEMBERS)}", field="cells")
    if part == "main":
        return [MAIN]
    if part == "mixes":
        return [mix for mix in mixes(settings["shares"]) if mix.setup in settings["mixes"]]
    raise InputError(f"unknown table {part!r}; known: study, inference, main, mixes", field="cells")
