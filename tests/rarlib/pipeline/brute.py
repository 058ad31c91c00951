"""The planner's problem by enumeration, straight from the definition: every sequence of cuts, every split of machines.

Nothing here is shared with the planner but the layer graph. Graphs have one source and few layers.
"""

import math
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise, product

from rarlib.pipeline.graph import LayerGraph


def closed_sets(graph: LayerGraph) -> list[frozenset[int]]:
    """Sets of layers that hold all predecessors of their members, the empty one included."""
    found = []
    for bits in product((False, True), repeat=len(graph)):
        chosen = frozenset(at for at, bit in enumerate(bits) if bit)
        if all(set(graph.before[at]) <= chosen for at in chosen):
            found.append(chosen)
    return found


def crossing(graph: LayerGraph, done: frozenset[int], variant: str) -> float:
    """Bytes that leave a set of finished layers."""
    if variant == "published":
        return sum(graph.activation_bytes[u] for u in done if set(graph.after[u]) - done)
    last = {u for u in done if not set(graph.after[u]) & done}
    kept = set(last)
    for end in last:
        above = predecessors(graph, end)
        kept |= {u for u in above if set(graph.after[u]) - above - {end}}
    return sum(graph.activation_bytes[u] for u in kept)


def predecessors(graph: LayerGraph, layer: int) -> set[int]:
    found: set[int] = set()
    for before in graph.before[layer]:
        found |= {before} | predecessors(graph, before)
    return found


@dataclass
class Problem:
    """A graph, a hierarchy and the options of the planner. `fastest` is the answer."""

    graph: LayerGraph
    machines: tuple[int, ...]
    bandwidth: tuple[float, ...]
    variant: str
    straight: bool = False
    memory: float = math.inf
    fewer: bool = False
    ratio: float | None = None

    def __post_init__(self):
        self.sets = closed_sets(self.graph)
        self.whole = frozenset(range(len(self.graph)))
        self.published = self.variant == "published"
        if self.published:
            self.ratio = self.ratio or 1.0

    def fastest(self):
        """Time of the best pipeline, by trying them all; inf where there is none."""
        return self.segment(frozenset(), self.whole, len(self.machines))

    def segment(self, start, end, level):
        """Best pipeline of the layers between two sets on one component of a level."""
        if level == 0:
            return sum(self.graph.forward_s[u] + self.graph.backward_s[u] for u in end - start)
        between = sorted((s for s in self.sets if start < s < end), key=len)
        best = math.inf
        for stages in range(1, self.machines[level - 1] + 1):
            for inner in combinations(between, stages - 1):
                cuts = [start, *inner, end]
                if all(a < b for a, b in pairwise(cuts)):
                    for places in self.seats(cuts, self.machines[level - 1]):
                        best = min(best, self.slowest(cuts, places, level))
        return best

    def seats(self, cuts, total):
        """Every way to seat stages on components, as (replicas, components before which they end)."""
        stages = len(cuts) - 1
        single = not any(cuts[0] < s < cuts[1] for s in self.sets)
        for used in range(stages, total + 1) if self.fewer else [total]:
            for replicas in compositions(used, stages):
                if self.published:  # idle components are as if they were not there
                    idle = [[total - used] + [0] * (stages - 1)]
                else:  # they may follow any stage, but not the first if it is a single state
                    idle = [
                        [0, *after[:-1]]
                        for after in product(range(total - used + 1), repeat=stages)
                        if sum(after) == total - used and not (single and after[0])
                    ]
                for before in idle:
                    ends = accumulate(r + gap for r, gap in zip(replicas, before, strict=True))
                    yield list(zip(replicas, ends, strict=True))

    def slowest(self, cuts, places, level):
        """Time of one pipeline; inf if it breaks an option."""
        m = self.machines[level - 1]
        workers_below = math.prod(self.machines[: level - 1])
        times = [0.0]
        for at, (r, used) in enumerate(places):
            layers = cuts[at + 1] - cuts[at]
            weight = sum(self.graph.parameter_bytes[u] for u in layers)
            held = weight + sum(self.graph.activation_bytes[u] for u in layers)
            kept = math.ceil((m - used) / r) + self.published
            if kept * held > self.memory * (workers_below if self.published else 1) or (self.straight and r > 1):
                return math.inf
            compute = self.segment(cuts[at], cuts[at + 1], level - 1)
            if self.published:
                times.append(self.as_published(compute, weight, r, level))
            else:
                times.append(self.as_coded(compute, weight, r, level, leads=at == 0))
            if at:
                times += self.boundaries(cuts[at], cuts[at + 1], r, level)
        return max(times)

    def as_published(self, compute, weight, r, level):
        return max(compute, 2 * (r - 1) * weight / self.bandwidth[level - 1]) / r

    def as_coded(self, compute, weight, r, level, *, leads):
        below = self.machines[level - 2] if level > 1 and leads else 1
        return (compute + 4 * (r - 1) * weight / (self.bandwidth[level - 1] * r) / below) / r

    def boundaries(self, start, end, r, level):
        """Times of what enters and leaves a stage that is not the first."""
        b = self.bandwidth[level - 1]
        if self.ratio is None:
            return []
        if self.published:
            return [2 * crossing(self.graph, start, self.variant) / b / self.ratio]
        crossed = [start] if end == self.whole else [start, end]
        return [2 * crossing(self.graph, cut, self.variant) / (b * r) / self.ratio for cut in crossed]


def compositions(total, parts):
    """All ways to write a number as an ordered sum of positive parts."""
    for bars in combinations(range(1, total), parts - 1):
        yield [b - a for a, b in pairwise([0, *bars, total])]
