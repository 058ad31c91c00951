"""Parameters of every scheduler that is found, and constants of cost models, in runs of a few jobs."""

import math
import typing
from pathlib import Path
from typing import Any

from rarlib.cost.goodput.network import SpanningNetwork
from rarlib.cost.ring import RingCost
from rarlib.declared import scheduler_names
from rarlib.discovery import make_scheduler, parameters, scheduler_class
from rarlib.model.settings import ParameterRule, Within, interval_parameters, rules
from tests.rarlib.fuzz.case import Files, Target
from tests.rarlib.fuzz.draw import Draw
from tests.rarlib.fuzz.targets.own_runs import short_search, simulated

_APPLICATIONS = ("bert", "cifar10", "imagenet", "deepspeech2", "yolov3", "vgg-16", "")
_TRAIN_HOURS = ("bert", "cifar10", "deepspeech2", "")
"""Under goodput a job takes what its application takes; the others take days, which means thousands of passes."""
_CLUSTERS = ("2x4", "1x8", "t4:2x4,rtx:1x8", "t4:1x4", "a100:1x8,rtx:2x8", "3x1")
_HEAD = "submit_s,gpus,duration_s,min_gpus,max_gpus,application,adaptivity,batch_size\n"


_MOST_S, _MOST_PASSES = 2_000.0, 50
"""Time that the jobs of a trace take at most, one after the other, at scale 1; and passes that make no case long."""
_SEARCHES = {"limit"}
"""Parameters that limit a search: more than the usual value takes the time that was asked for, and is no hang."""
_LONG_S = 10.0
"""Passes further apart than this are few even if jobs take the hours of their applications (goodput)."""


def _trace(draw: Draw, interval_s: float, cost: str) -> bytes:
    """A few jobs at simple, fractional, tiny and huge times; short ones if passes are close together."""
    applications = _TRAIN_HOURS if cost == "goodput" else _APPLICATIONS
    scale = min(draw.one([1.0, 1.0, 0.01, 1e-6, 1e4]), interval_s * _MOST_PASSES / _MOST_S)
    rows = []
    for _ in range(draw.one([1, 2, 4, 7])):
        submit, duration = (round(draw.random.uniform(0.0, 100.0), draw.one([0, 2, 9])) * scale for _ in range(2))
        gpus = draw.one([1, 1, 2, 3, 4])
        least, most = draw.one([(gpus, gpus), (1, 2 * gpus)])
        rows.append(
            (submit, gpus, duration, least, most, draw.one(applications), draw.one(["adaptive", "rigid", ""]), 0)
        )
    return (_HEAD + "".join(",".join(map(str, row)) + "\n" for row in rows)).encode()


def _parameter(draw: Draw, kind: Any, rule: ParameterRule | None) -> str:
    """A value as text: within the rule, on its edges, outside of it, or anything."""
    if draw.chance(0.25):
        return draw.argument() if draw.chance(0.4) else draw.number().replace("\0", "")
    if rule is not None and not isinstance(rule, Within):
        return draw.one(rule.words)
    options = typing.get_args(kind) or (kind,)
    if bool in options:
        return draw.one(["true", "false", "1", "no"])
    if type(None) in options and draw.chance(0.2):
        return "none"
    whole = int in options
    if kind is tuple or typing.get_origin(kind) is tuple or any(typing.get_origin(each) is tuple for each in options):
        return ",".join(_number(draw, rule, whole) for _ in range(draw.one([0, 1, 2, 3])))
    return draw.one(["any", "pack"]) if str in options else _number(draw, rule, whole)


def _affordable(cls: type, key: str, text: str) -> str:
    """The value, or the usual one if it would be accepted and let every search take longer."""
    rule, usual = rules(cls).get(key), getattr(cls, key, None)
    if key not in _SEARCHES or not isinstance(rule, Within) or usual is None:
        return text
    return repr(usual) if usual < _float(text, usual) <= rule.high else text


def _number(draw: Draw, rule: ParameterRule | None, whole: bool) -> str:
    low, high = (rule.low, rule.high) if isinstance(rule, Within) else (-math.inf, math.inf)
    edges = [edge for edge in (low, high) if math.isfinite(edge)]
    if edges and draw.chance(0.4):
        edge = draw.one(edges)
        step = 1 if whole else draw.one([0.0, math.ulp(edge), 0.5])
        found = edge + draw.one([0, 0, step, -step])
    else:
        top = min(high, 1e12)
        found = max(low, 0.0) + math.exp(draw.random.uniform(-7.0, math.log(max(top, 2.0))))
    return str(int(found)) if whole else repr(float(found))


def _interval_s(name: str, words: list[str]) -> float:
    """The shortest time between two passes that a scheduler asks for, the less the more work it is told to do in each.

    A run of many passes, or of great effort in each, takes the time that was asked for: that is no hang.
    """
    given = dict(word.split("=", 1) for word in words if "=" in word)
    usual, interval_s, effort = make_scheduler(name), math.inf, 1.0
    for key, kind in parameters(type(usual)).items():
        value = _float(given.get(key), getattr(usual, key))
        if key in interval_parameters(type(usual)) and value > 0.0:
            interval_s = min(interval_s, value)
        elif kind is int:
            effort *= max(1.0, value / max(getattr(usual, key), 1))
    return interval_s / effort


def _float(text: str | None, usual: Any) -> float:
    try:
        return float(usual if text is None else text)
    except (TypeError, ValueError):
        return 1.0  # no number, or one that will be refused


def _scheduler(draw: Draw) -> tuple[Files, Any]:
    name = draw.one(scheduler_names())
    cls = scheduler_class(name)
    kinds, known = parameters(cls), rules(cls)
    words = []
    for key in draw.random.sample(list(kinds), min(len(kinds), draw.one([0, 1, 1, 1, 2, 3, 9]))):
        words += ["--param", f"{key.rstrip('_')}={_affordable(cls, key, _parameter(draw, kinds[key], known.get(key)))}"]
    words += short_search(name, {word.split("=", 1)[0] for word in words})
    interval_s = _interval_s(name, words)
    long = interval_s > _LONG_S
    cost = draw.one([getattr(cls, "made_for", ""), "", "ring", "trace", "goodput"])
    words += ["--cost", cost if long or cost != "goodput" else "ring"] if cost else []
    for option in ("--quantum", "--restart", "--tick", "--origin", "--seed"):
        if draw.chance(0.07):
            words += [option, draw.one(["0", "1", "0.3", "60", draw.argument()])]
    words += ["--preset", "sia"] if long and draw.chance(0.05) else []
    return {"t.csv": _trace(draw, interval_s, cost)}, [*words, "--scheduler", name, "--cluster", draw.one(_CLUSTERS)]


def _costs(draw: Draw) -> tuple[Files, Any]:
    model = draw.one([RingCost, SpanningNetwork])
    names = [name for name, kind in typing.get_type_hints(model).items() if kind is float]
    constants, longer = [], 1.0
    for name in draw.random.sample(names, draw.one([1, 1, 2, 3])):
        value = (
            draw.argument()
            if draw.chance(0.3)
            else draw.one(["0", "1e-6", "1e6", "0.5", "-1", "0.999999", draw.number()])
        )
        constants.append(f"{name}={value}")
        longer = max(longer, _float(value, 1.0))
    cost = "goodput" if model is SpanningNetwork else "ring"
    cost = draw.one([cost, cost, "trace"])
    words = ["--contention", ",".join(constants).replace("\0", ""), "--cost", cost]
    name = draw.one(["fifo", "sjf-bco", "las", draw.one(scheduler_names())])
    words += short_search(name)
    # Jobs may take as many times longer as the constant says, hence as many more passes.
    trace = _trace(draw, _interval_s(name, words) / min(longer, 1e9), cost)
    return {"t.csv": trace}, [*words, "--scheduler", name, "--cluster", draw.one(_CLUSTERS)]


def _values(draw: Draw) -> tuple[Files, Any]:
    name = draw.one(scheduler_names())
    keys = [key.rstrip("_") for key in parameters(scheduler_class(name))] or ["none"]
    return {}, {"scheduler": name, "params": {draw.one(keys): draw.tree() for _ in range(draw.one([1, 1, 2]))}}


def _make(inputs: Path, given: Any) -> None:
    make_scheduler(given["scheduler"], given["params"])


TARGETS = (
    Target("scheduler", _scheduler, simulated, 6.0),
    Target("scheduler-values", _values, _make),
    Target("cost", _costs, simulated, 1.5),
)
