"""GADGET's evaluation (INFOCOM 2022, section VI): every run behind Figures 4 to 7, their readings and the guarantees.

A cell is one policy in one table, over all instances. All policies see the same instances; a reading that does not
affect a policy is not run for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rarlib.allocate.rings import RESERVED
from rarlib.cost.reserved import TreeNetwork
from rarlib.discovery import make_scheduler
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.papers.gadget.crowded import roundings
from rarlib.papers.gadget.instance import (
    READINGS,
    Reading,
    fig4_network,
    fig5_network,
    fig6_network,
    instance,
)
from rarlib.papers.gadget.optimum import approximation_ratio
from rarlib.papers.gadget.scattered import Scattered
from rarlib.papers.gadget.slots import run_horizon
from rarlib.papers.gadget.theory import competitive
from rarlib.records.tidy import tidy
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.stated import Solved, Stated
from rarlib.traces.load import load_trace

POLICIES = ("gadget", "fifo", "drf", "las")
NODE_FACTORS, EDGE_FACTORS = ("1", "2", "3", "4"), ("0.5", "1", "2", "4")
_SLACK = 1e-6
"""Tolerance of solvers, in units of utility; also the relative accuracy of the augmented LP's bound."""
_PARTS = ("fig4", "fig5", "fig6", "fig7", "calibration", "theory")

EVERYONE = ("iterations", "smooth", "batch", "trace-arrivals", "slower-20", "slower-80")
ONLY: dict[str, tuple[str, ...]] = {
    "gadget": ("strict",),
    "fifo": ("capped",),
    "drf": ("holds",),
    "las": ("capped", "holds"),
}
"""Further readings of each policy; not every reading affects every policy."""

OPTIONS: dict[str, dict[str, Any]] = {
    "strict": {"fills": False},
    "unfit": {"fitting": False},
    "holds": {"holds": True},
}
"""Readings that change the policy instead of the instance."""

_UNITS = {"links": "links", "scattered": "uplink-400"}
"""Meaning of a unit of edge resource in Fig. 6, in readings where it is not the uplink of Fig. 4's racks."""


class _Point(NamedTuple):
    """One point of a figure; `setup` is the factor of the node or edge resource, if the figure varies it."""

    setup: str
    reading: str
    jobs: int
    options: dict[str, Any]

    @property
    def case(self) -> Reading:
        """The reading of the instance."""
        return READINGS.get(self.reading, READINGS["headline"])

    def network(self, part: str, seed: int) -> TreeNetwork:
        """The network of the figure."""
        if part == "fig5":
            return fig5_network(seed, float(self.setup))
        if part == "fig6":
            return fig6_network(seed, float(self.setup), _UNITS.get(self.reading, "uplink"))
        return fig4_network(seed)


def points(part: str, policy: str, jobs: Sequence[int]) -> Iterator[_Point]:
    """All points of a policy in a table, for these numbers of jobs; the calibration uses the smallest and the largest.

    Raises:
        InputError: for an unknown table, or a policy that is not part of it.
    """
    if part not in _PARTS:
        raise InputError(f"unknown table {part!r}; known: {', '.join(_PARTS)}", field="cells")
    allowed = POLICIES if part in ("fig4", "calibration") else ("gadget",)
    if policy not in allowed:
        raise InputError(f"{part} is about {', '.join(allowed)}; found {policy!r}", field="cells")
    setups: Sequence[str] = ("stated",)
    readings: Sequence[str] = ("headline",)
    if part == "fig5":
        setups, readings = NODE_FACTORS, ("headline", "batch", "scattered")
    elif part == "fig6":
        setups, readings = EDGE_FACTORS, ("headline", "links", "scattered")
    elif part == "fig7":
        readings = ("headline", "smooth", "batch-smooth", "unfit")
    elif part == "calibration":
        readings, jobs = EVERYONE + ONLY[policy], sorted({min(jobs), max(jobs)})
    for reading, setup, count in product(readings, setups, jobs):
        yield _Point(setup, reading, count, OPTIONS.get(reading, {}))


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one policy in one table.

    Args:
        part: fig4 to fig7, calibration or theory.
        member: gadget, fifo, drf or las (Tiresias).
        settings: `seeds` (instances per point), `jobs` (numbers of jobs in Figures 4 to 6), `slot_jobs` (in Figure 7).
        data: table of jobs whose submission times are the arrivals in one reading of the calibration.

    Returns:
        Tidy rows, one per metric and run.
    """
    submissions = load_trace(data, "rarlib").jobs.submit_s if data else None
    seeds = range(int(settings["seeds"]))
    wanted = list(points(part, member, settings["slot_jobs" if part == "fig7" else "jobs"]))
    if part == "theory":
        rows: list[tuple[Any, ...]] = [
            ("stated", "headline", "jobs", 0, seed, *row)
            for seed in seeds
            for row in competitive(seed) + roundings(seed)
        ]
    else:
        rows = [
            (point.setup, point.reading, "jobs", point.jobs, seed, *row)
            for point in wanted
            for seed in seeds
            for row in measure(part, member, point, seed, submissions)
        ]
    return tidy(rows, f"gadget-{part}", member)


def measure(
    part: str, policy: str, point: _Point, seed: int, submissions: NDArray[np.float64] | None = None
) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run."""
    case = instance(seed, point.jobs, point.case, network=point.network(part, seed), submissions=submissions)
    solved: list[Solved] = []
    if point.reading == "scattered":
        run = run_horizon(case, case.jobs, Scattered(case.jobs, case.network, stream(seed, "gadget", "scattered")))
    elif policy == "gadget":
        stated = Stated(case.jobs, stream(seed, "gadget", "rounding"), **point.options)
        run = run_horizon(case, case.jobs, Gadget(slot_s=1.0, stated=stated))
        solved = stated.solved
    else:
        jobs, more = case.jobs if policy == "drf" else case.gangs, {} if policy == "fifo" else {"slot_s": 1.0}
        run = run_horizon(case, jobs, make_scheduler(policy, {"placement": RESERVED} | more | point.options))
    total = float(run.utility.sum())
    rows = [
        ("utility", total, "utility"),
        ("of_ceiling", total / float(case.jobs.value(np.full(point.jobs, np.inf)).sum()), "1"),
        ("embedded", 100.0 * run.embedded, "%"),
        ("gpus_used", run.used, "1"),
    ]
    if solved:
        rows += _slots(solved)
    return rows + (approximation_ratio(solved) if part == "fig7" else [])


def _slots(solved: list[Solved]) -> list[tuple[str, float, str]]:
    """Statistics of the slots that Alg. 2 decided: metric, value and unit."""
    results = [s.result for s in solved]
    ordered = all(r.lp_value >= r.augmented_value - _SLACK and r.augmented_value >= r.value - _SLACK for r in results)
    share = np.array([r.value / r.lp_value for r in results])
    return [
        ("slots_decided", float(len(results)), "slots"),
        ("lp_above_rounded", float(ordered), "1"),
        ("rounded_over_lp", float(share.mean()), "1"),
        ("worst_over_lp", float(share.min()), "1"),
    ]
