"""What the paper of GADGET does not state, and what each choice would bring out in Figures 4 to 6.

`outcomes` runs Algorithm 2 and the baselines as the figures do. `quick_outcomes` is for many draws: Figure 4 with all
GPUs in one pool (`pooled`), Figures 5 and 6 in the stationary case in which all active jobs ask in every slot: rings on
GPUs drawn at random, of which those are left out that do not fit, or packed until the GPUs are gone. Figure 7 is left
out, since its values take hundreds of integer programs. All draws see the same instance.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from artifact.papers.gadget.choices import GADGET_STATED, POLICIES, network_in, policy_options, settings_in
from artifact.papers.gadget.instance import GADGET_SERVERS, SLOTS, Instance, instance, without_bandwidth
from artifact.papers.gadget.pooled import pooled_utility
from artifact.papers.gadget.slots import Horizon, play_slots, run_horizon
from rarlib.allocate.rings import RESERVED, Residual
from rarlib.discovery import make_scheduler
from rarlib.ilp.gadget.anywhere import drawn_workers
from rarlib.model.seeds import stream
from rarlib.model.tree_network import TreeNetwork
from rarlib.schedulers.gadget_parts.stated import Stated

_JOBS = (40, 60, 80, 100)
_NODE, _EDGE = (4.0, 3.0, 2.0, 1.0), (4.0, 2.0, 1.0, 0.5)
_TRIES = 2
"""Slots drawn for each value of Figures 5 and 6 in a quick run."""

_OF_JOBS = ("budget", "slope", "slower", "arrivals")
_OF_RINGS = (*_OF_JOBS, "optimum", "least gain", "reserved")
_MATTERS: Mapping[str, tuple[str, ...]] = {
    "gadget": _OF_RINGS,
    "fifo": (*_OF_JOBS, "capped", "reserved"),
    "las": (*_OF_JOBS, "capped", "las holds", "reserved"),
    "drf": (*_OF_JOBS, "drf holds", "reserved"),
    "fig5": (*_OF_RINGS, "sizes"),
    "fig6": (*_OF_RINGS, "sizes", "edge GPUs", "edge unit"),
}
"""Policy of Figure 4, or figure -> unknowns on which its runs depend; the others are as stated there."""

GadgetValues = Mapping[str, Any]


def outcomes(values: GadgetValues, seed: int = 0, only_fitted: bool = False) -> dict[str, float]:
    """What the runs of a set of choices give for each published number, by id.

    `values`: a value for each unknown; `reserved` false: rings reserve no bandwidth. `only_fitted`: Figure 5 and the
    baselines of Figure 4 only.

    Returns:
        Values by id, and under `alive` the share of the rings in Figure 5 that span servers.
    """
    found, spanning = {}, []
    for at, jobs in enumerate(_JOBS):
        total = {}
        for k, policy in enumerate(POLICIES):
            if policy != "gadget" or not only_fitted:
                total[policy] = float(_run(policy, "fig4", 0.0, jobs, seed, _only(policy, values)).utility.sum())
                found[f"gadget-{48 + 4 * at + k:03d}"] = total[policy]
        if not only_fitted:
            found[f"gadget-{395 + at}"] = total["gadget"] / total["drf"] if total["drf"] else np.nan
        for row, factor in enumerate(_NODE):
            run = _run("gadget", "fig5", factor, jobs, seed, _only("fig5", values))
            found[f"gadget-{64 + 4 * row + at:03d}"] = 100.0 * run.embedded
            spanning.append(run.spanning)
        for row, factor in enumerate(() if only_fitted else _EDGE):
            run = _run("gadget", "fig6", factor, jobs, seed, _only("fig6", values))
            found[f"gadget-{80 + 4 * row + at:03d}"] = 100.0 * run.embedded
    return {name: found[name] for name in sorted(found)} | {"alive": float(np.mean(spanning))}


def _only(what: str, values: GadgetValues) -> tuple[tuple[str, Any], ...]:
    """The choices that matter to a run, so that equal runs are made once."""
    return tuple((name, values.get(name, True)) for name in _MATTERS[what])


@lru_cache(20_000)
def _run(policy: str, where: str, factor: float, jobs: int, seed: int, matters: tuple[tuple[str, Any], ...]) -> Horizon:
    values = {**GADGET_STATED, **dict(matters)}
    case = instance(seed, jobs, settings_in(values), network=network_in(values, where, seed, factor, GADGET_SERVERS))
    case = case if values["reserved"] else without_bandwidth(case)
    return policy_run(policy, case, values, seed)


def policy_run(policy: str, case: Instance, values: GadgetValues, seed: int, slots: int = SLOTS) -> Horizon:
    """One run of a policy over all slots."""
    if policy == "gadget":
        stated = Stated(case.jobs, stream(seed, "gadget", "rounding"), **policy_options(policy, values))
        return play_slots(case, stated, slots)
    jobs, more = case.jobs if policy == "drf" else case.gangs, {} if policy == "fifo" else {"slot_s": 1.0}
    options = {"placement": RESERVED} | more | policy_options(policy, values)
    return run_horizon(case, jobs, make_scheduler(policy, options), slots)


def quick_outcomes(values: GadgetValues, seed: int = 0) -> dict[str, float]:
    """About what `outcomes` gives, in a hundredth of the time."""
    found, embedded = {}, 0.0
    exact = float(values["least gain"]) == 0.0
    cases = [instance(seed, jobs, settings_in(values)) for jobs in _JOBS]
    for at, case in enumerate(cases):
        total = {}
        for k, policy in enumerate(POLICIES):
            holds = bool(values.get(f"{policy} holds", False))
            total[policy], share = pooled_utility(case, policy, exact=exact, holds=holds)
            embedded = share if policy == "gadget" else embedded
            found[f"gadget-{48 + 4 * at + k:03d}"] = total[policy]
        found[f"gadget-{395 + at}"] = total["gadget"] / total["drf"] if total["drf"] else np.nan
    rng = stream(seed, "gadget", "inference")
    for where, factors, first in (("fig5", _NODE, 64), ("fig6", _EDGE, 80)):
        for row, factor in enumerate(factors):
            network = network_in(values, where, seed, factor, GADGET_SERVERS)
            for column, case in enumerate(cases):
                share = _asking(values, case, network, rng) if exact else 100.0 * embedded
                found[f"gadget-{first + 4 * row + column:03d}"] = share
    return found


def _asking(values: GadgetValues, case: Instance, network: TreeNetwork, rng: np.random.Generator) -> float:
    """Percentage of the active jobs that get workers when all ask for N_i, mean over some slots drawn."""
    shares = []
    for slot in rng.integers(0, SLOTS, _TRIES):
        active = np.flatnonzero(case.arrival <= slot)
        if not len(active):
            continue
        if values["optimum"] == "scattered":
            served = _anywhere(case, network, active, rng)
        else:
            asked = np.cumsum(rng.permutation(case.jobs.largest[active]))
            served = int(np.searchsorted(asked, network.capacity[:, 0].sum())) + 1
        shares.append(min(100.0 * served / len(active), 100.0))
    return float(np.mean(shares)) if shares else np.nan


def _anywhere(case: Instance, network: TreeNetwork, active: NDArray[np.int64], rng: np.random.Generator) -> int:
    """How many rings on GPUs drawn at random fit, in random order and as many as there are GPUs for."""
    rows = rng.permutation(active)
    rows = rows[np.cumsum(case.jobs.largest[rows]) <= network.capacity[:, 0].sum()]
    drawn = drawn_workers(network, case.jobs.largest[rows], rng)
    first, server = np.concatenate([[0], np.cumsum(drawn.sum(axis=1))]), np.nonzero(drawn)[1]
    placed = np.zeros_like(drawn)
    servers = np.repeat(server, drawn[drawn > 0])
    Residual(network).mappings(np.arange(len(rows)), first, servers, case.jobs.bandwidth[rows], placed)
    return int(np.count_nonzero(placed.any(axis=1)))
