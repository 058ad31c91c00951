"""Schedules compared: closed forms where there are any, counting by hand elsewhere."""

import pytest

from rarlib.pipeline import comparison
from rarlib.pipeline.plan import Group, Plan, Stage
from rarlib.pipeline.stages import Pipeline


def even(stages, **more):
    return Pipeline.build([1] * stages, [1] * stages, [2] * stages, **more)


@pytest.mark.parametrize("stages", [2, 4, 16])
def test_even_stages(stages):
    """3 s per minibatch pipelined, 3 S s not, 3 (S - 1 + M) / M s with a flush every M."""
    pipeline = even(stages)
    assert comparison.one_f_one_b_s(pipeline) == pytest.approx(3)
    assert comparison.model_parallel_s(pipeline) == pytest.approx(3 * stages)
    assert comparison.gpipe_s(pipeline, stages) == pytest.approx(3 * (2 * stages - 1) / stages)


def test_bytes_of_a_plan():
    """3-1: three replicas exchange 2 * 2/3 of 30 bytes each for three minibatches; 7 bytes cross over both ways."""
    stages = (
        Stage(("a",), 3, 1.0, 1.0, 0.0, 0.0, 7.0, 30.0, 1.0),
        Stage(("b",), 1, 1.0, 1.0, 0.0, 7.0, 1.0, 90.0, 1.0),
    )
    plan = Plan(
        "published", (4,), (1.0,), 1.0, stages, ((Group((0, 1), 3, 1.0), Group((1, 2), 1, 1.0)),), 1, 1, 2, "", True, 1
    )
    assert comparison.bytes_sent(plan) == pytest.approx(2 * 2 / 3 * 30 + 14)
    assert comparison.data_parallel_bytes_sent(plan) == pytest.approx(2 * 3 / 4 * 120)
