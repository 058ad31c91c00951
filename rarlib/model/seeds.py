"""One seed tree: every random stream is named by a key and independent of all others."""

import hashlib

import numpy as np


def stream(seed: int, *key: object) -> np.random.Generator:
    """Random generator for one purpose.

    The stream depends on `seed` and on the text of `key` alone: not on the order in which streams are
    requested, on the process, or on which other streams exist. Two schedulers compared on the same
    instance share the instance's stream (common random numbers) and have streams of their own besides.

    Args:
        seed: the experiment's master seed, >= 0.
        key: what the stream is for, e.g. `("instance", 7)` or `("scheduler", "random")`.
    """
    digest = hashlib.sha256("\x1f".join(str(k) for k in key).encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))
