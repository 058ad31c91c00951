"""From cuts back to stages: which layers, how many copies, what they send and keep."""

import math

import numpy as np
from numpy.typing import NDArray

from rarlib.pipeline.graph import LayerGraph
from rarlib.pipeline.plan import Group, Stage
from rarlib.pipeline.recurrence import Cut, Level, price, stage_cuts
from rarlib.pipeline.states import States


class Unfolded:
    """Stages and groups of a plan, in pipeline order."""

    def __init__(self, graph: LayerGraph, states: States, levels: list[Level]) -> None:
        self.graph, self.states, self.levels = graph, states, levels
        self.stages: list[Stage] = []
        self.groups: list[list[Group]] = [[] for _ in levels]

    def add_levels(
        self,
        tables: list[NDArray[np.float64]],
        depth: int,
        row: int,
        state: int,
        around: tuple[tuple[int, float], ...] = (),
    ) -> None:
        """Append the stages of a segment from `row` to `state`, read back from the tables of the levels.

        `around`: replicas and synchronisation (seconds per byte) of the groups it is in, innermost first.
        """
        level = self.levels[depth]
        for cut in stage_cuts(level, tables[depth][row], row, state):
            begin = len(self.stages)
            inside = (self._copies(depth, cut, leads=cut.row == row), *around)
            if depth == 0:
                self.stages.append(self._stage(cut.row, cut.state, inside))
            else:
                self.add_levels(tables, depth - 1, cut.row, cut.state, inside)
            self._close(depth, cut, begin, leads=cut.row == row)

    def add_stage(self, cut: Cut) -> None:
        """Append a stage of a pipeline on one level."""
        begin, leads = len(self.stages), cut.row == 0
        self.stages.append(self._stage(cut.row, cut.state, (self._copies(0, cut, leads=leads),)))
        self._close(0, cut, begin, leads=leads)

    def _copies(self, depth: int, cut: Cut, *, leads: bool) -> tuple[int, float]:
        level = self.levels[depth]
        return cut.replicas, float((level.first if leads else level.later)[cut.replicas])

    def _close(self, depth: int, cut: Cut, begin: int, *, leads: bool) -> None:
        """Note the group whose stages are the ones from `begin` on."""
        time = np.empty(1)
        price(self.levels[depth], cut.row, cut.used, cut.replicas, leads, cut.state, time)
        self.groups[depth].append(Group((begin, len(self.stages)), cut.replicas, float(time[0])))

    def _stage(self, row: int, state: int, around: tuple[tuple[int, float], ...]) -> Stage:
        done, graph = self.states.done, self.graph
        mine = done[state] & ~done[row - 1] if row else done[state]
        weights = float(graph.parameter_bytes[mine].sum())
        replicas, sync_s = 1, 0.0
        for copies, per_byte in around:
            exchange = replicas * per_byte * weights
            sync_s = max(sync_s, exchange) if self.levels[0].overlap else sync_s + exchange
            replicas *= copies
        return Stage(
            layers=tuple(layer.name for layer, taken in zip(graph.layers, mine, strict=True) if taken),
            replicas=replicas,
            forward_s=float(graph.forward_s[mine].sum()),
            backward_s=float(graph.backward_s[mine].sum()),
            sync_s=sync_s,
            input_bytes=float(self.states.leaving_bytes[row - 1]) if row else 0.0,
            output_bytes=float(self.states.leaving_bytes[state]),
            parameter_bytes=weights,
            activation_bytes=float(graph.activation_bytes[mine].sum()),
        )


def in_flight(stages: list[Stage]) -> tuple[Stage, ...]:
    """1F1B keeps one minibatch and as many more as the workers after the stage need: ceil(after / replicas)."""
    after = sum(stage.replicas for stage in stages)
    counted = []
    for stage in stages:
        after -= stage.replicas
        counted.append(stage._replace(in_flight=math.ceil(after / stage.replicas) + 1))
    return tuple(counted)
