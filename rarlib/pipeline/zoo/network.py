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

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

from rarlib.pipeline.graph import Layer, LayerGraph

WINOGRAD = 2.25
"""A 3x3 convolution of stride 1 needs 2.25 times fewer multiplications as F(2x2, 3x3) (Lavin, Gray, CVPR 2016)."""


@dataclass(frozen=True)
class Device:
    """A GPU, and how long an operator takes on it, by its arithmetic and its memory traffic.

        seconds = kernels * launch_s + max(flops / (peak_flops * efficiency[kind]), traffic / (memory_rate * reach))

    The slower of arithmetic and memory decides (roofline; Williams, Waterman, Patterson, CACM 2009, doi
    10.1145/1498765.1498785). Peak rates are the vendor's for fp32. The fractions of peak are round numbers of what fp32
    libraries reach on large operators, fitted to no profile; they serve where nothing was measured.

    Attributes:
        name: as its vendor calls it.
        peak_flops: fp32 operations per second.
        memory_rate: bytes per second of its memory.
        efficiency: kind of arithmetic -> fraction of `peak_flops` reached; `elementwise` operators are bound by memory.
        reach: fraction of `memory_rate` reached.
        launch_s: seconds to launch a kernel.
    """

    name: str
    peak_flops: float
    memory_rate: float
    efficiency: Mapping[str, float] = field(
        default_factory=lambda: {"convolution": 0.5, "matrix": 0.7, "elementwise": 0.5}
    )
    reach: float = 0.75
    launch_s: float = 10e-6

    def seconds(self, kind: str, flops: float, traffic_bytes: float, kernels: int = 1) -> float:
        """Time of an operator that reads and writes `traffic_bytes` in all.

        Raises:
            KeyError: for a kind of arithmetic without an efficiency.
        """
        arithmetic = flops / (self.peak_flops * self.efficiency[kind])
        return kernels * self.launch_s + max(arithmetic, traffic_bytes / (self.memory_rate * self.reach))


V100 = Device("Tesla V100 16 GB", 15.7e12, 900e9)
TITAN_X = Device("Titan X (Pascal)", 10.97e12, 480e9)
"""Two cards were sold under this name; the paper does not say which. This is the newer one."""


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
    """A model under construction: every operator appends a layer, priced by a GPU, and returns its output."""

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
        """Append an operator, which reads `inputs` in order and returns a tensor of `shape`, the minibatch first.

        `kind` is a key of `Device.efficiency`, `parameters` a number of weights, `flops` of operations forward. Besides
        its main output it returns `extra_outputs` elements, and reads `again` elements more than once. It launches so
        many `kernels`; 0 for an operator that only renames data and takes no time.
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
