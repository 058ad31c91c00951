"""Throughput of training jobs beside another job on the same network, measured by DeepShare's and Crux's authors.

Sources: Ryu and Eo, ICPADS 2023, arXiv 2310.20209 (`data/measured.tsv` lists the files): four nodes with one interface
each, two jobs on the same nodes. Cao et al., "Crux", SIGCOMM 2024, section 2.2: one published pair.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd


class PlacedModel(NamedTuple):
    """A model on GPUs of so many nodes."""

    model: str
    gpus: int
    nodes: int


class BesideRow(NamedTuple):
    """A job beside another one.

    Attributes:
        id: name of the run, a slash, and the name of the row; the two jobs of a run are two rows.
        group: same model, different models, or crux.
        job: whose throughput was measured.
        other: the job beside it.
        ratio: throughput beside the other job / throughput alone.
    """

    id: str
    group: str
    job: PlacedModel
    other: PlacedModel
    ratio: float


_GPT, _BERT = PlacedModel("GPT variant", 64, 8), PlacedModel("BERT", 16, 4)

CRUX = (
    BesideRow("crux/crux-gpt", "crux", _GPT, _BERT, 1.53 / 1.70),
    BesideRow("crux/crux-bert", "crux", _BERT, _GPT, 1.0 - 0.077),
)
"""Crux, section 2.2: GPT takes 1.70 s beside BERT and 1.53 s alone; the throughput of BERT falls by 7.7 %."""


@dataclass(frozen=True, eq=False)
class DeepShare:
    """The source, and the published pair."""

    frames: Mapping[str, pd.DataFrame]

    @cached_property
    def pairs(self) -> tuple[BesideRow, ...]:
        """Measured rows, in the order of the file; extrapolated ones are flagged there and left out."""
        found = [_beside_row(row) for row in _measured(self.frames["pairs"])]
        runs = {run: f"run-{at:03}" for at, run in enumerate(dict.fromkeys(map(_run, found)), 1)}
        return tuple(row._replace(id=f"{runs[_run(row)]}/{row.id}") for row in found)

    def scored(self, quantity: str) -> tuple[BesideRow, ...]:
        """Rows with a measured value of a quantity."""
        return self.pairs + CRUX

    def alone(self) -> dict[PlacedModel, float]:
        """Seconds per iteration of each kind of job alone, up to a factor for each model.

        The batch of a GPU is the same in all runs of a model.
        """
        return {
            PlacedModel(row["model"], row["gpus"], row["nodes"]): row["gpus"] / row["samples_per_s"]
            for row in _measured(self.frames["alone"])
        }


def _measured(table: pd.DataFrame) -> list[dict[Any, Any]]:
    return table[table["kind"] == "measured"].to_dict("records")


def _run(row: BesideRow) -> tuple[PlacedModel, ...]:
    """What ran: both rows of a pair are from one run."""
    return tuple(sorted((row.job, row.other)))


def _beside_row(row: Mapping[Any, Any]) -> BesideRow:
    job, other = (PlacedModel(*(row[f"{lead}{name}"] for name in PlacedModel._fields)) for lead in ("", "other_"))
    group = "same model" if job.model == other.model else "different models"
    return BesideRow(row["id"], group, job, other, row["ratio"])
