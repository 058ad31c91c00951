"""The setting that the agent is trained and judged in, and what it sees of a run."""

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rarlib.env.core import SteppedRun
from rarlib.env.gym import SchedulingEnv
from rarlib.evaluation.workloads import EvaluationSetting

TRAINING = EvaluationSetting("training", "few jobs on a small cluster", cluster="4x4", load=0.9, jobs=40)
HELD_OUT = replace(TRAINING, name="held out")
"""The same laws; the name of a setting is part of the key of its draws, so no draw of it is met in training."""
SLOTS = 8
SECONDS = 600.0
"""Rewards are divided by this: about the running time of a typical job."""


def stepped(setting: EvaluationSetting, seed: int) -> SteppedRun:
    """The run of a draw."""
    jobs, cluster, cost = setting.draw(seed)
    return SteppedRun(jobs, cluster, cost, slots=SLOTS)


class Features(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Observations as one array of numbers near 1: logarithms of counts, seconds and GPU-seconds, in one row."""

    def __init__(self, setting: EvaluationSetting) -> None:
        self.scheduling = SchedulingEnv(lambda seed: stepped(setting, seed))
        super().__init__(self.scheduling)
        size = len(self.observation(self.scheduling.observation_space.sample()))
        self.observation_space = gymnasium.spaces.Box(0.0, np.inf, (size,), np.float32)

    def observation(self, observation: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        """Shape (2 K * 4 + nodes + 3,), float32."""
        jobs, nodes, counts = observation["jobs"], observation["nodes"], observation["counts"]
        seen = np.concatenate((np.log1p(jobs).ravel() / 5.0, nodes, np.log1p(counts)))
        return seen.astype(np.float32)

    def step(self, action: int) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As the environment's, rewards in units of `SECONDS`."""
        seen, reward, over, cut, info = super().step(action)
        return seen, float(reward) / SECONDS, over, cut, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Actions that are allowed, without those that stop a job: shape (2 K + 1,)."""
        allowed = self.scheduling.action_masks()
        allowed[SLOTS + 1 :] = False
        return allowed
