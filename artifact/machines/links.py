"""How fast the nodes of Sailor's clusters exchange data, from measured curves of bandwidth over message size."""

import numpy as np

from artifact.machines.sailor import PlanRow, Sailor

VALUE_BYTES = 4.0
"""Everything ran in single precision."""

_SMALLEST = 1e6
"""Bytes of the smallest message the curves are for; the curve is not extended below."""


def node_rate(source: Sailor, sender: str, receiver: str, pairs: int, message: float) -> float:
    """Bytes per second between two nodes, all pairs of GPUs together.

    Pairs may share an interface, but more of them never carry less: of the curves for up to `pairs` pairs the fastest
    counts. (Two curves of the source are copies of another link's; this rule is right whichever they are.)

    `pairs` send at the same time, each a `message` of so many bytes.
    """
    curves = source.link(sender, receiver, pairs)
    largest = curves["max_bytes_per_s"].to_numpy()
    c2, c1, c0 = (curves[name].to_numpy() for name in ("c2", "c1", "c0"))
    top = np.where(c2 < 0, -c1 / np.where(c2 < 0, 2 * c2, 1.0), np.inf)  # beyond its top a parabola falls; rates do not
    size = np.minimum(np.log2(max(message, _SMALLEST) / 1e6), top)
    return float(np.minimum(1e9 * (c2 * size**2 + c1 * size + c0), largest).max())


def boundary_s(source: Sailor, row: PlanRow, nodes: tuple[str, ...], stage: int) -> float:
    """Seconds in which the output of a stage reaches the next one.

    The ranks of a stage send a part of the output each, at the same time, and gather it on the other side.
    """
    values = source.layer_values(row, "output_values")[row.stages[stage][1]]
    sent = VALUE_BYTES * values * row.microbatch
    ranks = row.tensor_parallel
    return float(sent / node_rate(source, nodes[stage], nodes[stage + 1], ranks, sent / ranks))


def ring_rate(source: Sailor, types: list[str], ranks: int, message: float) -> float:
    """Bytes per second of one rank on the slowest link of a ring of nodes; all ranks share what a link carries.

    `types`: of the nodes in the order of the ring; `ranks` GPUs of each node send at the same time, each in a ring of
    its own.
    """
    around = zip(types, types[1:] + types[:1], strict=True)
    return min(node_rate(source, a, b, ranks, message) for a, b in around) / ranks


def bucketed_ring_s(source: Sailor, types: list[str], ranks: int, size: float) -> float:
    """Seconds of a ring all-reduce of `size` bytes per rank, bucket by bucket, in pieces of bucket / nodes."""
    count = len(types)
    if count < 2 or size <= 0:
        return 0.0
    full, rest = divmod(size, source.bucket_bytes)
    buckets = ((full, source.bucket_bytes), (1.0, rest))
    return sum(
        times * 2 * (count - 1) * part / count / ring_rate(source, types, ranks, part / count)
        for times, part in buckets
        if times and part
    )
