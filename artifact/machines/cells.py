"""Cells of the measured tables: what was measured, and what every predictor says, row by row.

A table is one quantity. The set-up is the group of a row, the reading the grade of the predictor and the rows that it
was fitted to, the scheduler its name; `measured` is what the source says. A row without a prediction has no value.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from artifact.machines.deepshare import DeepShare
from artifact.machines.morphling import Morphling
from artifact.machines.pollux import PolluxRuns
from artifact.machines.predictor import predictors
from artifact.machines.sailor import Sailor
from artifact.machines.shockwave import ShockwaveRuns
from rarlib.model.errors import InputError
from rarlib.records.tidy import Row, tidy
from rarlib.traces.profile_sets import read_profile_set

EVERY_PREDICTOR = "predictors"
"""The only member of a table: all predictors of its quantity."""

MACHINES = "measured"
"""Stands for the machines among the predictors."""

PREDICTED = {
    "iteration": ("sailor", "iteration_s", "s"),
    "step": ("morphling", "iteration_s", "s"),
    "beside": ("deepshare", "ratio", "1"),
    "run": ("shockwave", "completion_s", "s"),
    "testbed": ("pollux", "hours", "h"),
    "testbed-ratio": ("pollux", "ratio", "1"),
}
"""Quantity -> source, field of a row, unit."""


class MeasuredRow(Protocol):
    """A measured row of any source; the field of `PREDICTED` holds the value."""

    @property
    def id(self) -> str:
        """Name of the row."""

    @property
    def group(self) -> str:
        """Rows that test the same."""


class MeasuredSource(Protocol):
    """What others measured."""

    def scored(self, quantity: str) -> Sequence[Any]:
        """Rows with a measured value of a quantity, each a `MeasuredRow`."""


def source_of(name: str, frames: Mapping[str, pd.DataFrame], settings: Mapping[str, Any]) -> MeasuredSource:
    """A source from its files.

    `settings`: `bucket_bytes`, see `Sailor`; may be missing.
    """
    if name == "sailor":
        return Sailor(frames, **{key: float(settings[key]) for key in ("bucket_bytes",) if key in settings})
    others: dict[str, Callable[[Mapping[str, pd.DataFrame]], MeasuredSource]]
    others = {"morphling": Morphling, "deepshare": DeepShare, "shockwave": ShockwaveRuns, "pollux": PolluxRuns}
    return others[name](frames)


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None) -> pd.DataFrame:
    """All predictions of one quantity.

    `part`: a key of `PREDICTED`; `settings`: see `source_of`; `data`: the profile set of `artifact.machines.inputs`.

    Returns:
        Tidy rows; none if the source is not at hand.
    """
    if part not in PREDICTED or member != EVERY_PREDICTOR:
        raise InputError(
            f"must be {EVERY_PREDICTOR} of {', '.join(PREDICTED)}", file="config", field=f"{part}.{member}"
        )
    if data is None:
        raise InputError("needs a profile set", field="reads")
    source = PREDICTED[part][0]
    held = read_profile_set(data).get(source)
    if not held:
        return tidy([], "measured", MACHINES)
    frames = {file: pd.DataFrame(columns) for file, columns in held.items()}
    return predicted_rows(part, source_of(source, frames, settings))


def predicted_rows(quantity: str, source: MeasuredSource) -> pd.DataFrame:
    """Tidy rows of a quantity: measured first, then every predictor."""
    _, field, unit = PREDICTED[quantity]
    scored = source.scored(quantity)
    measured = {row.id: float(getattr(row, field)) for row in scored}
    frames = [_frame(MACHINES, "", quantity, unit, scored, measured)]
    for each in predictors():
        if each.quantity == quantity:
            reading = f"{each.grade}: {each.fitted_on}" if each.fitted_on else each.grade
            frames.append(_frame(each.name, reading, quantity, unit, scored, each.predict(source)))
    return pd.concat(frames, ignore_index=True)


def _frame(
    name: str, reading: str, metric: str, unit: str, rows: Sequence[MeasuredRow], values: Mapping[str, float]
) -> pd.DataFrame:
    listed: list[Row] = [
        (row.group, reading, "row", row.id, 0, metric, values.get(row.id, float("nan")), unit) for row in rows
    ]
    return tidy(listed, "measured", name)
