"""Plans that could have run, by hand and by trying all; the planner's choice as the docs state it."""

from itertools import combinations

import numpy as np
import pytest

from rarlib.measured import inputs
from rarlib.measured.candidates import (
    GPU_BYTES,
    can_be_planned,
    estimated_bytes,
    free_plan,
    objective_s,
    plan_name,
    runnable_plans,
)
from rarlib.measured.iteration import Assumptions, stage_times
from rarlib.measured.planned import (
    FLUSH,
    PIPEDREAM,
    RULE_OF_THUMB,
    free_plans,
    measured_tasks,
    task_choices,
    task_rankings,
)
from tests.measured.toy import HIDDEN, MEASURED, MEGA, TOKENS, WORDS, toy_source
from tools import measured_plans

HALF = 4 * (WORDS * HIDDEN + 20 * MEGA)
"""Bytes of the weights of the first or the last three layers."""
PAIR = MEASURED.replace("toy-3,gh200,toy,4,4,1,4,1,1,8,2,6,G,10.0", "toy-3,gh200,toy,4,4,1,4,1,1,8,2,6,G,12.5")


@pytest.fixture
def big(monkeypatch):
    monkeypatch.setitem(GPU_BYTES, "G", 96e9)


def rows(source):
    return {row.id: row for row in source.rows}


def test_the_objective_by_hand():
    """Two minibatches a replica: the slowest stage computes 3 s, or exchanges 2 (m - 1) W / B, over m replicas."""
    source = toy_source()
    assert objective_s(source, rows(source)["toy-1"]) == pytest.approx(8 * 5.25)
    slowest = max(3.0, 2 * HALF / 1e9) / 2
    assert objective_s(source, rows(source)["toy-2"]) == pytest.approx(8 * slowest)
    assert objective_s(source, rows(source)["toy-3"]) == pytest.approx(8 * max(5.25, 6 * 2 * HALF / 1e9) / 4)
    as_coded = 3.0 + 2 * HALF / 1e9  # 4 (m - 1) W / (m B), added
    assert objective_s(source, rows(source)["toy-2"], "as-coded") == pytest.approx(8 * as_coded / 2)


def test_its_memory_is_weights_and_outputs_of_what_is_in_flight():
    """Both stages have two replicas: two minibatches in flight in the first, one in the last."""
    source = toy_source()
    first = 2 * (HALF + 4 * 3 * HIDDEN * TOKENS)
    last = HALF + 4 * (2 * HIDDEN * TOKENS + WORDS * TOKENS + 1)
    assert estimated_bytes(source, rows(source)["toy-2"]) == pytest.approx(max(first, last))


def test_plans_that_could_have_run(big):
    source = toy_source()
    like = rows(source)["toy-2"]
    found = runnable_plans(source, like)
    assert [plan_name(row) for row in found] == ["1x4 of 1", "2x2 of 1", "4x1 of 1"]
    for row in found:
        assert row.replicas * len(row.nodes[0]) == 4
        assert row.microbatch * row.microbatches * row.replicas == 8
        assert [row.stages[0][0], row.stages[-1][1]] == [0, 5]


def test_layers_are_cut_as_well_as_by_trying_all(big):
    source = toy_source()
    layers = stage_times(
        source,
        rows(source)["toy-1"]._replace(stages=tuple((each, each) for each in range(6))),
        ("G",) * 6,
        "forward_s",
        Assumptions(),
    )
    for row in runnable_plans(source, rows(source)["toy-2"]):
        tried = [
            max(part.sum() for part in np.split(layers, cuts))
            for cuts in combinations(range(1, 6), len(row.stages) - 1)
        ]
        assert max(layers[a : b + 1].sum() for a, b in row.stages) == pytest.approx(min(tried))


def test_plans_that_do_not_fit_are_left_out(monkeypatch):
    source = toy_source()
    assert not can_be_planned(rows(source)["toy-2"])  # nobody states the memory of a G
    monkeypatch.setitem(GPU_BYTES, "G", 5e9 + 2.2e9)  # 16 bytes for each parameter: a whole model needs 2.25e9 and more
    assert [len(row.stages) for row in runnable_plans(source, rows(source)["toy-2"])] == [2, 4]
    monkeypatch.setitem(GPU_BYTES, "G", 5e9)
    assert runnable_plans(source, rows(source)["toy-2"]) == []
    assert not can_be_planned(rows(source)["toy-4"])


def test_its_own_plan_is_no_slower_than_any_that_could_have_run(big):
    source = toy_source()
    like = rows(source)["toy-2"]
    row, plan = free_plan(source, like)
    assert sum(stage.replicas for stage in plan.stages) == 4
    assert len(row.stages) == len(plan.stages)
    assert 8 * plan.pipeline_time_s <= min(objective_s(source, each) for each in runnable_plans(source, like)) + 1e-9


def test_regret_is_what_the_first_guess_costs(big):
    """Measured 10 s with two stages and 12.5 s with one; the flush prices them at about 11 and 15 s."""
    source = toy_source(measured=PAIR)
    assert [[row.id for row in rows] for rows in measured_tasks(source).values()] == [["toy-2", "toy-3"]]
    said = {each.predictor: each for each in task_rankings(source)}
    assert said[RULE_OF_THUMB].regret == pytest.approx(0.25)
    assert said[RULE_OF_THUMB].order == -1.0
    assert said[FLUSH].random == said[RULE_OF_THUMB].random == pytest.approx(0.125)
    assert np.isnan(said["sailor"].regret)  # a rival without a prediction
    assert said[FLUSH].gap == pytest.approx(0.25)
    replicated, staged = (objective_s(source, rows(source)[row]) for row in ("toy-3", "toy-2"))
    assert said[PIPEDREAM].regret == pytest.approx(0.25 if replicated < staged else 0.0)


def test_a_choice_names_a_plan_and_the_place_of_the_fastest_measured_one(big):
    source = toy_source(measured=PAIR)
    for each in task_choices(source):
        assert each.fastest == "2x2 of 1"
        assert each.plans == each.same == 3
        assert (each.place == 1) == (each.taken == each.fastest) == (each.ahead == 0.0)
    (free,) = free_plans(source)
    assert free.runnable == (len(set(free.configuration.split("-"))) == 1)


def test_the_page_is_current():
    assert measured_plans.SECTION.stated() == measured_plans.render(measured_plans.stored()).strip()


@pytest.mark.real
@pytest.mark.release
def test_the_tables_are_current():
    if not inputs.load_measured("sailor"):
        pytest.skip("the measured files are not at hand; set RARLIB_MIRROR")
    for kind, table in measured_plans.tables().items():
        assert measured_plans.as_text(table) == measured_plans.FILES[kind].read_text(encoding="utf-8")
