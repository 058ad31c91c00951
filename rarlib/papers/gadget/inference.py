"""What the paper of GADGET does not state, and what each choice would bring out in Figures 4 to 6.

Figure 4 is run with all GPUs in one pool (`pooled`), Figures 5 and 6 in the stationary case in which all active jobs
ask in every slot: rings on servers drawn at random (`scattered`), or packed until the GPUs are gone. Figure 7 is left
out: each of its values takes hundreds of linear and integer programs. All draws see the same instance.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from rarlib.cost.reserved import TreeNetwork
from rarlib.cost.utilities import Sigmoid
from rarlib.model.seeds import stream
from rarlib.model.unknowns import Unknown
from rarlib.papers.gadget.instance import SLOTS, Instance, Reading, fig5_network, instance
from rarlib.papers.gadget.pooled import pooled_utility
from rarlib.papers.gadget.scattered import Scattered

UNKNOWNS = (
    Unknown("slope", 0.001, 1.0, "log", says="Largest lambda2; the table says (0, 1), a step at these numbers."),
    Unknown("slower", 1.0, 80.0, "log", says="Divisor of zeta; the length of a slot is not stated."),
    Unknown("budget", scale="choice", choices=("worker-slots", "iterations"), says="F_i: eq. 3 against the text."),
    Unknown("arrivals", scale="choice", choices=("poisson", "batch"), says="Pattern of a trace, scale not stated."),
    Unknown("capped", scale="choice", choices=(False, True), says="Baselines have 1 to 10 workers; N_i is 1 to 5."),
    Unknown("drf holds", scale="choice", choices=(False, True), says="Whether DRF takes workers back is not stated."),
    Unknown("las holds", scale="choice", choices=(False, True), says="Whether LAS takes workers back is not stated."),
    Unknown("fills", scale="choice", choices=(False, True), says="Whether jobs without a visible gain get workers."),
    Unknown("least lambda1", 1, 80, "integer", says="Stated as 1, which Fig. 4's values of GADGET exceed."),
    Unknown("anywhere", scale="choice", choices=(False, True), says="Which optimum the solver returns: packed rings?"),
    Unknown("servers", scale="choice", choices=("even", "stated"), says="How servers share the GPUs of Figs. 5 and 6."),
    Unknown("edge GPUs", 1.5, 4.0, says="Hundreds of GPUs in Fig. 6, which states none."),
    Unknown("edge unit", 0.02, 1.0, "log", says="Share of a unit of 200 Gbit/s that one uplink gets; not stated."),
)
_JOBS = (40, 60, 80, 100)
_POLICIES = ("gadget", "fifo", "drf", "las")
_NODE, _EDGE = (4, 3, 2, 1), (4, 2, 1, 0.5)
_TRIES = 2
"""Slots drawn for each value of Figures 5 and 6."""


def outcomes(parameters: Mapping[str, Any], seed: int = 0) -> dict[str, float]:
    """What the run of a parameter set gives for each published number, by id.

    Args:
        parameters: a value for each of `UNKNOWNS`.
        seed: of the instance.
    """
    reading = Reading(
        iterations=parameters["budget"] == "iterations",
        slope=(0.0, parameters["slope"]),
        capped=parameters["capped"],
        arrivals=parameters["arrivals"],
        slower=parameters["slower"],
    )
    values, embedded = {}, 0.0
    for at, jobs in enumerate(_JOBS):
        case = _raised(instance(seed, jobs, reading), parameters["least lambda1"])
        total = {}
        for policy in _POLICIES:
            holds = bool(parameters.get(f"{policy} holds", False))
            total[policy], share = pooled_utility(case, policy, fills=parameters["fills"], holds=holds)
            embedded = share if policy == "gadget" else embedded
        for k, policy in enumerate(_POLICIES):
            values[f"gadget-{48 + 4 * at + k:03d}"] = total[policy]
        values[f"gadget-{395 + at}"] = total["gadget"] / total["drf"] if total["drf"] else np.nan
    return values | _embedded(parameters, seed, 100.0 * embedded)


def _raised(case: Instance, least: int) -> Instance:
    """The instance with lambda1 squeezed from 1 to 100 into `least` to 100."""
    utility = case.jobs.utility
    assert isinstance(utility, Sigmoid)
    scale = least + (np.asarray(utility.scale, dtype=np.float64) - 1.0) * (100.0 - least) / 99.0
    raised = replace(utility, scale=scale)
    return replace(case, jobs=replace(case.jobs, utility=raised), gangs=replace(case.gangs, utility=raised))


def _embedded(parameters: Mapping[str, Any], seed: int, strict: float) -> dict[str, float]:
    """Figures 5 and 6; without filling the share that Alg. 2 embeds, which hardly depends on their factors."""
    values = {}
    rng = stream(seed, "gadget", "inference")
    edge_units = parameters["edge GPUs"]
    if parameters["servers"] == "even":
        edge_units = 0.5 * (edge_units // 0.5)  # 50 servers with as many GPUs each
    for name, factors, first in (("node", _NODE, 64), ("edge", _EDGE, 80)):
        for row, factor in enumerate(factors):
            network = fig5_network(seed, factor if name == "node" else edge_units, parameters["servers"])
            if name == "edge":
                gbps = np.full(network.racks, 200.0 * factor * parameters["edge unit"])
                network = replace(network, rack_gbps=gbps)
            for column, jobs in enumerate(_JOBS):
                share = strict
                if parameters["fills"]:
                    case = instance(seed, jobs, Reading(arrivals=parameters["arrivals"]))
                    share = _asking(parameters, case, network, rng)
                values[f"gadget-{first + 4 * row + column:03d}"] = share
    return values


def _asking(parameters: Mapping[str, Any], case: Instance, network: TreeNetwork, rng: np.random.Generator) -> float:
    """Percentage of the active jobs that get workers when all ask for N_i, mean over some slots drawn."""
    shares = []
    for slot in rng.integers(0, SLOTS, _TRIES):
        active = np.flatnonzero(case.arrival <= slot)
        if not len(active):
            continue
        if parameters["anywhere"]:
            workers = Scattered(case.jobs, network, rng).allocate(network, active, np.zeros(len(active)))
            served = np.count_nonzero(workers.any(axis=1))
        else:
            asked = np.cumsum(rng.permutation(case.jobs.largest[active]))
            served = np.searchsorted(asked, network.capacity[:, 0].sum()) + 1
        shares.append(min(100.0 * served / len(active), 100.0))
    return float(np.mean(shares)) if shares else np.nan
