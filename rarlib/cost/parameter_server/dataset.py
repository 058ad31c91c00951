"""The data set of AITurbo's workload study for the pipeline, and the statistics that stand in for it.

Source: `aiturbo` in data/sources.tsv, the data set [DATA] published with Zhao et al., HPDC 2021,
doi 10.1145/3431379.3460639. It is read from the authors' file; where that is not available, as many jobs are drawn
from data/standin/aiturbo-study.json, and the result is marked as a stand-in. `python -m
rarlib.cost.parameter_server.dataset` computes these statistics.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rarlib.cost.parameter_server.generator import KIND, PREDICTABILITY, TYPICAL, Statistics, sample_study
from rarlib.model.errors import InputError
from rarlib.model.files import read_json, write_text
from rarlib.model.seeds import stream
from rarlib.traces.formats.aiturbo import read_study
from rarlib.traces.profile import profile_path
from rarlib.traces.profile_sets import ProfileSet, read_profile_set
from rarlib.traces.resolve import obtain
from rarlib.traces.sources import read_sources

SOURCE = "aiturbo"
STATISTICS = "aiturbo-study"

_FEWEST_JOBS, _FEWEST_OF_KIND = 60, 5
"""Statistics of smaller groups could reveal single jobs. Such a group uses the running times of the whole study, and a
rare kind counts as the most common one of its type."""


def profile_set(name: str, settings: Mapping[str, Any]) -> ProfileSet:
    """All jobs of the study, column by column; `settings` has the `seed` of the stand-in."""
    source = read_sources()[SOURCE][0]
    found = obtain(source)
    if found.path is not None:
        frame, origin = read_study(found.path.read_bytes(), str(found.path)), found.origin
        digest = source.digest
    else:
        statistics = read_statistics()
        frame = sample_study(statistics, statistics["jobs"], stream(int(settings["seed"]), "standin", STATISTICS))
        origin, digest = "stand-in", ""
    standin = found.path is None
    provenance = {"name": name, "standin": standin, "rows": len(frame), "digest": digest}
    return ProfileSet({str(column): frame[column].tolist() for column in frame}, provenance, origin)


def read_frame(data: Path | None) -> pd.DataFrame:
    """Read the study from the pipeline's file.

    Raises:
        InputError: there is no data.
    """
    if data is None:
        raise InputError("needs the data set of the study", field="reads")
    return pd.DataFrame(read_profile_set(data))


@cache
def read_statistics() -> Statistics:
    """The statistics that are kept with the project."""
    found: Statistics = read_json(profile_path(STATISTICS), "no such stand-in profile")
    return found


def statistics(frame: pd.DataFrame) -> dict[str, Any]:
    """The statistics that `rarlib.cost.parameter_server.generator` draws from, of the study.

    `jobs`: their number. `types`: for each type its number, jobs by first submission and class, kinds (tasks and
    resources with their number of jobs), typical values, and running times by class. `running_s`, `accuracy` and
    `loss`: by class. Distributions are quantiles at even steps.
    """
    classes = {name: frame[frame["unpredictable"] == label] for label, name in enumerate(PREDICTABILITY)}
    return {
        "jobs": len(frame),
        "types": [_type(number, frame[frame["type"] == number]) for number in sorted(set(frame["type"].astype(int)))],
        **{
            column: {name: _quantiles(rows[column]) for name, rows in classes.items()}
            for column in ("running_s", "accuracy", "loss")
        },
    }


def _type(number: int, rows: pd.DataFrame) -> dict[str, Any]:
    jobs = [[int(((rows["first"] == f) & (rows["unpredictable"] == u)).sum()) for u in (0, 1)] for f in (0, 1)]
    counts = rows.groupby(list(KIND)).size()
    common = counts[counts >= _FEWEST_OF_KIND].copy()
    common.iloc[int(common.argmax())] += len(rows) - common.sum()
    members = {name: rows.loc[rows["unpredictable"] == label, "running_s"] for label, name in enumerate(PREDICTABILITY)}
    return {
        "type": number,
        "jobs": jobs,
        "kinds": [[int(number) for number in row] for row in common.reset_index().to_numpy()],
        "typical": [float(rows[name].median()) for name in TYPICAL],
        "running_s": {name: _quantiles(values) for name, values in members.items() if len(values) >= _FEWEST_JOBS},
    }


def _quantiles(values: "pd.Series[float]") -> list[float]:
    """Quantiles at even steps; fewer steps for fewer values."""
    steps = 100 if len(values) > 1000 else 40 if len(values) > 200 else 10
    return [float(f"{q:.4g}") for q in np.quantile(values, np.linspace(0.0, 1.0, steps + 1))]


def main() -> None:
    """Compute the statistics from the authors' file; the same file gives the same bytes.

    Raises:
        InputError: the authors' file is not available.
    """
    source = read_sources()[SOURCE][0]
    found = obtain(source)
    if found.path is None:
        raise InputError(f"{found.origin}; statistics must come from the authors' file", file=SOURCE)
    record = {
        "about": "AITurbo's workload study: statistics of all 8,692 jobs, CPU-only ones included",
        "made_by": f"python -m {__spec__.name if __spec__ else __name__}",
        "made_from": {SOURCE: source.digest},
        **statistics(read_study(found.path.read_bytes(), str(found.path))),
    }
    rows = [f'  "{key}": {json.dumps(value)}' for key, value in record.items() if key != "types"]
    types = ",\n".join(f"    {json.dumps(each)}" for each in record["types"])
    write_text(profile_path(STATISTICS), "{\n" + ",\n".join([*rows, f'  "types": [\n{types}\n  ]']) + "\n}\n")


if __name__ == "__main__":
    main()
