"""Jobs that learn: what they do and believe, step by step, on profiles by hand."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from rarlib.cost.goodput import progress
from rarlib.cost.goodput.alone import duration_s
from rarlib.cost.goodput.descent import PARAMETERS, new_space
from rarlib.cost.goodput.fit import fit
from rarlib.cost.goodput.goodput import GoodputCost
from rarlib.cost.goodput.profiles import Profiles, relative_speed, single_speed
from rarlib.cost.goodput.training import GoodputTraining
from rarlib.model.cluster import Cluster
from rarlib.model.decisions import Placement, Start
from rarlib.model.errors import InputError
from rarlib.model.forecast import Forecast
from rarlib.model.jobs import Jobs
from rarlib.model.offers import Configurations
from rarlib.simulator.engine import simulate
from tests.named import Named
from tests.rarlib.cost.goodput.conftest import step

CLUSTER = Cluster.parse("t4:2x4,rtx:2x8")
T4, RTX = 0, 1
OPTIONS = Configurations(
    kind=np.array([T4, T4, T4, T4, RTX, RTX, RTX]),
    nodes=np.array([1, 1, 1, 2, 1, 1, 1]),
    gpus=np.array([1, 2, 4, 8, 1, 2, 4]),
)
ROWS = np.array([0])


@dataclass
class Follower(Named):
    """Starts every job at once where it is told to."""

    where: list[Placement] = field(default_factory=list)
    learning: str = "requested"
    bootstrap: str = "bootstrap"
    projection: str = "code"
    batch_limit: str = "largest"
    scaling: str = "requested"

    def decide(self, view):
        for job in view.waiting:
            yield Start(job.row, self.where[job.row])


def jobs_of(n: int = 1, application: str = "bert", gpus: int = 2, **more) -> Jobs:
    more = {"batch_size": [24] * n, **more}
    return Jobs.build(submit_s=[0.0] * n, gpus=[gpus] * n, duration_s=[1.0] * n, application=[application] * n, **more)


def training_of(cost: GoodputCost, jobs: Jobs | None = None, cluster: Cluster = CLUSTER, **choices) -> GoodputTraining:
    jobs = cost.admit(jobs if jobs is not None else jobs_of(), cluster)
    return cost.train(
        jobs, cluster, cost.price(jobs, cluster), Follower(learning="by-type", **choices), Forecast.exact(len(jobs))
    )


def run_a_while(training: GoodputTraining, placement: Placement) -> None:
    training.begin(0, placement, 0, 0.0)
    training.progressed(ROWS)


def test_a_requested_batch_takes_the_time_worked_out_apart(cost: GoodputCost) -> None:
    """Simulated by epochs in compiled code, and summed in numpy: the same, after the delay of the first start."""
    for kind, node, shape in (("t4", 0, (2,)), ("rtx", 2, (2,)), ("t4", 0, (1,)), ("rtx", 2, (4,))):
        where = [((node, shape[0]),)]
        run = simulate(jobs_of(), CLUSTER, Follower(where), cost)
        expected = 120.0 + duration_s(cost.times, "bert", kind, shape, 24)
        assert run.finish_s[0] == pytest.approx(expected), (kind, shape)
        assert run.restarts[0] == 0


def test_nothing_is_known_before_the_first_run(cost: GoodputCost) -> None:
    """Types cannot be told apart, and one GPU is all a job may get (as coded)."""
    training = training_of(cost)
    assert training.limits(ROWS).tolist() == [[1, 1]]
    assert not training.goodputs(ROWS, OPTIONS).any()


def test_a_first_run_judges_the_other_type_by_ratio(cost: GoodputCost) -> None:
    """Samples per second with the largest batch on one GPU: 32 / 0.42 on T4, 24 / 0.17 on RTX."""
    training = training_of(cost)
    run_a_while(training, ((0, 1),))
    assert training.goodputs(ROWS, OPTIONS)[0, [0, 4]].all()
    assert training.limits(ROWS).tolist() == [[2, 1]]
    found = training.goodputs(ROWS, OPTIONS)[0]
    ratio = (24 / 0.17) / (32 / 0.42)
    assert found[4] == pytest.approx(ratio * found[0])
    assert found[5] == pytest.approx(ratio * found[1])
    assert found[1] > found[0] > 0
    assert not found[[2, 3, 6]].any()  # twice the GPUs at most
    apart = training.goodputs(ROWS, Configurations(*OPTIONS), shared_limits=False)[0]
    assert apart[4] > 0
    assert apart[5] == 0


def test_a_run_on_the_other_type_ends_the_projection(cost: GoodputCost) -> None:
    """Then its own model counts, with its own batches."""
    training = training_of(cost)
    run_a_while(training, ((0, 1),))
    before = training.goodputs(ROWS, OPTIONS)[0].copy()
    run_a_while(training, ((2, 2),))
    after = training.goodputs(ROWS, OPTIONS)[0]
    assert training.restarts[0] == 1
    assert training.limits(ROWS).tolist() == [[2, 4]]
    assert after[5] != pytest.approx(before[5], rel=1e-3)
    assert after[6] > after[5] > 0


@pytest.mark.parametrize("projection", ["code", "paper"])
def test_jobs_that_observe_the_same_share_a_fit(
    cost: GoodputCost, monkeypatch: pytest.MonkeyPatch, projection: str
) -> None:
    """Every model is that of a fit of its own, also where there is space for few fits, which replace each other."""
    places = [((0, 1),), ((0, 2),), ((0, 4),), ((0, 4), (1, 4)), ((2, 1),), ((2, 4),)]
    made = []
    for space in (1, 5, 1000):
        monkeypatch.setattr(progress, "_FITS", space)
        training = training_of(cost, jobs_of(6), projection=projection)
        rng = np.random.default_rng(1)
        for at in range(60):
            job = int(rng.integers(6))
            training.begin(job, places[at // 10 if rng.random() < 0.5 else rng.integers(6)], 0, 0.0)
            training.progressed(np.array([job]))
        state = training._state
        for job, slot in np.argwhere(np.asarray(state.model)["rows"] > 0):
            own = np.zeros(PARAMETERS)
            fit(state.observed[job, slot, : state.model["rows"][job, slot]].copy(), new_space(), own)
            assert state.params[job, slot].tolist() == own.tolist(), (space, job, slot)
        made.append(int((np.asarray(state.fits)["known"] // space).sum()))
    assert made[2] < made[0]


def test_an_oracle_knows_how_jobs_scale(cost: GoodputCost) -> None:
    """Its estimates are near the truth at once: the toy's exchange grows by 0.05 s per GPU, and is not overlapped."""
    training = training_of(cost, bootstrap="oracle")
    assert training.goodputs(ROWS, OPTIONS)[0, [0, 4]].all()
    found = training.goodputs(ROWS, OPTIONS)[0]
    assert (found > 0).all()
    assert found[6] / found[4] < 3.5  # four GPUs are not four times as fast
    params = training._state.params[0, T4]
    assert params[:2] == pytest.approx([0.1, 0.01], rel=0.05)


def test_the_papers_projection_starts_from_one_gpu_profiles(cost: GoodputCost) -> None:
    """Every type is known from one GPU; beyond that the type with most GPUs lends its scaling."""
    training = training_of(cost, projection="paper")
    assert training.goodputs(ROWS, OPTIONS)[0, [0, 4]].all()
    assert training.limits(ROWS).tolist() == [[1, 1]]
    one = training.goodputs(ROWS, OPTIONS)[0].copy()
    assert one[0] > 0
    assert one[4] == pytest.approx(2 * one[0], rel=0.05)  # RTX are twice as fast
    for gpus in (1, 2, 4):
        run_a_while(training, ((0, gpus),))
    found = training.goodputs(ROWS, OPTIONS)[0]
    assert found[6] / found[4] == pytest.approx(found[2] / found[0])


def test_pipelines_grow_in_whole_pipelines(cost: GoodputCost) -> None:
    """Eight stages on RTX; none on T4."""
    cluster = Cluster.parse("t4:2x4,rtx:2x8")
    training = training_of(cost, jobs_of(application="gpt_pmp", gpus=8, batch_size=[0]), cluster)
    assert training.pipeline.tolist() == [[0, 8]]
    options = Configurations(np.array([0, 1, 1, 1]), np.array([1, 1, 1, 2]), np.array([8, 4, 8, 16]))
    run_a_while(training, ((2, 8),))
    found = training.goodputs(ROWS, options)[0]
    assert not found[:2].any()
    assert found[3] > found[2] > 0
    with pytest.raises(ValueError, match="a multiple of 8 GPUs of type rtx"):
        training.begin(0, ((2, 4),), 0, 0.0)
    with pytest.raises(ValueError, match="another GPU type"):
        training.begin(0, ((0, 4),), 0, 0.0)


@pytest.mark.parametrize(
    ("placement", "variant", "rule"),
    [
        (((0, 1),), 1, "one way to run"),
        (((0, 4), (1, 4)), 0, "3 samples at once"),
    ],
)
def test_impossible_starts_name_their_rule(cost: GoodputCost, placement: Placement, variant: int, rule: str) -> None:
    training = training_of(replace(cost, extended=False), jobs_of(gpus=2, adaptivity=["scale-gpus"]))
    with pytest.raises(ValueError, match=rule):
        training.begin(0, placement, variant, 0.0)


@pytest.mark.parametrize(
    ("jobs", "cluster", "complaint"),
    [
        (jobs_of(application="resnet"), CLUSTER, "job 0: application 'resnet' has no profile"),
        (jobs_of(gpus=25), CLUSTER, "job 0 asks for 25 GPUs, the cluster has 24"),
        (jobs_of(), Cluster.parse("h100:2x8"), "GPU type 'h100' has no profile"),
        (jobs_of(), Cluster.parse("quad:2x4"), "bert has no profile on GPU type 'quad'; it was measured on t4, rtx"),
        (jobs_of(application="gpt_pmp"), Cluster.parse("t4:2x4"), "job 0: gpt_pmp has no profile on t4"),
        (jobs_of(gpus=4, batch_size=[12]), CLUSTER, "job 0: bert: a batch of 12 on 4 GPUs leaves 3 for each"),
    ],
)
def test_bad_input_is_told_in_one_line(cost: GoodputCost, jobs: Jobs, cluster: Cluster, complaint: str) -> None:
    with pytest.raises(InputError) as error:
        replace(cost, extended=False).admit(jobs, cluster)
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


def test_admission_sets_limits_and_duration(cost: GoodputCost) -> None:
    """Batch 48 in parts of at least 4: twelve replicas; the first type with room says how long."""
    admitted = cost.admit(jobs_of(), CLUSTER)
    assert (admitted.min_gpus[0], admitted.max_gpus[0]) == (1, 12)
    assert admitted.duration_s[0] == pytest.approx(duration_s(cost.times, "bert", "t4", (2,), 24))
    fixed = cost.admit(jobs_of(adaptivity=["rigid"]), CLUSTER)
    assert (fixed.min_gpus[0], fixed.max_gpus[0]) == (2, 2)


def test_speeds_of_types(toy: Profiles) -> None:
    """T4: 32 samples in 0.42 s; RTX: 24 in 0.17 s; a pipeline of 8 RTX takes 0.1 s for a sample, of 2 A100 0.2 s."""
    on_t4, on_rtx = 32 / step(1, 1, 32)[0], 24 / step(1, 1, 24, 0.5)[0]
    assert single_speed(toy, "bert", "t4") == pytest.approx(on_t4)
    assert single_speed(toy, "bert", "rtx") == pytest.approx(on_rtx)
    assert single_speed(toy, "gpt_pmp", "rtx") == pytest.approx(10.0)
    names = ["bert", "gpt_pmp", "bert", "bert"]
    jobs = Jobs.build(submit_s=np.zeros(4), gpus=[1, 8, 1, 1], duration_s=np.ones(4), application=names)
    bert, gpt = math.log(on_rtx / on_t4), math.log(5.0 / 10.0)
    assert relative_speed(jobs, Cluster.parse("t4:1x4,rtx:2x8,a100:1x8"), toy) == pytest.approx(
        [1.0, math.exp(bert), math.exp(bert), 1.0]
    )
    assert relative_speed(jobs, Cluster.parse("rtx:1x8,a100:1x8"), toy) == pytest.approx([1.0, math.exp(gpt)])
