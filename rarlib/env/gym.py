"""The environment as Gymnasium has it: a thin wrapper of `rarlib.env.core.SteppedRun` (extra `learn`).

`action_masks` is the method that MaskablePPO asks for.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rarlib.env.core import Observation, SteppedRun
from rarlib.env.looking import JOB_FEATURES
from rarlib.model.errors import InputError
from rarlib.model.extras import advice
from rarlib.simulator.run import Run

try:
    import gymnasium
except ImportError as error:
    raise InputError(advice(error)) from None


class SchedulingEnv(gymnasium.Env):
    """Jobs on a cluster; actions, observations and rewards are those of `rarlib.env.core`.

    Args:
        make: a run for a seed; all runs have the same cluster and the same number of slots.
    """

    def __init__(self, make: Callable[[int], SteppedRun]) -> None:
        self._make, self._run = make, make(0)
        nodes, slots = self._run.nodes, self._run.slots
        spaces, most = gymnasium.spaces, np.inf
        self.action_space = spaces.Discrete(2 * slots + 1)
        self.observation_space = spaces.Dict(
            {
                "jobs": spaces.Box(0.0, most, (2 * slots, len(JOB_FEATURES)), np.float32),
                "nodes": spaces.Box(0.0, 1.0, (nodes,), np.float32),
                "counts": spaces.Box(0.0, most, (3,), np.float32),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a run of another seed; without one, seeds follow from the last one that was given."""
        super().reset(seed=seed)
        number = seed if seed is not None else int(self.np_random.integers(2**31))
        self._run = self._make(number)
        return _as_dict(self._run.reset(number)), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take an action that `action_masks` allows."""
        seen, reward, over = self._run.step(int(action))
        return _as_dict(seen), reward, over, False, {}

    def record(self) -> Run:
        """The record of an episode that is over."""
        return self._run.record()

    def action_masks(self) -> NDArray[np.bool_]:
        """Actions that are allowed, shape (2 K + 1,)."""
        return self._run.mask()


def _as_dict(seen: Observation) -> dict[str, Any]:
    return seen._asdict()
