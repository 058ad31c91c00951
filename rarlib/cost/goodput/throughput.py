"""The seven-parameter model of an iteration, and statistical efficiency.

Source: Qiao et al., "Pollux: Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning", OSDI 2021, section 3,
as used by Sia (SOSP 2023), section 3.2; McCandlish et al., arXiv 1812.06162, for the gradient noise scale.

| paper | here | unit |
|---|---|---|
| alpha_c, beta_c | `p[0]`, `p[1]`: gradients of `local` samples on one GPU | s, s per sample |
| alpha_n, beta_n | `p[2]`, `p[3]`: exchange between nodes | s, s per replica beyond two |
| alpha_r, beta_r | `p[4]`, `p[5]`: exchange inside a node | s, s per replica beyond two |
| gamma | `p[6]`: overlap, 1 none to 10 nearly all | 1 |
| s | `steps`: accumulation steps before the one that exchanges | 1 |
| M_0 | `first`: initial global batch | samples |
| g^2, v (Sia's code); phi = v / g^2 | `square`, `variance` | 1 |
"""

import math

import numpy as np
from numpy.typing import NDArray

from rarlib.model.jit import hot_kernel

TINY = 1e-8
"""Stands for a time of zero where a logarithm is taken (and bounds alphas and betas from below)."""


@hot_kernel
def compute_s(p: NDArray[np.float64], local: float) -> float:
    """T_grad: seconds to compute gradients of `local` samples."""
    return p[0] + p[1] * local


@hot_kernel
def exchange_s(p: NDArray[np.float64], nodes: float, replicas: float) -> float:
    """T_sync: seconds to exchange gradients, without overlap."""
    beyond = max(replicas - 2.0, TINY)
    if nodes > 1.0:
        return p[2] + p[3] * beyond
    if replicas > 1.0:
        return p[4] + p[5] * beyond
    return TINY


@hot_kernel
def overlapped(compute: float, exchange: float, gamma: float) -> float:
    """(T_grad^gamma + T_sync^gamma)^(1/gamma), computed without overflow."""
    large, small = max(compute, exchange), min(compute, exchange)
    if small <= TINY * large:
        return large
    return large * math.exp(math.log1p((small / large) ** gamma) / gamma)


@hot_kernel
def iteration_s(p: NDArray[np.float64], nodes: float, replicas: float, local: float, steps: float) -> float:
    """T_iter = s T_grad + (T_grad^gamma + T_sync^gamma)^(1/gamma)."""
    compute = compute_s(p, local)
    return steps * compute + overlapped(compute, exchange_s(p, nodes, replicas), p[6])


@hot_kernel
def gain(square: float, variance: float, scale: float) -> float:
    """Progress of one iteration with `scale` times the initial batch, in iterations with the initial batch."""
    below = variance / scale + square
    return (variance + square) / below if below > 0.0 else 1.0
