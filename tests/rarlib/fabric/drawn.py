"""Random cases, to compare the law with the exact mode: any number of sharers, any duty, any shape.

The duty of a job is the share of its time that it sends when it is alone. Computing times are jittered by a twentieth,
so that the phases of jobs with equal periods mix: the mean over phases is what a law can know.
"""

from collections.abc import Iterator

import numpy as np

from rarlib.fabric.case import BYTES_PER_GBIT, SendingJob, SharedCase
from rarlib.fabric.routing import Flow, ecmp, ring_flows
from rarlib.fabric.shapes import Shape, fat_tree, leaf_spine
from rarlib.model.seeds import stream

NIC_GBPS = 10.0
ITERATIONS = 400
_JITTER = 0.05


def shapes(rng: np.random.Generator) -> Shape:
    """A leaf-spine with uplinks shared 1:1 to 4:1, or a fat tree with 1:1 or 2:1."""
    if rng.random() < 0.5:
        return fat_tree(4, NIC_GBPS, NIC_GBPS / int(rng.integers(1, 3)))
    racks, per_rack, spines = (int(n) for n in rng.integers((2, 3, 1), (5, 7, 4)))
    over = 2 ** int(rng.integers(3))
    return leaf_spine(racks, per_rack, spines, NIC_GBPS, per_rack * NIC_GBPS / (spines * over))


def _job(rng: np.random.Generator, name: int, duty: float, sent: float, flows: tuple[Flow, ...]) -> SendingJob:
    """A job with that duty on idle servers' links."""
    send_s = sent / (NIC_GBPS * BYTES_PER_GBIT)
    compute_s = send_s * (1.0 - duty) / duty
    start_s = float(rng.uniform(0.0, compute_s + send_s))
    seed = int(rng.integers(2**63))
    return SendingJob(f"j{name}", compute_s, start_s, ITERATIONS, flows, noise=_JITTER, seed=seed)


def _sent(rng: np.random.Generator, duty: float) -> float:
    """Bytes that give an iteration alone of 0.25 to 1 s."""
    return float(np.round(rng.uniform(0.25, 1.0) * duty * NIC_GBPS * BYTES_PER_GBIT))


def one_link_case(seed: int, number: int, sharers: int, duties: tuple[float, float]) -> SharedCase:
    """Jobs on one link.

    Args:
        seed: of all cases.
        number: of this case.
        sharers: how many jobs.
        duties: range of their duties.
    """
    rng = stream(seed, "fabric", "one-link", number, sharers, *duties)
    jobs = []
    for name in range(sharers):
        duty = float(rng.uniform(*duties))
        sent = _sent(rng, duty)
        jobs.append(_job(rng, name, duty, sent, (Flow(sent, {"link": 1}),)))
    return SharedCase(f"one-link-{number}", {"link": NIC_GBPS}, jobs)


def _places(rng: np.random.Generator, shape: Shape, jobs: int) -> Iterator[list[int]]:
    """Servers of each job, in order: near one another, or anywhere."""
    for _ in range(jobs):
        wide = int(rng.integers(2, 7))
        if rng.random() < 0.5:
            begin = int(rng.integers(shape.servers))
            chosen = [(begin + i) % shape.servers for i in range(wide)]
        else:
            chosen = list(rng.choice(shape.servers, wide, replace=False))
        yield sorted(int(server) for server in chosen)


def fabric_case(seed: int, number: int, jobs: int, duties: tuple[float, float]) -> SharedCase:
    """Rings over several links; arguments as for `one_link_case`."""
    rng = stream(seed, "fabric", "several links", number, jobs, *duties)
    shape = shapes(rng)
    paths = ecmp(shape, int(rng.integers(2**63)))
    made: list[SendingJob] = []
    links: dict[str, float] = {}
    for name, servers in enumerate(_places(rng, shape, jobs)):
        duty = float(rng.uniform(*duties))
        sent = _sent(rng, duty)
        ring = "independent" if rng.random() < 0.25 else "lockstep"
        flows, crossed = ring_flows(paths, name, servers, ring, sent)
        links |= crossed
        made.append(_job(rng, name, duty, sent, flows))
    return SharedCase(f"fabric-{number}", links, made)
