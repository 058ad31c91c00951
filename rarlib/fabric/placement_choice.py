"""CASSINI's choice among placements beside the best one, which is found by running every placement.

Jobs run on hosts of a leaf-spine fabric, and one more job is about to start on other hosts. Candidates are random sets
of free hosts, as many as CASSINI looks at. Everything but the hosts of the new job is the same for all of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rarlib.fabric.arranged import RingJob, arranged, ring_view
from rarlib.fabric.case import BYTES_PER_GBIT
from rarlib.fabric.policies.cassini import MOST_PLACEMENTS, Cassini
from rarlib.fabric.policy_cases import HOST_GBPS, HOST_GPUS, HOSTS, SPINES, PolicyCase, case_of, utilisation
from rarlib.fabric.routing import ecmp
from rarlib.fabric.shapes import leaf_spine
from rarlib.model.seeds import stream

_RACKS, _WIDTH = 4, 4


class PlacementOutcome(NamedTuple):
    """Utilisation over that of the best candidate.

    Attributes:
        chosen: of the one that CASSINI chooses.
        any_: mean over candidates, as by a choice that does not look.
    """

    chosen: float
    any_: float


def candidate_cases(
    seed: int, number: int, jobs: int, periods_s: Sequence[float], noise: float = 0.0
) -> list[PolicyCase]:
    """A case for every candidate placement of the last job, each job on 4 hosts of its own.

    Args:
        seed: of all cases.
        number: of this case.
        jobs: how many, the new one included; at most 4.
        periods_s: iteration times that are drawn from.
        noise: relative variation of computing times.
    """
    rng = stream(seed, "fabric", "placements", number, jobs, *periods_s)
    shape = leaf_spine(_RACKS, HOSTS // _RACKS, SPINES, HOST_GBPS, HOST_GBPS)
    paths = ecmp(shape, int(rng.integers(2**63)))
    hosts, rings = rng.permutation(HOSTS), []
    for key in range(jobs):
        duty, period_s = float(rng.uniform(0.1, 0.6)), float(rng.choice(periods_s))
        servers = tuple(sorted(hosts[_WIDTH * key : _WIDTH * (key + 1)].tolist()))
        sent = duty * period_s * HOST_GBPS * BYTES_PER_GBIT
        start_s = float(rng.uniform(0.0, period_s))
        rings.append(RingJob(servers, HOST_GPUS * _WIDTH, sent, key, (1.0 - duty) * period_s, start_s))
    seeds = rng.integers(2**63, size=jobs).tolist()
    free = hosts[_WIDTH * (jobs - 1) :]
    found = []
    for _ in range(MOST_PLACEMENTS):
        servers = tuple(sorted(rng.choice(free, _WIDTH, replace=False).tolist()))
        view = ring_view(shape, paths, [*rings[:-1], rings[-1]._replace(servers=servers)], seed=number)
        found.append(case_of(view, f"placements-{number}", noise, seeds))
    return found


def choice_outcome(cases: Sequence[PolicyCase], policy: Cassini) -> PlacementOutcome:
    """Run every candidate under the policy's shifts, and compare the one that it chooses with the best."""
    reached = [utilisation(one, arranged(one.case, one.view, policy.arrange(one.view))) for one in cases]
    best, chosen = max(reached), policy.choose([one.view for one in cases])
    return PlacementOutcome(reached[chosen] / best, sum(reached) / len(reached) / best)
