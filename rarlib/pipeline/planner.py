"""PipeDream's planner: how to cut a model into stages and replicate them on a hierarchy of machines.

Source: Narayanan, Harlap, Phanishayee, Seshadri, Devanur, Ganger, Gibbons, Zaharia, "PipeDream: Generalized Pipeline
Parallelism for DNN Training", SOSP 2019, doi 10.1145/3341301.3359646, section 3.1, and the authors' optimizer,
github.com/msr-fiddle/pipedream at commit 7db6a1c (optimizer/optimizer_graph_hierarchical.py).

| paper | here | unit |
|---|---|---|
| T_l, a_l, w_l | columns of `LayerGraph` | s, bytes, bytes |
| k, m_k, B_k | level, `machines[k]`, `bandwidth[k]` | 1, components, bytes/s |
| A^k(i -> j, m) | `recurrence.solve` | s |
| T^k(i -> j, m) | `recurrence.price` | s |

    T^k(i->j, m) = max( A^{k-1}(i->j, m_{k-1}), 2 (m-1) W / B_k ) / m
    A^k(i->j, m) = min( T^k(i->j, m), min over s, m' of max( A^k(i->s, m-m'), 2 a_s / B_k, T^k(s+1->j, m') ) )

The code differs from the paper, and both are here (`variant`):

| | published | as coded |
|---|---|---|
| synchronisation, m replicas | 2 (m-1) W / B, overlaps computing | 4 (m-1) W / (m B), added; see below |
| boundary, m replicas | 2 a / B where it enters | 2 a / (m B) at both ends, only if `compression` is given |
| bytes across a cut, branches | `States.leaving_bytes` | `States.frontier_bytes` |
| memory, M - m follow m | (ceil((M-m)/m) + 1) (activations + weights) | without the + 1 |
| memory of a component | its workers' together | one worker's |
| idle components, if allowed | keep no minibatches | count for memory; none in a segment of one state |

As coded, the first stage of a level's pipeline synchronises as many times faster as the level below has components.

One thing of the code is not followed: on inner levels it also tries segments between states of which neither contains
the other. Their cost is no stage's, and which of them exist depends on the order of its hash tables; on the profiles at
hand they change no result. The published recurrence is for chains; here both run over the states of `states.py`. On
several levels the memory limit is a test per level, as in the code, so a plan can exceed it: see `Plan.fits`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rarlib.model.errors import InputError
from rarlib.model.jit import kernel
from rarlib.model.limits import COMPONENTS
from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.plan import Plan
from rarlib.pipeline.recurrence import Level, fixed_cuts, solve
from rarlib.pipeline.states import States, states_of, trimmed
from rarlib.pipeline.unfold import Unfolded, in_flight

PLANNER_VARIANTS = ("published", "as-coded")


@dataclass(frozen=True)
class Options:
    """How to plan."""

    variant: str = "published"  # `published` or `as-coded`
    straight: bool = False  # no replication
    memory: float | None = None  # bytes of a worker; None: no limit
    use_fewer_machines: bool = False  # whether components may stay idle
    # boundary transfers are divided by it; None: 1 as published, not counted at all as coded
    compression: float | None = None
    max_states: int = 2000  # most states of the recurrence; graphs with more are cut in fewer places, see `states.py`

    def __post_init__(self) -> None:
        if self.variant not in PLANNER_VARIANTS:
            raise InputError(f"must be one of {', '.join(PLANNER_VARIANTS)}, found {self.variant!r}", field="--variant")
        if self.memory is not None:
            _check_positive(self.memory, "--memory")
        if self.compression is not None:
            _check_positive(self.compression, "--compression")
        if self.max_states < 1:
            raise InputError(f"must be at least 1, found {self.max_states}", field="--max-states")


def plan_pipeline(
    graph: LayerGraph, machines: Sequence[int], bandwidth: Sequence[float], options: Options | None = None
) -> Plan:
    """The pipeline with the fastest slowest stage.

    Args:
        graph: the model; inputs are left out, see `states.trimmed`.
        machines: components per level, innermost first.
        bandwidth: bytes per second of each level's links.
        options: the variant and its switches.

    Raises:
        InputError: a number out of range, an unconnected graph, or no pipeline that satisfies the options.
    """
    options = options or Options()
    _check_machines(machines, bandwidth)
    graph = trimmed(graph)
    states = states_of(graph, options.max_states)
    levels, tables, segment_s = [], [], _segments(states)
    for depth in range(len(machines)):
        levels.append(_level(states, segment_s, machines, bandwidth, depth, options))
        outermost = depth == len(machines) - 1
        tables.append(solve(levels[-1], 1 if outermost else len(segment_s)))
        segment_s = np.ascontiguousarray(tables[-1][:, -1, :])
    time = float(segment_s[0, -1])
    if not np.isfinite(time):
        raise InputError(f"no pipeline on {'x'.join(map(str, machines))} machines satisfies these options")
    found = Unfolded(graph, states, levels)
    found.add_levels(tables, len(machines) - 1, 0, len(states.compute_s) - 1)
    bound = time if states.method == "antichains" else min(time, _lower_bound(graph, levels, machines))
    return _plan(found, machines, bandwidth, options, time, bound)


def plan_configuration(
    graph: LayerGraph, replicas: Sequence[int], bandwidth: float, options: Options | None = None
) -> Plan:
    """The fastest pipeline whose stages have the given replicas, in order, over links of one bandwidth.

    Raises:
        InputError: a number out of range, an unconnected graph, or fewer states than stages.
    """
    options = options or Options()
    workers = [sum(replicas)]
    _check_machines([*replicas, *workers], [bandwidth] * (len(replicas) + 1))
    graph = trimmed(graph)
    states = states_of(graph, options.max_states)
    level = _level(states, _segments(states), workers, [bandwidth], 0, options)
    stages = fixed_cuts(level, replicas)
    if not stages:
        raise InputError(f"no pipeline {'-'.join(map(str, replicas))} satisfies these options")
    found = Unfolded(graph, states, [level])
    for cut in stages:
        found.add_stage(cut)
    time = max(group.time_s for group in found.groups[0])
    return _plan(found, workers, [bandwidth], options, time, time if states.method == "antichains" else 0.0)


def _plan(
    found: Unfolded, machines: Sequence[int], bandwidth: Sequence[float], options: Options, time: float, bound: float
) -> Plan:
    states = found.states
    whole, weights = float(states.compute_s[-1]), float(states.parameter_bytes[-1])
    return Plan(
        variant=options.variant,
        machines=tuple(machines),
        bandwidth=tuple(bandwidth),
        pipeline_time_s=time,
        stages=in_flight(found.stages),
        levels=tuple(map(tuple, found.groups)),
        data_parallel_time_s=_replicated(found.levels, whole, weights),
        single_machine_time_s=whole,
        states=len(states.compute_s),
        method=states.method,
        exact=bound >= time * (1.0 - 1e-12),
        lower_bound_s=bound,
        memory=options.memory,
    )


def _check_machines(machines: Sequence[int], bandwidth: Sequence[float]) -> None:
    if not machines or min(machines) < 1:
        raise InputError("must name at least one component per level", field="--machines")
    COMPONENTS.check(max(machines), field="--machines")
    if len(machines) != len(bandwidth):
        raise InputError(f"must name one value per level, {len(machines)}, found {len(bandwidth)}", field="--bandwidth")
    for value in bandwidth:
        _check_positive(value, "--bandwidth")


def _check_positive(value: float, option: str) -> None:
    if not (np.isfinite(value) and value > 0.0):
        raise InputError(f"must be a finite number above 0, found {value}", field=option)


def _segments(states: States) -> NDArray[np.float64]:
    """Computing time of every segment, shape (states + 1, states); inf where the row's state is not inside."""
    times = np.empty((len(states.compute_s) + 1, len(states.compute_s)))
    times[0] = states.compute_s
    _fill_segments(states.inside, states.compute_s, times[1:])
    return times


@kernel
def _fill_segments(inside: NDArray[np.bool_], compute_s: NDArray[np.float64], times: NDArray[np.float64]) -> None:
    for i in range(len(compute_s)):
        for j in range(len(compute_s)):
            times[i, j] = compute_s[j] - compute_s[i] if inside[i, j] else np.inf


def _level(
    states: States,
    segment_s: NDArray[np.float64],
    machines: Sequence[int],
    bandwidth: Sequence[float],
    depth: int,
    options: Options,
) -> Level:
    """Prices of one level, see the table in the module's docstring."""
    m, b, published = machines[depth], bandwidth[depth], options.variant == "published"
    r = np.arange(m + 1, dtype=np.float64)
    r[0] = 1.0
    counted = 1.0 / (options.compression or 1.0) if published or options.compression else 0.0
    crossing = states.leaving_bytes if published else states.frontier_bytes
    crossing = np.where(np.arange(len(crossing)) < len(crossing) - 1, crossing, 0.0)
    if published:
        first = later = 2.0 * (r - 1.0) / b
        enter, leave = np.full(m + 1, 2.0 * counted / b), np.zeros(m + 1)
    else:
        later = 4.0 * (r - 1.0) / (b * r)
        first = later / (machines[depth - 1] if depth else 1)
        enter = leave = 2.0 * counted / (b * r)
    memory = np.inf if options.memory is None else options.memory
    return Level(
        segment_s=segment_s,
        weights=np.concatenate([[0.0], states.parameter_bytes]),
        activations=np.concatenate([[0.0], states.activation_bytes]),
        entering=np.concatenate([[0.0], crossing]),
        leaving=crossing,
        first=first,
        later=later,
        enter=enter,
        leave=leave,
        stash=np.ceil((m - r)[:, None] / r[None, :]) + published,
        memory=float(memory * (math.prod(machines[:depth]) if published else 1)),
        widest=1 if options.straight else m,
        overlap=published,
        idle_ahead=published and options.use_fewer_machines,
        idle_after=not published and options.use_fewer_machines,
    )


def _replicated(levels: list[Level], compute_s: float, weights: float) -> float:
    """Time per minibatch when every worker holds all layers."""
    for level in levels:
        m = len(level.first) - 1
        exchange = float(level.first[m]) * weights
        compute_s = (max(compute_s, exchange) if level.overlap else compute_s + exchange) / m
    return compute_s


def _lower_bound(graph: LayerGraph, levels: list[Level], machines: Sequence[int]) -> float:
    """A time that no pipeline beats, whatever its cuts: all work spread evenly, or the stage of the slowest layer.

    A stage is no faster than any of its layers alone would be on the number of replicas that suits that layer best.
    """
    time = graph.forward_s + graph.backward_s
    even = float(time.sum()) / math.prod(machines)
    for level in levels:
        choices = []
        for r in range(1, level.widest + 1):
            exchange = level.first[r] * graph.parameter_bytes
            choices.append((np.maximum(time, exchange) if level.overlap else time + exchange) / r)
        time = np.min(choices, axis=0)
    return max(even, float(time.max()))
