"""Plans of SJF-BCO ranked by the fast law: which plans there are, and what ranking them can and cannot do."""

import numpy as np
import pytest

from rarlib.cost.linked import laid_out, on_fabric
from rarlib.discovery import make_scheduler
from rarlib.model.cluster import Cluster
from rarlib.papers.sjf_bco.premise import premise_batch, premise_shape
from rarlib.papers.sjf_bco.ranked_plans import RANKINGS, every_plan, ranked_runs
from rarlib.simulator.engine import simulate

DUTY, SHARERS, OVER = 0.5, 4, 4.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_its_own_choice_is_one_of_the_plans_and_no_plan_is_there_twice(seed):
    """With the makespan that it believes in."""
    jobs, alone = premise_batch(seed, DUTY)
    shape = premise_shape(SHARERS, OVER)
    own, *others = every_plan(jobs, laid_out(Cluster.of([SHARERS] * shape.servers), shape), alone)
    same = [np.array_equal(own.batch.gpus, plan.batch.gpus) for plan in others]
    assert any(same)
    assert own.makespan == pytest.approx(others[same.index(True)].makespan, rel=1e-12)
    assert len({plan.batch.gpus.tobytes() + plan.batch.start.tobytes() for plan in others}) == len(others) > 1


def test_ranking_by_the_law_of_the_run_never_loses_by_that_law():
    """And SJF-BCO's own choice ends when its own run does."""
    rows = list(ranked_runs([DUTY], [SHARERS], [OVER], [1, 4]))
    for seed in (1, 4):
        found = {row.ranking: row for row in rows if row.seed == seed}
        assert tuple(found) == RANKINGS
        assert found["told"].law_s <= min(found["eq. 6"].law_s, found["blind"].law_s)
        jobs, alone = premise_batch(seed, DUTY)
        shape = premise_shape(SHARERS, OVER)
        cluster = laid_out(Cluster.of([SHARERS] * shape.servers), shape)
        run = simulate(jobs, cluster, make_scheduler("sjf-bco", {}), on_fabric(alone, shape))
        assert found["eq. 6"].law_s == run.makespan_s
