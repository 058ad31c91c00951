"""AITurbo's evaluation as far as it can be rebuilt, and ablations; see `artifact.papers.aiturbo.scenarios`.

A cell is one scheduler (or one variant of AITurbo) in one table, over all its points and seeds; every scheduler sees
the same instances.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from artifact.papers.aiturbo.arrivals import read_arrivals
from artifact.papers.aiturbo.inference import run_draws
from artifact.papers.aiturbo.measures import run_instance
from artifact.papers.aiturbo.points import points
from artifact.papers.aiturbo.study import run_study
from rarlib.model.errors import InputError
from rarlib.records.tidy import tidy
from rarlib.traces.load import load_trace


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one scheduler in one table.

    Args:
        part: `study` (see `artifact.papers.aiturbo.study`), `inference` (see `artifact.papers.aiturbo.inference`), or a
            table of `artifact.papers.aiturbo.points`.
        member: a scheduler, or a variant of AITurbo (`artifact.papers.aiturbo.members`).
        settings: those of the configuration.
        data: the trace whose arrivals are replayed; for the table `arrivals`, windows of several traces
            (`artifact.papers.aiturbo.arrivals`); for the study, its data set.

    Returns:
        Tidy rows, one per metric and run.

    Raises:
        InputError: for an unknown table or member, or no data.
    """
    if part == "study":
        return run_study(member, settings, data)
    found = [] if part == "inference" else points(part, member, settings)
    if data is None:
        raise InputError("needs a trace whose arrivals are replayed", field="reads")
    if part == "inference":
        return run_draws(member, settings, load_trace(data, "rarlib").jobs.submit_s)
    own = read_arrivals(data) if part == "arrivals" else {"": [load_trace(data, "rarlib").jobs.submit_s]}
    rows = [
        (case.setup, case.reading, case.x_name, case.x, seed, *row)
        for case, who, seeds, changes, trace in found
        for seed in range(seeds)
        for row in run_instance(case, who, seed, {**settings, **changes}, _file(own, trace, seed))
    ]
    return tidy(rows, f"aiturbo-{part}", member)


def _file(submit_s: Mapping[str, Sequence[NDArray[np.float64]]], trace: str, seed: int) -> NDArray[np.float64]:
    """Submissions of a trace; its files take turns."""
    if trace not in submit_s:
        raise InputError(f"no arrivals of {trace}; known: {', '.join(submit_s)}", field="traces")
    return submit_s[trace][seed % len(submit_s[trace])]
