"""Cost models by name, and the numbers that they take from published code."""

import pytest

from rarlib.cost import named
from rarlib.cost.goodput.applications import APPLICATIONS, AS_IN_SIA, SharedCluster
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.named import cost_model_names, make_cost_model
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.errors import InputError


def test_cost_models_by_name(monkeypatch):
    """Three of rarlib's own, the plainest first, then those of packages; constants as text or by name."""
    monkeypatch.setattr(named, "added_cost_models", lambda: {"theirs": None})
    assert cost_model_names() == ["trace", "ring", "goodput", "theirs"]
    assert make_cost_model() == make_cost_model("trace") == TraceCost()
    assert make_cost_model("ring") == RingCost()
    for given in ("alpha=0.5, gbps=25", {"alpha": 0.5, "gbps": 25.0}):
        assert make_cost_model("ring", given) == RingCost(alpha=0.5, gbps=25.0)
        assert make_cost_model("goodput", given).network == SpanningNetwork(alpha=0.5, gbps=25.0)
        with pytest.raises(InputError, match="--contention: recorded durations have no contention"):
            make_cost_model("trace", given)
    assert make_cost_model("goodput").network is None
    assert make_cost_model("goodput", "").network == make_cost_model("goodput", {}).network == SpanningNetwork()
    with pytest.raises(InputError, match=r"--cost: unknown cost model 'rign'; did you mean 'ring'.*, goodput, theirs$"):
        make_cost_model("rign")


PUBLISHED = """
cifar10      100   50   30  1.8
bert           2  120  120  1.2
deepspeech2   80   25   25  1.2
yolov3        50   80   45  1.2
imagenet      90  250  250  1.2
ncf           10   15   30  1.5
gpt_pmp        2   30   30  1.0
"""
"""As in Sia's artifact: epochs, seconds of a start, the same as Sia believes, slow-down in a shared cluster."""


def test_applications_are_the_published_ones():
    """Digit by digit, and no application more; the pipelines of GPT are in the same file of the artifact."""
    rows = {name: tuple(map(float, rest)) for name, *rest in map(str.split, PUBLISHED.strip().splitlines())}
    found = APPLICATIONS.items()
    assert {n: (a.epochs, a.restart_s, a.believed_restart_s, a.slowdown) for n, a in found} == rows
    assert {name: dict(app.largest_local) for name, app in found if app.largest_local} == {"deepspeech2": {"rtx": 57}}
    assert {name: (dict(app.stages), app.microbatches) for name, app in found if app.stages} == {
        "gpt_pmp": ({"rtx": 8, "a100": 2}, 48)
    }
    assert SharedCluster() == AS_IN_SIA == (True, None)
