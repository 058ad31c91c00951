"""All targets, by name; a new one is added to the list of its file."""

from tests.rarlib.fuzz.case import Target
from tests.rarlib.fuzz.targets import (
    clusters,
    fabrics,
    folders,
    options,
    own_runs,
    policies,
    profiles,
    readers,
    schedulers,
    uses,
    workloads,
)

_FILES = (
    readers,
    profiles,
    clusters,
    folders,
    own_runs,
    schedulers,
    options,
    fabrics,
    workloads,
    policies,
    uses,
)
TARGETS: dict[str, Target] = {target.name: target for each in _FILES for target in each.TARGETS}
