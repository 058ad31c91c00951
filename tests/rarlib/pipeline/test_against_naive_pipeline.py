"""The compiled simulation against a plain one that knows nothing of it: the same times for everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.pipeline import schedule
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from tests.rarlib.pipeline.naive_pipeline import Naive

KINDS = {"F": 0, "B": 1, "A": 2, "G": 3}


@st.composite
def pipelines(draw):
    replicas = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    seconds = st.integers(0, 6)
    stages = len(replicas)

    def column(length):
        return draw(st.lists(seconds, min_size=length, max_size=length))

    forward, backward, sync = column(stages), column(stages), column(stages)
    return Pipeline.build(replicas, forward, backward, transfer_s=column(stages - 1), sync_s=sync)


def same(run, naive):
    """Every operation, transfer and update; a mismatch names the first."""
    found = {
        (kind, s, m): (run.start[at, s, m], run.end[at, s, m])
        for kind, at in KINDS.items()
        for s, m in np.argwhere(np.isfinite(run.end[at])).tolist()
    }
    updates = {(s, u): (run.sync_start[s, u], run.sync_end[s, u]) for s, u in np.argwhere(np.isfinite(run.sync_end))}
    assert found == naive.times
    assert updates == naive.updates


@given(pipelines(), st.integers(1, 14), st.booleans())
def test_1f1b(pipeline, minibatches, overlap):
    """With the warm-up of the code."""
    replicas = pipeline.replicas.tolist()
    order = schedule.one_f_one_b(replicas, minibatches, overlap=overlap)
    naive = Naive(pipeline, minibatches, depths=schedule.warm_up(replicas), overlap=overlap)
    same(simulate_pipeline(pipeline, order), naive.run())


@settings(max_examples=40)
@given(pipelines(), st.integers(1, 14), st.integers(1, 5))
def test_gpipe(pipeline, minibatches, flush):
    """Flushes shorter and longer than the stages have replicas; the last one may be incomplete."""
    order = schedule.gpipe(pipeline.replicas.tolist(), minibatches, flush)
    same(simulate_pipeline(pipeline, order), Naive(pipeline, minibatches, "gpipe", flush=flush).run())


@pytest.mark.parametrize("replicas", [[1, 1, 1], [2, 1]])
def test_model_parallel(replicas):
    """No warm-up, and what follows a backward waits for its update."""
    pipeline = Pipeline.build(replicas, [2] * len(replicas), [3] * len(replicas), transfer_s=1, sync_s=2)
    order = schedule.model_parallel(replicas, 7)
    same(simulate_pipeline(pipeline, order), Naive(pipeline, 7, overlap=False).run())
