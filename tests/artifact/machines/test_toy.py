"""Predictions of a source made by hand, against sums done on paper."""

import pytest

from artifact.machines import iteration, links
from artifact.machines.predictor import predictors
from artifact.machines.predictors.iteration import leave_one_out
from tests.artifact.machines.toy import HIDDEN, LAYERS, MEGA, TOKENS, WORDS, toy_source

BY_NAME = {(each.name, each.quantity): each for each in predictors()}
BOUNDARY = 4 * HIDDEN * TOKENS / 1e9
"""Seconds of a transfer between two G nodes."""
FIRST = 4 * (WORDS * HIDDEN + 20 * MEGA) / 1e9
"""W / b of the first stage of two."""
TIED = 4 * WORDS * HIDDEN / 1e9


def predict(name, quantity, **changed):
    return BY_NAME[name, quantity].predict(toy_source(**changed))


def test_one_stage_is_its_layers_once_per_microbatch():
    """Forward 1.75, backward 3.5 s; eight microbatches, one update, nothing to exchange."""
    assert predict("flush-blocking", "iteration")["toy-1"] == pytest.approx(8 * 5.25 + 0.125)
    assert predict("flush-second-profile", "iteration")["toy-1"] == pytest.approx(8 * 9.0 + 0.125)


def test_replicas_of_one_stage_exchange_everything_after_the_flush():
    """A ring of four sends 2 x 3/4 of 4 bytes for each parameter, which is bandwidth bound at 1e9 bytes/s."""
    whole = 4 * (2 * WORDS * HIDDEN + 40 * MEGA)
    found = predict("flush-blocking", "iteration")["toy-3"]
    assert found == pytest.approx(2 * 5.25 + 1.5 * whole / 1e9 + 0.125)


def test_two_stages_with_transfers_beside_compute():
    """Stages of 2.25 and 3 s: the last one is busy from its first input on, the first ends one backward later."""
    last = 0.75 + BOUNDARY + 4 * 3.0
    first = last + BOUNDARY + 1.5
    done = max(first, last) + TIED + FIRST
    assert predict("flush-overlapped", "iteration")["toy-2"] == pytest.approx(done + 0.125)


def test_the_textbook_estimate_has_compute_only():
    assert predict("stages-in-turn", "iteration")["toy-2"] == pytest.approx(3 * 3.0 + 2.25 + 3.0)


def test_the_slowest_pipeline_and_the_slowest_link_decide():
    """In toy-4 one pipeline runs G then H, the other H then G; the ring of two nodes has links of 0.5 and 0.25."""
    assert predict("stages-in-turn", "iteration")["toy-4"] == pytest.approx(3 * 6.0 + 2.25 + 6.0)
    source = toy_source()
    assert iteration.exchange_s(source, source.rows[3], 0) == pytest.approx(4 * FIRST)


def test_a_missing_projection_is_added_by_its_operations():
    """2 h V over 24 h^2 + 4 n h of a block's 0.25 and 0.5 s; a profile with one gets nothing."""
    small = LAYERS.replace(f"toy,1,5,5,{WORDS * HIDDEN}", "toy,1,5,5,1000")
    share = 2 * HIDDEN * WORDS / (24 * HIDDEN**2 + 4 * TOKENS * HIDDEN)
    found = predict("flush-blocking", "iteration", layers=small)["toy-1"]
    assert found == pytest.approx(8 * (5.25 + share * 0.75) + 0.125)
    assert predict("flush-as-profiled", "iteration", layers=small)["toy-1"] == pytest.approx(8 * 5.25 + 0.125)
    source = toy_source(layers=small)
    whole = iteration.stage_bytes(source, source.rows[0], 0)
    assert whole == pytest.approx(4 * (2 * WORDS * HIDDEN + 40 * MEGA + 1000))


def test_a_bucket_goes_around_in_pieces_at_the_rate_of_their_size():
    """The rate doubles from 1 MB to 2 MB and stays at the largest that was seen."""
    network = "where,sender,sender_gpus,receiver,receiver_gpus,c2,c1,c0,max_bytes_per_s\n" + "".join(
        f"between,G,{pairs},G,{pairs},0.0,{pairs},{pairs},{3e9 * pairs}\n" for pairs in (1, 2)
    )
    source = toy_source(network=network)
    assert links.node_rate(source, "G", "G", 1, 1e6) == 1e9
    assert links.node_rate(source, "G", "G", 1, 2e6) == 2e9
    assert links.node_rate(source, "G", "G", 2, 2e6) == 4e9
    assert links.node_rate(source, "G", "G", 1, 1e3) == 1e9  # the curve is not extended below its smallest message
    assert links.node_rate(source, "G", "G", 1, 1e9) == 3e9
    assert links.bucketed_ring_s(source, ["G", "G"], 1, 4e6) == pytest.approx(2 * 2e6 / 2e9)
    assert links.bucketed_ring_s(source, ["G", "G"], 1, 5e8 + 4e6) == pytest.approx(2 * 2.5e8 / 3e9 + 2 * 2e6 / 2e9)


def test_a_falling_parabola_stays_at_its_top():
    network = (
        "where,sender,sender_gpus,receiver,receiver_gpus,c2,c1,c0,max_bytes_per_s\nbetween,G,1,G,1,-1.0,4.0,1.0,9e9\n"
    )
    source = toy_source(network=network)
    assert links.node_rate(source, "G", "G", 1, 64e6) == links.node_rate(source, "G", "G", 1, 4e6) == 5e9


def test_the_row_that_is_predicted_is_never_fitted_to():
    """What others miss per unit is 1, 2 and 30; the median without the own row."""
    base, unit = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 5.0}, {"a": 1.0, "b": 2.0, "c": 1.0, "d": 10.0}
    measured = {"a": 2.0, "b": 5.0, "c": 31.0, "d": 999.0}
    found = leave_one_out(base, unit, measured, {"a", "b", "c"})
    assert found == {"a": 1 + 16.0, "b": 1 + 2 * 15.5, "c": 1 + 1.5, "d": 5 + 10 * 2.0}
