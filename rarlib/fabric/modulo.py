"""Whole numbers modulo 2^64, in steps that never overflow, so that plain Python and compiled code agree."""

import numpy as np

from rarlib.model.jit import hot_kernel

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@hot_kernel
def sum64(a: np.uint64, b: np.uint64) -> np.uint64:
    """Low 64 bits of a + b."""
    low = (a & _LOW) + (b & _LOW)
    high = (a >> _HALF) + (b >> _HALF) + (low >> _HALF)
    return (high << _HALF) | (low & _LOW)


@hot_kernel
def product64(a: np.uint64, b: np.uint64) -> np.uint64:
    """Low 64 bits of a b."""
    low = (a & _LOW) * (b & _LOW)
    cross = ((a >> _HALF) * (b & _LOW) & _LOW) + ((a & _LOW) * (b >> _HALF) & _LOW) + (low >> _HALF)
    return (cross << _HALF) | (low & _LOW)


@hot_kernel
def folded(x: np.uint64, value: np.uint64) -> np.uint64:
    """One step of splitmix64 (Steele, Lea, Flood 2014) that folds a value into the state x."""
    x ^= product64(sum64(value, _ONE), np.uint64(0x9E3779B97F4A7C15))
    x = product64(x ^ (x >> np.uint64(30)), np.uint64(0xBF58476D1CE4E5B9))
    x = product64(x ^ (x >> np.uint64(27)), np.uint64(0x94D049BB133111EB))
    return x ^ (x >> np.uint64(31))
