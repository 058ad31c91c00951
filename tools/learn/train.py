"""Training of one agent, and its mean JCT on held-out draws beside that of the baselines."""

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from rarlib.discovery import make_scheduler
from rarlib.model.seeds import stream
from rarlib.simulator.engine import simulate
from tools.learn.setting import HELD_OUT, TRAINING, Features

BASELINES = ("fifo", "srtf")


def trained(seed: int, steps: int) -> MaskablePPO:
    """An agent after that many steps (0: as it was drawn).

    One thread, and algorithms of torch that give the same bits on the same machine. Other processors and versions of
    torch may add in another order, so their agents differ.
    """
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    number = int(stream(seed, "learn", "agent").integers(2**31))
    agent = MaskablePPO(
        "MlpPolicy",
        Features(TRAINING),
        n_steps=2048,
        batch_size=256,
        gamma=0.995,
        ent_coef=0.01,
        learning_rate=5e-4,
        policy_kwargs={"net_arch": [64, 64]},
        seed=number,
        device="cpu",
    )
    return agent.learn(steps) if steps else agent


def jct_of_agent(agent: MaskablePPO, draws: int) -> NDArray[np.float64]:
    """Mean JCT in seconds on each held-out draw, the most likely action taken each time; shape (draws,)."""
    env, found = Features(HELD_OUT), []
    for draw in range(draws):
        seen, _ = env.reset(seed=draw)
        over = False
        while not over:
            action, _ = agent.predict(seen, action_masks=env.action_masks(), deterministic=True)
            seen, _, over, _, _ = env.step(int(action))
        found.append(float(env.scheduling.record().turnaround_s.mean()))
    return np.array(found)


def jct_of_baseline(name: str, draws: int) -> NDArray[np.float64]:
    """Mean JCT in seconds of a built-in scheduler on the same draws; shape (draws,)."""
    found = []
    for draw in range(draws):
        jobs, cluster, cost = HELD_OUT.draw(draw)
        found.append(float(simulate(jobs, cluster, make_scheduler(name), cost, seed=draw).turnaround_s.mean()))
    return np.array(found)
