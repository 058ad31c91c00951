"""Reader of PipeDream's layer profiles, `graph.txt`.

    nodeID -- description -- forward_compute_time=F, backward_compute_time=B, activation_size=A, parameter_size=W
    <TAB>nodeID -- nodeID

A node line may end in ` -- stage_id=k`, which the authors' optimizer writes into its results and which is ignored here.
Units: F and B milliseconds per minibatch on one GPU (seconds here), A and W bytes. A layer with several outputs has
A = [a; b; ...], which counts as their sum. Nodes come in any order; edges may name nodes that come later.
Source: github.com/msr-fiddle/pipedream, graph/graph.py at commit 7db6a1c.
"""

from pathlib import Path

from rarlib.model import limits
from rarlib.model.errors import InputError
from rarlib.model.inputs import file_text
from rarlib.pipeline.graph import Layer, LayerGraph

FIELDS = ("forward_compute_time", "backward_compute_time", "activation_size", "parameter_size")


def read_graph(path: Path, minibatch: int | None = None) -> LayerGraph:
    """Read a layer profile.

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
