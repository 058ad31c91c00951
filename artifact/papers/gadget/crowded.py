"""Theorem 8 on crowded slots: the value of vanilla roundings, and how often they exceed the augmented capacities."""

import numpy as np

from artifact.papers.gadget.instance import GadgetSettings, fig5_network, instance
from rarlib.cost.utilities import Sigmoid
from rarlib.ilp.gadget.augmented import augmented_optimum, limit_of
from rarlib.ilp.gadget.columns import Columns
from rarlib.ilp.gadget.relaxation import relax
from rarlib.model.seeds import stream
from rarlib.schedulers.gadget_parts.rounding import MixtureArrays, limits

_JOBS, DRAWS = 100, 1000
_SMOOTH = GadgetSettings(arrivals="batch", slope=(0.001, 0.01))


def roundings(seed: int) -> list[tuple[str, float, str]]:
    """Round one slot many times: 100 jobs on 100 GPUs, each at a random point before the middle of its sigmoid.

    The theorem bounds the probability that one server exceeds beta times its capacity by |V_s|^-4, and that one link
    exceeds gamma times its capacity by |E_s|^-4, where E_s contains both directions of every link.

    Returns:
        Metric, value and unit.
    """
    network = fig5_network(seed, 1)
    own = instance(seed, _JOBS, _SMOOTH, network=network).jobs
    assert isinstance(own.utility, Sigmoid)
    done = np.floor(own.utility.middle / own.efficiency * stream(seed, "gadget", "crowded").random(_JOBS))
    problem, columns = own.slot(network, np.arange(_JOBS), done), Columns(network)
    relaxed = relax(problem)
    mixture = augmented_optimum(problem, relaxed.sizes, columns)
    arrays = MixtureArrays.of(mixture, len(problem), columns.limits)
    limit = limits(problem, relaxed.sizes, limit_of(problem, relaxed.sizes))
    rng = stream(seed, "gadget", "vanilla")
    drawn, loads = zip(*(arrays.draw(rng, fits=False) for _ in range(DRAWS)), strict=True)
    gain = problem.gain[np.arange(_JOBS), relaxed.sizes]
    worth = float(np.mean([gain[mapping >= 0].sum() for mapping in drawn])) / relaxed.value
    excess = np.array(loads) / columns.limits
    nodes, links = excess[:, : network.servers], excess[:, network.servers :]
    over_beta = float((nodes >= limit.beta[0]).mean(axis=0).max())
    over_gamma = float((links >= limit.gamma).mean(axis=0).max())
    lines = 2 * (network.servers + network.racks)
    return [
        ("vanilla_over_lp", worth, "1"),
        ("theorem8_value", float(worth >= 1 / 3), "1"),
        ("theorem8_nodes", float(over_beta <= network.servers**-4.0), "1"),
        ("theorem8_links", float(over_gamma <= lines**-4.0), "1"),
        ("overloaded", float((excess > 1.0 + 1e-9).any(axis=1).mean()), "1"),
        ("largest_load", float(excess.max()), "1"),
        ("beta", float(limit.beta[0]), "1"),
    ]
