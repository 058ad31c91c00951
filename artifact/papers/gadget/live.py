"""One instance of GADGET's evaluation, simulated while a reader watches."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from artifact.papers.gadget.ceiling import ceiling
from artifact.papers.gadget.choices import chosen_values, network_in, policy_options, settings_in
from artifact.papers.gadget.crowded import crowded_slot, mixture_of
from artifact.papers.gadget.figures import live
from artifact.papers.gadget.instance import GADGET_SERVERS, Instance, fig5_network, instance
from artifact.papers.gadget.slots import run_slots, shares
from rarlib.allocate.rings import RESERVED
from rarlib.discovery import make_scheduler
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.exact import exact_slot
from rarlib.model.seeds import stream
from rarlib.schedulers.gadget import Gadget
from rarlib.schedulers.gadget_parts.stated import Stated

COMPARED = ("gadget", "drf", "las", "fifo")
RINGS = ("packed", "scattered")
_DRAWS = 400
"""Roundings of a slot that are shown."""


@lru_cache(256)
def slots_of(
    policy: str, seed: int, jobs: int, reading: str, where: str = "fig4", factor: float = 1.0, **chosen: Any
) -> tuple[pd.DataFrame, float]:
    """One run, slot by slot.

    Args:
        policy: one of `COMPARED`.
        seed: of the instance.
        jobs: how many.
        reading: a name in `choices.GADGET_READINGS`.
        where: the figure whose network is used: fig4, fig5 or fig6.
        factor: units of 100 GPUs in Fig. 5, of 200 Gbit/s in Fig. 6.
        chosen: values of unknowns that replace those of the reading.

    Returns:
        A row per slot from the first arrival on, with `utility` (of all jobs), `gpus` (share in use) and `embedded`
        (share of the active jobs that have workers; NaN if none is active); and the sum of lambda1.
    """
    values = {**chosen_values(reading, {}), **chosen}
    settings = settings_in(values)
    case = instance(seed, jobs, settings, network=network_in(values, where, seed, factor, GADGET_SERVERS))
    own = case.jobs if policy in ("gadget", "drf") else case.gangs
    run = run_slots(case, own, _scheduler(policy, case, values, seed), settings.slots)
    left = settings.slots - int(run.jobs.origin_s)
    held = np.zeros((jobs, left + 1))
    np.add.at(held, (run.alloc_job, run.alloc_start.astype(int)), run.alloc_gpus)
    np.add.at(held, (run.alloc_job, np.minimum(run.alloc_end, left).astype(int)), -run.alloc_gpus)
    workers = np.cumsum(held, axis=1)[:, :left]
    done = np.minimum(np.cumsum(workers, axis=1), own.limit[:, None])
    holding, present = shares(run, left)
    frame = pd.DataFrame(
        {
            "slot": np.arange(1, left + 1) + int(run.jobs.origin_s),
            "utility": own.utility.value(own.efficiency[:, None] * done).sum(axis=0),
            "gpus": workers.sum(axis=0) / case.network.capacity[:, 0].sum(),
            "embedded": np.where(present > 0, holding / np.maximum(present, 1), np.nan),
        }
    )
    return frame.assign(policy=policy), ceiling(case)


def _scheduler(policy: str, case: Instance, values: Mapping[str, Any], seed: int) -> Any:
    options = policy_options(policy, values)
    if policy == "gadget":
        return Gadget(slot_s=1.0, stated=Stated(case.jobs, stream(seed, "gadget", "rounding"), **options))
    return make_scheduler(policy, {"placement": RESERVED, **options} | ({} if policy == "fifo" else {"slot_s": 1.0}))


def utilities(published: pd.DataFrame, reading: str, seed: int, jobs: int, slope: float, slower: float) -> Figure:
    """Figure of one instance of Fig. 4 under all schedulers.

    Args:
        published: the published numbers.
        reading: a name in `choices.GADGET_READINGS`.
        seed: of the instance.
        jobs: 1 to 100.
        slope: upper end of the range of lambda2, per iteration.
        slower: divisor of zeta, to make GPUs scarce.
    """
    runs = [slots_of(policy, seed, jobs, reading, slope=slope, slower=slower) for policy in COMPARED]
    return live.utility_over_slots(pd.concat([frame for frame, _ in runs]), runs[0][1], jobs, published)


def embedded_ratio_figure(
    published: pd.DataFrame, where: str, reading: str, seed: int, jobs: int, factor: float, optimum: str
) -> Figure:
    """Figure of the embedded ratio of one instance of Fig. 5 or 6.

    Args:
        published: the published numbers.
        where: `Fig. 5` or `Fig. 6`.
        reading: a name in `choices.GADGET_READINGS`.
        seed: of the instance.
        jobs: 1 to 100.
        factor: units of 100 GPUs, or of 200 Gbit/s.
        optimum: which optimum of the linear program is rounded, one of `RINGS`.
    """
    name = where.lower().replace(". ", "")
    frame, _ = slots_of("gadget", seed, jobs, reading, name, factor, optimum=optimum)
    return live.embedded_over_slots(frame, published, where, jobs, f"{factor:g}")


@lru_cache(64)
def rounded_values(seed: int, jobs: int, gpus: int) -> tuple[NDArray[np.float64], float]:
    """Values of many roundings of one slot, over its optimum, and the value of the linear program over the same.

    Args:
        seed: of the slot, see `crowded.crowded_slot`.
        jobs: that compete.
        gpus: of the cluster.
    """
    network = fig5_network(seed, gpus / 100)
    problem, columns = crowded_slot(seed, jobs, network), Columns(network)
    relaxed, mixture, arrays = mixture_of(problem, columns)
    rng = stream(seed, "gadget", "live")
    gain = problem.gain[np.arange(jobs), relaxed.sizes]
    values = np.array([gain[arrays.draw(rng, fits=True)[0] >= 0].sum() for _ in range(_DRAWS)])
    best = max(exact_slot(problem, effort=0.1).value, float(values.max()))
    return values / best, mixture.value / best


def roundings_figure(published: pd.DataFrame, seed: int, jobs: int, gpus: int, alpha: float) -> Figure:
    """Figure of the roundings of one slot, and of those at which Alg. 2 stops; arguments as in `rounded_values`.

    Args:
        published: the published numbers.
        seed: of the slot.
        jobs: that compete.
        gpus: of the cluster.
        alpha: share of the linear program's value at which rounding stops.
    """
    values, relaxed = rounded_values(seed, jobs, gpus)
    return live.rounded(values, alpha * relaxed, jobs, published)
