"""GADGET's evaluation (INFOCOM 2022, section VI): every run behind Figures 4 to 7, and the guarantees.

A cell is one policy in one table, over all readings and instances. All policies see the same instances.
"""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from artifact.papers.gadget.ceiling import PUBLISHED_UTILITY, ceiling
from artifact.papers.gadget.choices import POLICIES, UNKNOWNS, chosen_values, network_in, policy_options, settings_in
from artifact.papers.gadget.crowded import roundings
from artifact.papers.gadget.inference import policy_run, quick_outcomes
from artifact.papers.gadget.instance import Instance, instance
from artifact.papers.gadget.optimum import approximation_ratio
from artifact.papers.gadget.slots import Horizon, play_slots, run_horizon
from artifact.papers.gadget.theory import competitive
from artifact.unknowns import table_of_draws
from rarlib.model.errors import InputError
from rarlib.model.seeds import stream
from rarlib.records.tidy import tidy
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.stated import Solved, Stated

_SLACK = 1e-5
"""Tolerance of solvers, in units of the largest gain of a slot."""
_PARTS = ("fig4", "fig5", "fig6", "fig7", "theory")


class _Point(NamedTuple):
    """One point of a figure: the factor of the node or edge resource, if the figure varies it, and how many jobs."""

    setup: str
    jobs: int


def points(part: str, policy: str, settings: Mapping[str, Any]) -> list[_Point]:
    """All points of a policy in a table.

    `part`: fig4 to fig7; `settings`: as those of `run_cell`.

    Raises:
        InputError: for an unknown table, or a policy that is not part of it.
    """
    if part not in _PARTS:
        raise InputError(f"unknown table {part!r}; known: {', '.join(_PARTS)}", field="cells")
    allowed = POLICIES if part == "fig4" else ("gadget",)
    if policy not in allowed:
        raise InputError(f"{part} is about {', '.join(allowed)}; found {policy!r}", field="cells")
    setups = [f"{factor:g}" for factor in settings["factors"]] if part in ("fig5", "fig6") else ["stated"]
    return [_Point(*of) for of in product(setups, settings["slot_jobs" if part == "fig7" else "jobs"])]


def run_cell(part: str, member: str, settings: Mapping[str, Any], data: Path | None = None) -> pd.DataFrame:
    """Run one policy in one table.

    Args:
        part: fig4 to fig7, theory or inference.
        member: gadget, fifo, drf or las (Tiresias); all in the table of draws, `inference`.
        settings: `seeds` (instances per point), `readings` (names in `choices.GADGET_READINGS`), `jobs` (numbers of
            jobs in Figures 4 to 6); fig5 and fig6: `factors` (of the resource); fig7: `slot_jobs` (numbers of jobs);
            inference: `draws`; optionally those of `instance.SETTINGS` and `choices.chosen_values`, and `alpha` and
            `u_b` of Alg. 2.
        data: not read.

    Returns:
        Tidy rows, one per metric and run.
    """
    if part == "inference":
        draws = int(settings["draws"])
        return table_of_draws(UNKNOWNS, draws, quick_outcomes, experiment=f"gadget-{part}", member=member)
    seeds = range(int(settings["seeds"]))
    if part == "theory":
        rows: list[tuple[Any, ...]] = [
            ("stated", "theory", "jobs", 0, seed, *row) for seed in seeds for row in competitive(seed) + roundings(seed)
        ]
        return tidy(rows, f"gadget-{part}", member)
    rows = [
        (point.setup, reading, "jobs", point.jobs, seed, *row)
        for reading in settings["readings"]
        for values in [chosen_values(reading, settings)]
        for point, seed in product(points(part, member, settings), seeds)
        for row in measure(part, member, point, values, settings, seed)
    ]
    return tidy(rows, f"gadget-{part}", member)


def measure(
    part: str, policy: str, point: _Point, values: Mapping[str, Any], settings: Mapping[str, Any], seed: int
) -> list[tuple[str, float, str]]:
    """Metric, value and unit of one run."""
    table = settings_in(values, settings)
    factor = 0.0 if point.setup == "stated" else float(point.setup)
    network = network_in(values, part, seed, factor, table.servers)
    case = instance(seed, point.jobs, table, network=network)
    if policy != "gadget":
        return _results(case, policy_run(policy, case, values, seed, table.slots))
    rounding = {name: settings[key] for key, name in (("alpha", "alpha"), ("u_b", "draws")) if key in settings}
    options = {**policy_options("gadget", values), **rounding}
    stated = Stated(case.jobs, stream(seed, "gadget", "rounding"), **options)
    if part == "fig4":
        run = run_horizon(case, case.jobs, Gadget(slot_s=1.0, stated=stated), table.slots)
    else:
        run = play_slots(case, stated, table.slots)
    rows = _results(case, run)
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
