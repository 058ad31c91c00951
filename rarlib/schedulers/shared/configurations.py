"""Configurations: the sizes of gangs that Sia considers on each GPU type (SOSP 2023, section 3.1).

Within a node, sizes are powers of two (1, 2, 4, ...) and the whole node; larger sizes are whole nodes. Any mix of such
sizes can be packed, so a decision only depends on the number of GPUs of each type. (If the size of a node is not a
power of two, the paper splits it into virtual nodes; here a gang may have to be spread, see `rarlib.allocate.nodes`.)
"""

import numpy as np

from rarlib.model.offers import MOST_REPLICAS, Configurations, GoodputEstimates


def configurations(goodput: GoodputEstimates) -> Configurations:
    """All configurations of a cluster, type by type.

    As in the authors' code, there are no more nodes of a type than were ever profiled, and at most `MOST_REPLICAS`
    GPUs.
    """
    rows = []
    most_nodes = np.minimum(goodput.nodes, goodput.profiled_nodes)
    sizes = zip(goodput.gpus_per_node.tolist(), most_nodes.tolist(), strict=True)
    for kind, (size, nodes) in enumerate(sizes):
        gpus = 1
        while gpus < size:
            rows.append((kind, 1, gpus))
            gpus *= 2
        rows += [(kind, n, n * size) for n in range(1, nodes + 1) if n == 1 or n * size <= MOST_REPLICAS]
    return Configurations(*np.array(rows, dtype=np.int64).T.copy())
