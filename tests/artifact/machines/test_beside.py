"""Two jobs on one network: laws beside the fabric's own, and recovered from rows that obey them."""

import numpy as np
import pandas as pd
import pytest

from artifact.machines.beside import blind_law, pairs_held_out, shares_alone
from artifact.machines.deepshare import CRUX, BesideRow, DeepShare, PlacedModel
from artifact.machines.predictor import predictors
from rarlib.cost.contention import linear
from rarlib.fabric.law import law_space, law_times
from rarlib.fabric.sharing import everybody
from tests.rarlib.fabric.cases import sender, shared

BY_NAME = {each.name: each for each in predictors() if each.quantity == "beside"}
MODELS = ("a", "b", "c", "d")
KINDS = [PlacedModel(model, gpus, nodes) for model in MODELS for gpus, nodes in ((2, 2), (4, 4))]
RANDOM = np.random.default_rng(7)
AGAINST = dict(zip(MODELS, (0.1, 0.5, 2.0, 0.9), strict=True))
HURTS = dict(zip(MODELS, (1.0, 0.2, 0.4, 3.0), strict=True))
SHARE = dict(zip(KINDS, RANDOM.uniform(0.2, 0.9, len(KINDS)), strict=True))


def source(law, alone=None, **changed):
    """All pairs of eight kinds of jobs, with a ratio that is a function of both."""
    pairs = [
        {"id": f"p-{at}", "model": one.model, "gpus": one.gpus, "nodes": one.nodes, "other_model": other.model,
         "other_gpus": other.gpus, "other_nodes": other.nodes, "ratio": law(one, other), "kind": "measured"} | changed
        for at, (one, other) in enumerate((one, other) for one in KINDS for other in KINDS)
    ]  # fmt: skip
    runs = [
        {"model": kind.model, "gpus": kind.gpus, "nodes": kind.nodes, "samples_per_process": 16.0, "kind": "measured",
         "samples_per_s": kind.gpus / (alone(kind) if alone else 1.0)}
        for kind in KINDS
    ]  # fmt: skip
    return DeepShare({"pairs": pd.DataFrame(pairs), "alone": pd.DataFrame(runs)})


def overlap(one, other):
    return 1.0 / (1.0 + SHARE[one] * SHARE[other])


@pytest.mark.parametrize(("first", "second"), [((3.0, 1.0), (1.0, 2.0)), ((0.5, 4.0), (9.0, 1.0)), ((1, 1), (1, 1))])
def test_the_law_of_two_jobs_is_the_fabrics(first, second):
    """Compute c, send s over one link: rarlib.fabric.law's iteration, and 1 / (1 + u v) of the throughput alone."""
    jobs = [sender(name, c, s) for name, (c, s) in zip("ab", (first, second), strict=True)]
    sharing = everybody(shared(*jobs))
    times = law_times(sharing, np.ones(2, bool), law_space(sharing))
    u, v = (s / (c + s) for c, s in (first, second))
    for (c, s), iteration in zip((first, second), times, strict=True):
        assert (c + s) / iteration == pytest.approx(1 / (1 + u * v))


def test_eq_7_by_hand():
    """k = 2 on the only link: c + s f(2) over c + s, with f = k + alpha (k - 1), whoever the partner is."""
    c, s, alpha = 3.0, 1.0, 0.25
    ratio = (c + s) / (c + s * float(linear(alpha, np.array([2.0]))[0]))
    share = s / (c + s)
    assert ratio == pytest.approx(1 / (1 + (1 + alpha) * share))
    rows = [BesideRow(f"{at}", "", KINDS[0], other, ratio) for at, other in enumerate(KINDS[2:])]
    assert blind_law(rows)(rows[0]) == pytest.approx(ratio)


def test_the_blind_ratio_has_the_least_squared_relative_errors():
    rows = [BesideRow(f"{at}", "", KINDS[0], KINDS[2], ratio) for at, ratio in enumerate((0.5, 0.8, 1.0))]
    best = blind_law(rows)(rows[0])
    grid = np.linspace(0.3, 1.0, 70_001)
    loss = sum((grid / row.ratio - 1) ** 2 for row in rows)
    assert best == pytest.approx(grid[loss.argmin()], abs=2e-5)


@pytest.mark.parametrize("name", ["fabric-shares", "victim-and-partner"])
def test_rows_that_obey_a_law_are_predicted_from_other_pairs(name):
    """Shares by kind; by model if the law has numbers by model only."""
    law = overlap if name == "fabric-shares" else lambda one, other: 1 / (1 + AGAINST[one.model] * HURTS[other.model])
    made = source(law)
    found = BY_NAME[name].predict(made)
    for row in made.pairs:
        assert found[row.id] == pytest.approx(row.ratio, rel=1e-4)


def test_both_directions_of_a_pair_of_models_are_held_out():
    """The law sees neither a beside b nor b beside a, nor another placement of them."""
    rows = source(overlap).pairs
    asked = []

    def law(others):
        seen = {frozenset((row.job.model, row.other.model)) for row in others}
        return lambda row: asked.append(frozenset((row.job.model, row.other.model)) in seen) or 1.0

    assert pairs_held_out(rows, law).keys() == {row.id for row in rows}
    assert len(asked) == len(rows) == 64 and not any(asked)


@pytest.mark.parametrize("name", ["eq-7", "fabric-shares", "fabric-shares-by-model", "victim-and-partner"])
def test_a_pair_of_models_of_which_no_other_row_tells_anything_has_no_prediction(name):
    """A user's own table may hold one pair of two models only; the others are predicted as without it."""
    whole = source(overlap)
    pairs = whole.frames["pairs"]
    lonely = pairs.head(1).assign(id="lonely", model="x", other_model="y")
    more = DeepShare({**whole.frames, "pairs": pd.concat([pairs, lonely], ignore_index=True)})
    found = BY_NAME[name].predict(more)
    (alone,) = (row.id for row in more.pairs if row.job.model == "x")
    assert np.isnan(found.pop(alone))
    expected = BY_NAME[name].predict(whole)
    assert found == pytest.approx({row: expected[row] for row in found}, rel=1e-4)
    assert "lonely" not in "".join(BY_NAME["fabric-alone"].predict(more))


def test_shares_from_runs_alone():
    """c + w on two nodes (2 x 1/2 passes), c + 1.5 w on four."""
    made = source(overlap, alone=lambda kind: 3.0 + (1.0 if kind.nodes == 2 else 1.5))
    found = shares_alone(made.alone())
    assert found[KINDS[0]] == pytest.approx(1 / 4) and found[KINDS[1]] == pytest.approx(1.5 / 4.5)
    ratios = BY_NAME["fabric-alone"].predict(made)
    assert ratios[made.pairs[1].id] == pytest.approx(1 / (1 + 1 / 4 * 1.5 / 4.5))
    faster = shares_alone(source(overlap, alone=lambda kind: 4.0 / kind.nodes).alone())
    assert set(faster.values()) == {0.0}  # a job that gets faster with nodes does not send by this law


def test_crux_loses_the_published_share():
    """1.53 s alone, 1.70 s beside: iteration +11.0 %, throughput -9.9 % as the text says."""
    gpt, bert = CRUX
    assert 1 / gpt.ratio - 1 == pytest.approx(0.11, abs=0.002)
    assert gpt.ratio - 1 == pytest.approx(-0.099, abs=0.002)
    found = BY_NAME["fabric-shares"].predict(source(overlap))
    assert found[gpt.id] == bert.ratio and found[bert.id] == gpt.ratio


@pytest.fixture(scope="module")
def real(measured_frames):
    return DeepShare(measured_frames("deepshare"))


@pytest.mark.real
def test_the_rows_are_those_that_the_specification_counts(real):
    """450 measured ratios, 150 of a model beside itself; 34.3 % off without contention; a few runs have two rows."""
    rows = real.pairs
    assert len(rows) == 450 and sum(row.group == "same model" for row in rows) == 150
    assert not any(row.job.nodes == 8 or row.other.nodes == 8 for row in rows)
    off = np.mean([1 / row.ratio - 1 for row in rows])
    assert 100 * off == pytest.approx(34.3, abs=0.06)
    assert len({row.id.partition("/")[0] for row in rows}) == 6 * 15 + 6 * 25
