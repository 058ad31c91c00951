"""How fast GPU types are relative to each other, for one job or on average over many."""

import numpy as np
from numpy.typing import NDArray

from rarlib.cost.goodput.applications import application, gpu_type
from rarlib.cost.goodput.profiles import Profiles
from rarlib.model.cluster import Cluster
from rarlib.model.jobs import Jobs


def single_speed(profiles: Profiles, name: str, kind: str) -> float:
    """Most samples per second measured on the fewest GPUs an application needs of a type."""
    steps = profiles.of(name, kind)
    alone = steps.placed & (steps.replicas == application(name).stages.get(kind, 1))
    return float(steps.local[alone].max() / steps.step_s[alone].max())


def relative_speed(jobs: Jobs, cluster: Cluster, profiles: Profiles) -> NDArray[np.float64]:
    """Speed of each node's GPUs relative to those of the first node, shape (nodes,).

    The geometric mean over jobs of the samples per second of their applications on one GPU at its largest batch, where
    both types were measured.
    """
    names, counts = np.unique(jobs.application.astype(str), return_counts=True)
    kinds = {kind: gpu_type(kind) for kind in dict.fromkeys(cluster.gpu_type)}
    first = kinds[cluster.gpu_type[0]]
    ratio = {}
    for kind, our in kinds.items():
        both = [(name, our) in profiles.steps and (name, first) in profiles.steps for name in names.tolist()]
        logs = [
            np.log(single_speed(profiles, name, our) / single_speed(profiles, name, first))
            for name in names[both].tolist()
        ]
        ratio[kind] = float(np.exp(np.average(logs, weights=counts[both]))) if any(both) else 1.0
    return np.array([ratio[kind] for kind in cluster.gpu_type])
