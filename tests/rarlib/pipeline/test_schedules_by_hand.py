"""Schedules small enough to draw: one line per worker, one character per second.

A digit is the forward pass of that minibatch, a letter the backward pass (a of 0, b of 1, ...), `.` idle.
"""

import pytest

from rarlib.model.errors import InputError
from rarlib.pipeline.schedule import gpipe, model_parallel, noam, one_f_one_b, warm_up
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from tests.rarlib.pipeline.drawing import draw


def straight(stages, **more):
    """Forward 1 s, backward 2 s."""
    return Pipeline.build([1] * stages, [1] * stages, [2] * stages, **more)


def test_1f1b_on_four_workers():
    """NOAM is 4: the input worker admits 0 to 3, then every worker alternates; if 4 came early, it would not wait."""
    run = simulate_pipeline(straight(4), one_f_one_b([1] * 4, 5))
    assert draw(run) == [
        "0123......aa4bb.cc.dd.ee",
        ".012....aa3bb4cc.dd.ee",
        "..01..aa2bb3cc4dd.ee",
        "...0aa1bb2cc3dd4ee",
    ]


def test_1f1b_rr_with_two_input_workers():
    """Minibatches alternate between the replicas, forward and backward; the second stage takes them in turn."""
    pipeline = Pipeline.build([2, 1], [2, 1], [4, 2])
    assert draw(simulate_pipeline(pipeline, one_f_one_b([2, 1], 4))) == [
        "0022.aaaa..cccc",
        "1133....bbbb..dddd",
        "..0aa1bb2cc3dd",
    ]


def test_replicas_wait_for_the_exchange_of_their_gradients():
    """The exchange of 0 and 1 ends at 13: only then does the first replica go on."""
    pipeline = Pipeline.build([2, 1], [2, 1], [4, 2], sync_s=[1, 0])
    run = simulate_pipeline(pipeline, one_f_one_b([2, 1], 4, overlap=False))
    assert draw(run)[:2] == ["0022.aaaa....cccc", "1133....bbbb..dddd"]
    ops = run.operations()
    exchanges = ops[ops["kind"] == "sync"]
    assert exchanges[["replica", "minibatch", "start_s", "end_s", "version"]].to_numpy().tolist() == [
        [-1, 1, 12, 13, 1],
        [-1, 3, 18, 19, 2],
    ]


def test_gpipe_flushes():
    """Two forward, two backward, and nobody begins 2 before 1 is back."""
    assert draw(simulate_pipeline(straight(2), gpipe([1, 1], 4, flush=2))) == [
        "01...aabb23...ccdd",
        ".01aabb...23ccdd",
    ]


def test_model_parallelism_has_one_minibatch_in_flight():
    assert draw(simulate_pipeline(straight(3), model_parallel([1] * 3, 2))) == [
        "0......aa1......bb",
        ".0...aa...1...bb",
        "..0aa......1bb",
    ]


def transfers(run, kind):
    ops = run.operations()
    return [(op.stage, op.minibatch, op.start_s, op.end_s) for op in ops[ops["kind"] == kind].itertuples(index=False)]


def test_transfers_overlap_with_compute_but_not_with_each_other():
    """Activation 1 waits for the port until 3; gradients have ports of their own."""
    run = simulate_pipeline(Pipeline.build([1, 1], [1, 1], [1, 1], transfer_s=2), one_f_one_b([1, 1], 2))
    assert draw(run) == ["01.....a.b", "...0a1b"]
    assert transfers(run, "activation") == [(0, 0, 1, 3), (0, 1, 3, 5)]
    assert transfers(run, "gradient") == [(1, 0, 5, 7), (1, 1, 7, 9)]


def test_a_worker_receives_one_minibatch_at_a_time():
    """Both input workers are ready at 1; the second one's activations wait for the receiver."""
    run = simulate_pipeline(Pipeline.build([2, 1], [1, 1], [1, 1], transfer_s=2), one_f_one_b([2, 1], 2))
    assert transfers(run, "activation") == [(0, 0, 1, 3), (0, 1, 3, 5)]


def test_warm_up_of_published_plans():
    """15-1 ships with depths 1, 0. (The shipped GNMT on 12 GPUs begins with 12, one deeper than the code's formula.)"""
    assert (noam([15, 1]), warm_up([15, 1])) == (2, [1, 0])
    assert (noam([1] * 4), warm_up([1] * 4)) == (4, [3, 2, 1, 0])
    assert (noam([16]), warm_up([16])) == (1, [0])
    assert warm_up([1] * 8 + [3, 1]) == [11, 10, 9, 8, 7, 6, 5, 4, 1, 0]


def test_depths_that_block_are_an_error():
    """Stage 1 wants three forwards before its first backward, but stage 0 admits only one."""
    with pytest.raises(InputError, match="stage 0 cannot run backward of minibatch 0"):
        simulate_pipeline(straight(2), one_f_one_b([1, 1], 6, [0, 2]))


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: one_f_one_b([1, 1], 0), "minibatches"),
        (lambda: one_f_one_b([1, 0], 3), "replicas"),
        (lambda: one_f_one_b([], 3), "replicas"),
        (lambda: one_f_one_b([1, 1], 3, [1]), "depths"),
        (lambda: gpipe([1, 1], 3, 0), "flush"),
        (lambda: simulate_pipeline(straight(2), one_f_one_b([1, 2], 3)), "replicas"),
        (lambda: Pipeline.build([1, 1], [1], [1, 1]), "forward_s"),
        (lambda: Pipeline.build([1], [-1], [1]), "forward_s"),
        (lambda: Pipeline.build([1, 1], [1, 1], [1, 1], transfer_s=float("inf")), "transfer_s"),
    ],
)
def test_bad_numbers(build, field):
    with pytest.raises(InputError) as error:
        build()
    assert error.value.field == field
