"""Layer graphs as plain lists, in the pipeline's own files."""

from collections.abc import Mapping
from typing import Any

from rarlib.pipeline.graph import Layer, LayerGraph


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
