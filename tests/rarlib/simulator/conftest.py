"""Both drivers of the engine, for tests that solve a schedule by hand."""

import pytest
from toys import Cost, jobs_of

from rarlib.model.cluster import Cluster
from rarlib.simulator.engine import simulate


@pytest.fixture(params=[True, False], ids=["compiled", "decide"])
def play(request):
    """Run a scheduler on one of its two drivers."""

    def run(scheduler, rows, nodes, cost=None, **options):
        return simulate(jobs_of(rows), Cluster.of(nodes), scheduler, cost or Cost(), compiled=request.param, **options)

    return run
