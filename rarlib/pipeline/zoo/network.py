"""Builds a layer graph from operators; sizes and times follow from the shapes.

| quantity | how |
|---|---|
| activation | 4 bytes for each element an operator returns |
| parameters | 4 bytes each |
| forward traffic | inputs, outputs and parameters once; what an operator reads again is counted again |
| backward traffic | twice the forward traffic: gradients beside values |
| backward arithmetic | twice the forward one for layers with parameters: gradients of input and weights |
| | once for other layers, and for a first layer, whose input needs no gradient |
"""

from math import prod
from typing import NamedTuple

from rarlib.pipeline.graph import Layer, LayerGraph
from rarlib.pipeline.zoo.device import Device

FP32 = 4


class Tensor(NamedTuple):
    """What an operator returns."""

    shape: tuple[int, ...]  # the minibatch first
    layer: str | None = None  # name of the operator; None for data that enter the model

    @property
    def elements(self) -> int:
        """Number of values."""
        return prod(self.shape)


class ModelBuilder:
    """A model under construction: every operator appends a layer and returns its output.

    Attributes:
        minibatch: samples per minibatch.
        device: the GPU that prices the layers.
    """

    def __init__(self, minibatch: int, device: Device) -> None:
        self.minibatch, self.device = minibatch, device
        self._layers: list[Layer] = []
        self._edges: list[tuple[str, str]] = []

    def data(self, *shape: int) -> Tensor:
        """Input data of this shape per sample; no layer."""
        return Tensor((self.minibatch, *shape))

    def operator(  # noqa: PLR0913 an operator has this many properties
        self,
        description: str,
        inputs: tuple[Tensor, ...],
        shape: tuple[int, ...],
        *,
        kind: str = "elementwise",
        parameters: int = 0,
        flops: float = 0.0,
        extra_outputs: int = 0,
        again: float = 0.0,
        kernels: int = 1,
    ) -> Tensor:
        """Append an operator.

        Args:
            description: what it is, for the reader.
            inputs: tensors it reads, in order.
            shape: shape of its main output, the minibatch first.
            kind: kind of arithmetic, a key of `Device.efficiency`.
            parameters: number of weights.
            flops: operations of the forward pass.
            extra_outputs: elements it returns besides the main output.
            again: elements it reads more than once, forward.
            kernels: kernels it launches; 0 for an operator that only renames data and takes no time.
        """
        name = f"{len(self._layers) + 1}-{description.partition('(')[0]}"
        outputs = prod(shape) + extra_outputs
        traffic = FP32 * (sum(t.elements for t in inputs) + outputs + parameters + again)
        sources = dict.fromkeys(t.layer for t in inputs if t.layer is not None)
        passes = 2 if sources and parameters else 1
        self._layers.append(
            Layer(
                name,
                description,
                self.device.seconds(kind, flops, traffic, kernels) if kernels else 0.0,
                self.device.seconds(kind, passes * flops, 2 * traffic, passes * kernels) if kernels else 0.0,
                float(FP32 * outputs),
                float(FP32 * parameters),
            )
        )
        self._edges += [(source, name) for source in sources]
        return Tensor(shape, name)

    def graph(self) -> LayerGraph:
        """The layers so far."""
        return LayerGraph(tuple(self._layers), tuple(self._edges), self.minibatch)
