"""Conventions of other simulators as options of `rarlib simulate`, one by one or as a preset."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rarlib.model.cluster import Cluster
from rarlib.model.errors import InputError
from rarlib.model.jobs import Jobs
from rarlib.presets import sia
from rarlib.simulator.engine import Conventions
from rarlib.simulator.run import Run

_Metric = tuple[str, float, str]


class Preset(NamedTuple):
    """What a paper's simulator does differently.

    Attributes:
        cost: cost model.
        quantum_s: scheduler -> seconds between scheduling passes.
        params: scheduler, number of GPU types -> parameters of the scheduler.
        arrange: cluster -> the same with the nodes in the order that breaks its authors' ties.
        conventions: jobs -> conventions of the simulator.
        measure: run, seconds of a round -> metrics of one trace.
        pooled: runs, seconds of a round -> metrics of all traces together.
    """

    cost: str
    quantum_s: Callable[[str], float]
    params: Callable[[str, int], dict[str, Any]]
    arrange: Callable[[Cluster], Cluster]
    conventions: Callable[[Jobs], Conventions]
    measure: Callable[[Run, float], list[_Metric]]
    pooled: Callable[[list[tuple[Run, float]]], list[_Metric]]


PRESETS = {
    "sia": Preset("goodput", sia.round_s, sia.as_coded, sia.in_their_order, sia.conventions, sia.measure, sia.pooled)
}


def find_preset(name: str | None) -> Preset | None:
    """The preset of that name.

    Raises:
        InputError: there is none.
    """
    if name is not None and name not in PRESETS:
        raise InputError(f"unknown preset {name!r}; known: {', '.join(PRESETS)}", file="--preset")
    return None if name is None else PRESETS[name]


class Chosen(NamedTuple):
    """What options said; None where they said nothing."""

    origin: str | None
    tick_s: float | None
    free_moves: bool | None

    def conventions(self, base: Preset | None, jobs: Jobs) -> Conventions:
        """The conventions of a run: those of the preset, changed by what options said.

        Raises:
            InputError: an origin that is neither a word nor a number of seconds, 0 or more.
        """
        found = Conventions() if base is None else base.conventions(jobs)
        if self.origin is not None:
            words = {"first": 0.0, "trace": jobs.origin_s}
            found = found._replace(origin_s=words[self.origin] if self.origin in words else _seconds(self.origin))
        if self.tick_s is not None:
            found = found._replace(tick_s=self.tick_s)
        return found if self.free_moves is None else found._replace(free_moves=self.free_moves)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = np.nan
    if not (np.isfinite(seconds) and seconds >= 0.0):
        raise InputError(f"must be first, trace or seconds, found {text!r}", file="--origin")
    return seconds


def metrics(base: Preset, runs: Sequence[tuple[str, Run]], quantum_s: float) -> list[tuple[str, str, float, str]]:
    """Metric, trace, value, unit: of every trace, their mean (trace `mean`), and those of all jobs (trace `all`)."""
    rows = [(metric, trace, value, unit) for trace, run in runs for metric, value, unit in base.measure(run, quantum_s)]
    units = {metric: unit for metric, _, _, unit in rows}
    for metric, unit in units.items():
        rows.append((metric, "mean", float(np.mean([row[2] for row in rows if row[0] == metric])), unit))
    together = base.pooled([(run, quantum_s) for _, run in runs])
    return rows + [(metric, "all", value, unit) for metric, value, unit in together]
