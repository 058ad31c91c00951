"""Cost models by name: which there are, what their constants are called, and what a package must offer."""

import dataclasses
from types import SimpleNamespace

import pytest

from rarlib.cost import named
from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.named import cost_model_names, make_cost_model
from rarlib.cost.pipelined import PipelinedCost
from rarlib.cost.ring import RingCost
from rarlib.cost.trace import TraceCost
from rarlib.model.errors import InputError


def test_cost_models_by_name(monkeypatch):
    """Four of rarlib's own, the plainest first, then those of packages; constants as text or by name."""
    point = SimpleNamespace(name="theirs", value="their:Model", dist=None, group="rarlib.cost_models")
    monkeypatch.setattr(named, "added_cost_models", lambda: {"theirs": point})
    assert cost_model_names() == ["trace", "ring", "pipelined", "goodput", "theirs"]
    assert make_cost_model() == make_cost_model("trace") == TraceCost()
    assert make_cost_model("ring") == RingCost() and make_cost_model("pipelined") == PipelinedCost(RingCost())
    for given in ("alpha=0.5, gbps=25", {"alpha": 0.5, "gbps": 25.0}):
        ring = RingCost(alpha=0.5, gbps=25.0)
        assert make_cost_model("ring", given) == ring and make_cost_model("pipelined", given) == PipelinedCost(ring)
        assert make_cost_model("goodput", given).network == SpanningNetwork(alpha=0.5, gbps=25.0)
        with pytest.raises(InputError, match="--contention: recorded durations have no contention"):
            make_cost_model("trace", given)
    assert make_cost_model("goodput").network is None
    assert make_cost_model("goodput", "").network == make_cost_model("goodput", {}).network == SpanningNetwork()
    with pytest.raises(InputError, match=r"--cost: unknown cost model 'rign'; did you mean 'ring'.*, goodput, theirs$"):
        make_cost_model("rign")
    for model, rule in (
        (SimpleNamespace(name="other", price=len), "must offer a dataclass with the name 'theirs' and a method price"),
        (SimpleNamespace(name="theirs", price=3), "must offer a dataclass with the name 'theirs' and a method price"),
        (SimpleNamespace(name="theirs", price=len), "must be a dataclass"),
    ):
        monkeypatch.setattr(named.plugins, "loaded", lambda _, model=model: model)
        with pytest.raises(InputError, match=rule):
            make_cost_model("theirs")
    fine = dataclasses.make_dataclass("Theirs", [("size", float, 1.0)], namespace={"name": "theirs", "price": len})
    monkeypatch.setattr(named.plugins, "loaded", lambda _: fine)
    assert make_cost_model("theirs").size == 1.0 and make_cost_model("theirs", {"size": 2.0}).size == 2.0
