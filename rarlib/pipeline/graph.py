"""A model as the planner sees it: layers with their costs, and the edges between them."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.inputs import file_text


class Layer(NamedTuple):
    """One operator of a model, measured or computed for a whole minibatch on one GPU."""

    name: str  # unique in its graph
    description: str = ""  # what it is, for the reader
    forward_s: float = 0.0  # seconds of the forward pass
    backward_s: float = 0.0  # seconds of the backward pass
    activation_bytes: float = 0.0  # size of its output
    parameter_bytes: float = 0.0  # size of its weights


@dataclass(frozen=True, eq=False)
class LayerGraph:
    """Layers and edges, checked and put in topological order (the given order wherever it is free).

    Raises:
        InputError: no layer, an empty or repeated name, a number that is negative or not finite, an edge to an unknown
            layer or from a layer to itself, a cycle. `field` names the layer, or the edge as `a -- b`.
    """

    layers: tuple[Layer, ...]  # in topological order
    # pairs of layer names (from, to); one that is given several times counts once
    edges: tuple[tuple[str, str], ...] = ()
    minibatch: int | None = None  # samples per minibatch the numbers hold for; None: unknown
    forward_s: NDArray[np.float64] = field(init=False, repr=False)  # the layers' columns, shape (layers,)
    backward_s: NDArray[np.float64] = field(init=False, repr=False)
    activation_bytes: NDArray[np.float64] = field(init=False, repr=False)
    parameter_bytes: NDArray[np.float64] = field(init=False, repr=False)
    given: tuple[int, ...] = field(init=False, repr=False)  # position of each layer in the sequence given
    # positions of the direct predecessors of each layer
    before: tuple[tuple[int, ...], ...] = field(init=False, repr=False)
    after: tuple[tuple[int, ...], ...] = field(init=False, repr=False)  # positions of its direct successors

    def __post_init__(self) -> None:
        _check_layers(self.layers)
        _check_edges(self.layers, self.edges)
        edges = tuple(dict.fromkeys(self.edges))
        if self.minibatch is not None and self.minibatch < 1:
            raise InputError(f"must be at least 1, found {self.minibatch}", field="minibatch")
        given = _topological(self.layers, edges)
        layers = [self.layers[at] for at in given]
        place = {layer.name: at for at, layer in enumerate(layers)}
        before: list[list[int]] = [[] for _ in layers]
        after: list[list[int]] = [[] for _ in layers]
        for a, b in edges:
            before[place[b]].append(place[a])
            after[place[a]].append(place[b])
        derived = {
            "layers": tuple(layers),
            "edges": edges,
            **{name: np.array([getattr(layer, name) for layer in layers], dtype=np.float64) for name in COSTS},
            "given": tuple(given),
            "before": tuple(tuple(sorted(some)) for some in before),
            "after": tuple(tuple(sorted(some)) for some in after),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.layers)

    @classmethod
    def chain(cls, layers: Iterable[Layer], minibatch: int | None = None) -> "LayerGraph":
        """Layers one after the other, without branches."""
        layers = tuple(layers)
        return cls(layers, tuple((a.name, b.name) for a, b in pairwise(layers)), minibatch)

    def without(self, names: Iterable[str]) -> "LayerGraph":
        """The graph without some layers and their edges."""
        gone = set(names)
        as_given = sorted(zip(self.given, self.layers, strict=True))
        return LayerGraph(
            tuple(layer for _, layer in as_given if layer.name not in gone),
            tuple((a, b) for a, b in self.edges if a not in gone and b not in gone),
            self.minibatch,
        )


COSTS = ("forward_s", "backward_s", "activation_bytes", "parameter_bytes")


def _check_layers(layers: Sequence[Layer]) -> None:
    if not layers:
        raise InputError("must hold at least one layer")
    seen = set()
    for layer in layers:
        if not layer.name:
            raise InputError("a layer must have a name")
        if layer.name in seen:
            raise InputError("a layer of this name exists already", field=layer.name)
        seen.add(layer.name)
        for name in COSTS:
            value = getattr(layer, name)
            if not (np.isfinite(value) and value >= 0.0):
                raise InputError(f"{name} must be a finite number of at least 0, found {value}", field=layer.name)


def _check_edges(layers: Sequence[Layer], edges: Sequence[tuple[str, str]]) -> None:
    names = {layer.name for layer in layers}
    for a, b in edges:
        edge = f"{a} -- {b}"
        if a not in names or b not in names:
            raise InputError(f"the edge names {a if a not in names else b}, which is not a layer", field=edge)
        if a == b:
            raise InputError("a layer cannot follow itself", field=edge)


def _topological(layers: Sequence[Layer], edges: Sequence[tuple[str, str]]) -> list[int]:
    """Among layers whose predecessors all stand in the order already, the one given first comes next."""
    place = {layer.name: at for at, layer in enumerate(layers)}
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(layers)), ()))
    for a, b in edges:
        sorter.add(place[b], place[a])
    try:
        sorter.prepare()
    except CycleError as error:
        raise InputError("the edges form a cycle through this layer", field=layers[min(error.args[1])].name) from None
    ready: list[int] = []
    order: list[int] = []
    while sorter.is_active():
        for at in sorter.get_ready():
            heapq.heappush(ready, at)
        order.append(heapq.heappop(ready))
        sorter.done(order[-1])
    return order


def to_json(graph: LayerGraph) -> dict[str, Any]:
    """A graph as plain lists; sizes and times keep all their digits."""
    return {
        "minibatch": graph.minibatch,
        "layers": [list(layer) for layer in graph.layers],
        "edges": [list(edge) for edge in graph.edges],
    }


def from_json(table: Mapping[str, Any]) -> LayerGraph:
    """The graph that `to_json` wrote."""
    return LayerGraph(
        tuple(Layer(*layer) for layer in table["layers"]),
        tuple((a, b) for a, b in table["edges"]),
        table["minibatch"],
    )


FIELDS = ("forward_compute_time", "backward_compute_time", "activation_size", "parameter_size")


def read_graph(path: Path, minibatch: int | None = None) -> LayerGraph:
    """Read one of PipeDream's layer profiles, `graph.txt`.

        nodeID -- description -- forward_compute_time=F, backward_compute_time=B, activation_size=A, parameter_size=W
        <TAB>nodeID -- nodeID

    A node line may end in ` -- stage_id=k`, which the authors' optimizer writes into its results and which is ignored
    here. F and B are milliseconds per minibatch on one GPU (seconds here), A and W bytes. A layer with several outputs
    has A = [a; b; ...], which counts as their sum. Nodes come in any order; edges may name nodes that come later.
    Source: github.com/msr-fiddle/pipedream, graph/graph.py at commit 7db6a1c.

    Raises:
        InputError: no such file, or naming the row and field of the first line that breaks a rule.
    """
    text = file_text(path, limits.GRAPH_BYTES)
    layers: list[Layer] = []
    edges: list[tuple[str, str]] = []
    rows: dict[str, int] = {}  # row of each layer and edge, by its name in the graph's errors
    for row, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            if line.startswith("\t"):
                edge = _edge(line)
                edges.append(edge)
                rows[" -- ".join(edge)] = row
            else:
                layers.append(_layer(line))
                rows[layers[-1].name] = row
        except InputError as error:
            raise InputError(error.rule, file=path, row=row, field=error.field) from None
    try:
        return LayerGraph(tuple(layers), tuple(edges), minibatch)
    except InputError as error:
        raise InputError(error.rule, file=path, row=rows.get(error.field or ""), field=error.field) from None


def _edge(line: str) -> tuple[str, str]:
    ends = line.strip().split(" -- ")
    if len(ends) != 2:
        raise InputError(f"an edge must read 'from -- to', found {line.strip()!r}")
    return ends[0], ends[1]


def _layer(line: str) -> Layer:
    parts = line.strip().split(" -- ")
    if len(parts) not in (3, 4):
        raise InputError("a node must read 'id -- description -- costs', an edge must start with a tab")
    if len(parts) == 4 and not (parts[3].startswith("stage_id=") and parts[3][9:].isdigit()):
        raise InputError(f"must be stage_id=<number>, found {parts[3]!r}", field="stage_id")
    costs: dict[str, float] = {}
    for piece in parts[2].split(", "):
        name, equals, value = piece.partition("=")
        if not equals or name not in FIELDS:
            raise InputError(f"unknown field {name!r}; known: {', '.join(FIELDS)}", field=name)
        if name in costs:
            raise InputError("is given twice", field=name)
        costs[name] = _number(value, name)
    missing = [name for name in FIELDS if name not in costs]
    if missing:
        raise InputError("is missing", field=missing[0])
    forward, backward, activation, parameter = (costs[name] for name in FIELDS)
    return Layer(parts[0], parts[1], forward / 1000.0, backward / 1000.0, activation, parameter)


def _number(text: str, field: str) -> float:
    """A number, or the sum of a list of sizes."""
    listed = field == "activation_size" and text.startswith("[") and text.endswith("]")
    total = 0.0
    for entry in text[1:-1].split("; ") if listed else [text]:
        try:
            number = float(entry)
        except ValueError:
            raise InputError(f"must be a number, found {entry!r}", field=field) from None
        if not 0.0 <= number < float("inf"):
            raise InputError(f"must be a finite number of at least 0, found {entry!r}", field=field)
        total += number
    return total
