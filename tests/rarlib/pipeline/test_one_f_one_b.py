"""Theory of 1F1B, GPipe and model parallelism, on random pipelines and on plans of the planner."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarlib.pipeline.planner import Options, plan_pipeline
from rarlib.pipeline.schedule import gpipe, model_parallel, noam, one_f_one_b, warm_up
from rarlib.pipeline.simulate import simulate_pipeline
from rarlib.pipeline.stages import Pipeline
from rarlib.pipeline.zoo.models import profile

seconds = st.integers(1, 9)


@st.composite
def pipelines(draw, most=4, transfers=False, exchanges=False):
    replicas = draw(st.lists(st.integers(1, most), min_size=1, max_size=5))
    stages = len(replicas)

    def column(length, values=seconds):
        return draw(st.lists(values, min_size=length, max_size=length))

    return Pipeline.build(
        replicas,
        column(stages),
        column(stages),
        transfer_s=column(stages - 1) if transfers else 0.0,
        sync_s=column(stages) if exchanges else 0.0,
        weight_bytes=column(stages),
        stash_bytes=column(stages),
    )


def run_1f1b(pipeline, minibatches, depths=None, **more):
    return simulate_pipeline(pipeline, one_f_one_b(pipeline.replicas.tolist(), minibatches, depths, **more))


def most(run, column):
    """The largest number at each stage."""
    return run.memory().groupby("stage")[column].max().tolist()


@given(pipelines(most=1))
def test_a_straight_pipeline_is_as_fast_as_its_slowest_stage(pipeline):
    """Minibatch m is back no later than at the pace of the slowest stage, and the slowest stage cannot be faster."""
    n, pace = 60, float(pipeline.compute_s.max())
    back = run_1f1b(pipeline, n).end[1, 0]
    admitted = pipeline.stages
    assert (back <= (admitted + np.arange(n)) * pace + 1e-9).all()
    assert back[-1] >= n * pace


@settings(max_examples=40)
@given(pipelines())
def test_the_warm_up_of_the_code_is_deep_enough_where_rounding_does_not_hurt(pipeline):
    """Then the pace is that of the slowest stage, which no warm-up can beat."""
    replicas = pipeline.replicas.tolist()
    n = 24 * int(np.lcm.reduce(replicas))
    back = run_1f1b(pipeline, n).end[1, 0]
    assert back.max() >= n * pipeline.floor_s * (1 - 1e-9)
    kept = [(depth + 1) * count for depth, count in zip(warm_up(replicas), replicas, strict=True)]
    if all(kept[s] >= replicas[s] + kept[s + 1] for s in range(len(replicas) - 1)):
        assert (back <= (kept[0] + np.arange(n)) * pipeline.floor_s + 1e-6).all()


def test_the_warm_up_of_the_code_can_starve_a_replicated_stage():
    """2-3-1: stages 0 and 1 both keep 6 minibatches in flight and share 3 of them: (2 + 3) / 3 of the pace."""
    pipeline = Pipeline.build([2, 3, 1], [1.0, 1.5, 0.5], [1.0, 1.5, 0.5])
    assert run_1f1b(pipeline, 600).period_s() == pytest.approx(5 / 3)
    assert run_1f1b(pipeline, 600, [3, 1, 0]).period_s() == pytest.approx(1.0)


@settings(max_examples=30)
@given(pipelines(most=1, transfers=True), st.integers(1, 20))
def test_model_parallelism_takes_the_sum(pipeline, minibatches):
    """Every minibatch goes there and back alone."""
    run = simulate_pipeline(pipeline, model_parallel(pipeline.replicas.tolist(), minibatches))
    alone = pipeline.compute_s.sum() + 2 * pipeline.transfer_s.sum()
    assert run.end[1, 0].tolist() == [alone * (m + 1) for m in range(minibatches)]


@pytest.mark.parametrize("stages", [1, 2, 5, 16])
@pytest.mark.parametrize("flush", [1, 4, 16])
def test_bubble_of_gpipe(stages, flush):
    """(S - 1) / (S - 1 + M) for even stages."""
    pipeline = Pipeline.build([1] * stages, [1] * stages, [2] * stages)
    run = simulate_pipeline(pipeline, gpipe([1] * stages, 6 * flush, flush))
    assert run.bubble == pytest.approx((stages - 1) / (stages - 1 + flush))
    assert most(run, "versions") == [1] * stages
    assert most(run, "in_flight") == [flush] * stages


@settings(max_examples=40)
@given(pipelines(transfers=True), st.integers(1, 30))
def test_stashes_are_bounded_by_noam(pipeline, minibatches):
    """Activations of at most warm-up + 1 minibatches, NOAM at the input; no more versions unless an update overlaps."""
    replicas = pipeline.replicas.tolist()
    run = run_1f1b(pipeline, minibatches, overlap=False)
    for kept in (most(run, "in_flight"), most(run, "versions")):
        assert all(count <= depth + 1 for count, depth in zip(kept, warm_up(replicas), strict=True))
        assert max(kept) <= max(noam(replicas[s:]) for s in range(len(replicas)))
        assert (kept[0] <= noam(replicas), kept[-1]) == (True, 1)
    assert most(run_1f1b(pipeline, minibatches), "versions")[-1] <= 1 + (replicas[-1] > 1)


@settings(max_examples=40)
@given(pipelines(transfers=True, exchanges=True), st.integers(1, 25), st.sampled_from(["1f1b", "gpipe", "model"]))
def test_work_is_conserved_and_nobody_does_two_things_at_once(pipeline, minibatches, style):
    """All passes run once, on the same replica both ways, for their time; no worker and no port overlaps itself."""
    replicas = pipeline.replicas.tolist()
    orders = {"1f1b": one_f_one_b, "model": model_parallel, "gpipe": lambda r, n: gpipe(r, n, 3)}
    ops = simulate_pipeline(pipeline, orders[style](replicas, minibatches)).operations()
    passes = ops[ops["kind"].isin(["forward", "backward"])]
    assert len(passes) == 2 * pipeline.stages * minibatches
    spent = passes.groupby("stage")["end_s"].sum() - passes.groupby("stage")["start_s"].sum()
    assert spent.to_numpy() == pytest.approx(pipeline.compute_s * minibatches)
    assert (passes.groupby(["stage", "minibatch"])["replica"].nunique() == 1).all()
    assert (passes["replica"] == passes["minibatch"] % pipeline.replicas[passes["stage"]]).all()
    for _, own in passes.groupby(["stage", "replica"]):
        assert (own["start_s"].to_numpy()[1:] >= own["end_s"].to_numpy()[:-1]).all()
    for _, sent in ops[ops["kind"].isin(["activation", "gradient"])].groupby(
        ["stage", "replica", "kind"], observed=True
    ):
        assert (sent["start_s"].to_numpy()[1:] >= sent["end_s"].to_numpy()[:-1]).all()


PLANS = [("published", 4, 1e9), ("published", 16, 3.125e9), ("as-coded", 4, 1e9), ("as-coded", 16, 3.125e9)]


@pytest.mark.parametrize(("variant", "workers", "bandwidth"), PLANS)
@pytest.mark.parametrize("model", ["vgg16", "alexnet", "gnmt"])
def test_planned_pipelines_run_as_planned(model, variant, workers, bandwidth):
    """Without communication the period is the slowest stage of the plan; with it, no more than the plan promises.

    It may be less: links are full duplex here, and each replica of a stage has its own.
    """
    plan = plan_pipeline(profile(model), (workers,), (bandwidth,), Options(variant=variant, compression=1.0))
    pipeline = Pipeline.of(plan)
    slowest = max(stage.compute_s / stage.replicas for stage in plan.stages)
    silent = replace(pipeline, transfer_s=0.0 * pipeline.transfer_s, sync_s=0.0 * pipeline.sync_s)
    repeats = int(np.lcm.reduce(pipeline.replicas))
    period = run_1f1b(silent, 40 * repeats).period_s()
    assert period == pytest.approx(slowest, rel=1e-6)
    assert pipeline.floor_s <= plan.pipeline_time_s * (1 + 1e-9)
