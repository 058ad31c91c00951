"""How long an operator takes on a GPU, by its arithmetic and its memory traffic.

    seconds = kernels * launch_s + max(flops / (peak_flops * efficiency[kind]), traffic_bytes / (memory_rate * reach))

The slower of arithmetic and memory decides (roofline; Williams, Waterman, Patterson, CACM 2009, doi
10.1145/1498765.1498785). Peak rates are the vendor's for fp32. The fractions of peak are round numbers of what fp32
libraries reach on large operators, stated here and fitted to no profile; they serve where nothing was measured.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

WINOGRAD = 2.25
"""A 3x3 convolution of stride 1 needs 2.25 times fewer multiplications as F(2x2, 3x3) (Lavin, Gray, CVPR 2016)."""


@dataclass(frozen=True)
class Device:
    """A GPU.

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
