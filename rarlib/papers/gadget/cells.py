"""GADGET's evaluation (INFOCOM 2022, section VI): every run behind Figures 4 to 7, their readings and the guarantees.

A cell is one policy in one table, over all instances. All policies see the same instances; a reading that does not
affect a policy is not run for it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
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
from rarlib.model.unknowns import draw_parameters, draw_rows
from rarlib.papers.gadget.ceiling import PUBLISHED_UTILITY, ceiling
from rarlib.papers.gadget.crowded import roundings
from rarlib.papers.gadget.inference import UNKNOWNS, outcomes
from rarlib.papers.gadget.instance import CHANGES, Instance, Reading, fig4_network, fig5_network, fig6_network, instance
from rarlib.papers.gadget.optimum import approximation_ratio
from rarlib.papers.gadget.scattered import Scattered
from rarlib.papers.gadget.slots import Horizon, play_slots, run_horizon
from rarlib.papers.gadget.theory import competitive
from rarlib.records.tidy import tidy
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.stated import Solved, Stated
from rarlib.traces.load import load_trace

POLICIES = ("gadget", "fifo", "drf", "las")
_SLACK = 1e-6
"""Tolerance of solvers, in units of utility; also the relative accuracy of the augmented LP's bound."""
_PARTS = ("fig4", "fig5", "fig6", "fig7", "calibration", "theory")

FILL = "fill"
"""Reading in which jobs with gains too small for the linear program get what is left (see `gadget_parts.stated`); as a
prefix of another reading, both hold."""

EVERYONE = ("iterations", "smooth", "batch", "trace-arrivals", "slower-20", "slower-80")
"""Readings of the calibration that concern every policy; GADGET runs each with and without filling."""

_GADGET: dict[str, dict[str, Any]] = {"unfit": {"fitting": False}, "gather": {"spread": False}}
_CALIBRATION = (*EVERYONE, *(f"{FILL}-{name}" for name in EVERYONE))
_READINGS: dict[str, tuple[str, ...]] = {
    "fig4": ("headline", FILL, "holds", f"{FILL}-holds"),
    "fig5": ("headline", FILL, "fill-batch", "scattered", "server-sizes"),
    "fig6": ("headline", FILL, "fill-links", "scattered", "server-sizes"),
    "fig7": ("headline", "smooth", "batch-smooth", "gather", "fill-unfit"),
}
"""Readings of each figure. Every policy has rows in each; where a reading changes nothing for a policy, it repeats the
rows of the run that it equals."""

ANYWHERE = ("scattered", "server-sizes")
"""Readings in which rings lie anywhere: a model without any linear program, so that Alg. 2 decides nothing in them."""

_UNITS = {"fill-links": "links", "scattered": "uplink-400", "server-sizes": "uplink-stated"}
"""Meaning of a unit of edge resource in Fig. 6, in readings where it is not the uplink of Fig. 4's racks."""


class _Point(NamedTuple):
    """One point of a figure.

    Attributes:
        setup: the factor of the node or edge resource, if the figure varies it.
        reading: its name.
        jobs: how many.
        headline: the table of settings.
        rounding: `alpha` and `draws` of Alg. 2, see `Stated`.
    """

    setup: str
    reading: str
    jobs: int
    headline: Reading
    rounding: Mapping[str, Any]

    @property
    def changed(self) -> str:
        """The reading without its prefix `fill`."""
        return "headline" if self.reading == FILL else self.reading.removeprefix(f"{FILL}-")

    @property
    def case(self) -> Reading:
        """The reading of the instance."""
        return replace(self.headline, **CHANGES.get(self.changed, {}))

    def options(self, policy: str) -> dict[str, Any]:
        """What the reading changes in a policy."""
        if policy == "gadget":
            return {"fills": self.reading.startswith(FILL), **self.rounding, **_GADGET.get(self.changed, {})}
        return {"holds": True} if self.changed == "holds" and policy in ("drf", "las") else {}

    def run(self, policy: str) -> tuple[Any, ...]:
        """What tells runs apart: points of equal runs have equal rows."""
        changed = "headline" if self.changed == "holds" else self.changed
        return self.setup, self.jobs, changed, tuple(self.options(policy).items())

    def network(self, part: str, seed: int) -> TreeNetwork:
        """The network of the figure."""
        servers = self.headline.servers
        if part == "fig5":
            sizes = "stated" if self.reading == "server-sizes" else "even"
            return fig5_network(seed, float(self.setup), sizes, servers)
        if part == "fig6":
            return fig6_network(seed, float(self.setup), _UNITS.get(self.reading, "uplink"), servers)
        return fig4_network(seed, servers)


def points(part: str, policy: str, settings: Mapping[str, Any]) -> Iterator[_Point]:
    """All points of a policy in a table; the calibration uses the smallest and the largest number of jobs.

    Args:
        part: fig4 to fig7, calibration or theory.
        policy: one of `POLICIES`.
        settings: as those of `run_cell`.

    Raises:
        InputError: for an unknown table, or a policy that is not part of it.
    """
    if part not in _PARTS:
        raise InputError(f"unknown table {part!r}; known: {', '.join(_PARTS)}", field="cells")
    allowed = POLICIES if part in ("fig4", "calibration") else ("gadget",)
    if policy not in allowed:
        raise InputError(f"{part} is about {', '.join(allowed)}; found {policy!r}", field="cells")
    setups = [f"{factor:g}" for factor in settings["factors"]] if part in ("fig5", "fig6") else ["stated"]
    jobs = settings["slot_jobs" if part == "fig7" else "jobs"]
    jobs = sorted({min(jobs), max(jobs)}) if part == "calibration" else jobs
    headline = Reading.of(settings)
    rounding = {name: settings[key] for key, name in (("alpha", "alpha"), ("u_b", "draws")) if key in settings}
    readings = _READINGS.get(part, ())
    if part == "calibration":
        readings = (*_CALIBRATION, "capped") if policy in ("fifo", "las") else _CALIBRATION
    for reading, setup, count in product(readings, setups, jobs):
        yield _Point(setup, reading, count, headline, rounding)


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one policy in one table.

    Args:
        part: fig4 to fig7, calibration or theory.
        member: gadget, fifo, drf or las (Tiresias); all in the table of draws, `inference`.
        settings: `seeds` (instances per point), `jobs` (numbers of jobs in Figures 4 to 6); fig5 and fig6: `factors`
            (of the resource); fig7: `slot_jobs` (numbers of jobs), `unfit_seeds` (instances in the reading
            `fill-unfit`, whose values vary most); inference: `draws`; optionally those of `instance.SETTINGS`, and
            `alpha` and `u_b` of Alg. 2.
        data: table of jobs whose submission times are the arrivals in one reading of the calibration.

    Returns:
        Tidy rows, one per metric and run.
    """
    if part == "inference":
        sets: Any = draw_parameters(UNKNOWNS, int(settings["draws"])).to_dict("records")
        drawn = [row for at, given in enumerate(sets) for row in draw_rows(UNKNOWNS, at, given, outcomes(given))]
        return tidy(drawn, f"gadget-{part}", member)
    submissions = load_trace(data, "rarlib").jobs.submit_s if data else None
    wanted = list(points(part, member, settings))
    if part == "theory":
        rows: list[tuple[Any, ...]] = [
            ("stated", "headline", "jobs", 0, seed, *row)
            for seed in range(int(settings["seeds"]))
            for row in competitive(seed) + roundings(seed)
        ]
    else:
        known: dict[tuple[Any, ...], list[tuple[str, float, str]]] = {}
        rows = []
        for point in wanted:
            for seed in range(int(settings["unfit_seeds" if point.changed == "unfit" else "seeds"])):
                key = (*point.run(member), seed)
                if key not in known:
                    known[key] = measure(part, member, point, seed, submissions)
                rows += [(point.setup, point.reading, "jobs", point.jobs, seed, *row) for row in known[key]]
    return tidy(rows, f"gadget-{part}", member)


def measure(
    part: str, policy: str, point: _Point, seed: int, submissions: NDArray[np.float64] | None = None
) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run."""
    case = instance(seed, point.jobs, point.case, network=point.network(part, seed), submissions=submissions)
    slots = point.headline.slots
    if policy != "gadget":
        jobs, more = case.jobs if policy == "drf" else case.gangs, {} if policy == "fifo" else {"slot_s": 1.0}
        options = {"placement": RESERVED} | more | point.options(policy)
        return _results(case, run_horizon(case, jobs, make_scheduler(policy, options), slots))
    if point.reading in ANYWHERE:
        anywhere = Scattered(case.jobs, case.network, stream(seed, "gadget", "scattered"))
        return [*_results(case, play_slots(case, anywhere, slots)), ("filled", 100.0, "%")]
    stated = Stated(case.jobs, stream(seed, "gadget", "rounding"), **point.options(policy))
    simulated = part in ("fig4", "calibration")
    gadget = Gadget(slot_s=1.0, stated=stated)
    run = run_horizon(case, case.jobs, gadget, slots) if simulated else play_slots(case, stated, slots)
    rows = [*_results(case, run), ("filled", 100.0 * stated.shares.by_filling, "%")]
    if point.jobs in PUBLISHED_UTILITY:
        rows.append(("beyond_reach", float(ceiling(case) < PUBLISHED_UTILITY[point.jobs]), "1"))
    if stated.solved:
        rows += _slots(stated.solved)
        rows += approximation_ratio(stated.solved) if part == "fig7" else []
    return rows


def _results(case: Instance, run: Horizon) -> list[tuple[str, float, str]]:
    """What a run comes to: metric, value and unit."""
    total = float(run.utility.sum())
    return [
        ("utility", total, "utility"),
        ("of_ceiling", total / ceiling(case), "1"),
        ("embedded", 100.0 * run.embedded, "%"),
        ("gpus_used", run.used, "1"),
    ]


def _slots(solved: list[Solved]) -> list[tuple[str, float, str]]:
    """Statistics of the slots that Alg. 2 decided: metric, value and unit."""
    results = [s.result for s in solved]
    ordered = all(r.lp_value >= r.augmented_value - _SLACK and r.augmented_value >= r.value - _SLACK for r in results)
    share = np.array([r.value / r.lp_value for r in results])
    return [
        ("slots_decided", float(len(results)), "slots"),
        ("jobs_per_slot", float(np.mean([len(s.problem) for s in solved])), "jobs"),
        ("lp_above_rounded", float(ordered), "1"),
        ("rounded_over_lp", float(share.mean()), "1"),
        ("worst_over_lp", float(share.min()), "1"),
    ]
