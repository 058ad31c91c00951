"""The wrapper is an environment as Gymnasium and its users expect it."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from rarlib.cost.ring import RingCost
from rarlib.env.core import SteppedRun
from rarlib.env.gym import SchedulingEnv
from tests.rarlib.env.test_core import CLUSTER, drawn

SLOTS = 6


def made(seed: int) -> SteppedRun:
    return SteppedRun(drawn(seed, 20), CLUSTER, RingCost(), slots=SLOTS)


class Lenient(SchedulingEnv):
    """Takes a forbidden action for the first that is allowed: the checker of Gymnasium knows no masks."""

    def step(self, action):
        allowed = self.action_masks()
        return super().step(int(action if allowed[action] else np.flatnonzero(allowed)[0]))


def episode(env: SchedulingEnv, seed: int | None) -> tuple[list[dict], list[float]]:
    """Observations and rewards of an episode of the first allowed start, or else the end of the pass."""
    seen, info = env.reset(seed=seed)
    assert info == {}
    found, rewards, over = [seen], [], False
    while not over:
        starts = np.flatnonzero(env.action_masks()[1 : SLOTS + 1])
        seen, reward, over, cut, info = env.step(np.int64(starts[0] + 1 if len(starts) else 0))
        assert not cut and info == {}
        found.append(seen)
        rewards.append(reward)
    return found, rewards


def same(one: list[dict], other: list[dict]) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(a[name], b[name]) for a, b in zip(one, other, strict=True) for name in a
    )


def test_the_checker_of_gymnasium_finds_nothing() -> None:
    """Spaces, types, shapes, seeds and what `step` and `reset` return; any other warning of it is an error here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Times and counts have no upper bound; nothing is rendered, and no name is registered for gymnasium.make.
        warnings.filterwarnings("ignore", message=".*maximum value is infinity")
        warnings.filterwarnings("ignore", message=".*alternative render modes")
        check_env(Lenient(made))


def test_the_checker_would_find_a_wrong_observation() -> None:

    class Wrong(Lenient):
        def reset(self, **given):
            seen, info = super().reset(**given)
            return {**seen, "nodes": seen["nodes"] + 2.0}, info

    with pytest.raises(AssertionError):
        check_env(Wrong(made))


@pytest.mark.parametrize("seed", [0, 5])
def test_every_observation_of_an_episode_is_in_the_space(seed: int) -> None:
    env = SchedulingEnv(made)
    found, rewards = episode(env, seed)
    assert all(env.observation_space.contains(seen) for seen in found)
    assert sum(rewards) == pytest.approx(-env.record().turnaround_s.mean(), rel=1e-9)


def test_a_seed_decides_the_episode_and_those_after_it() -> None:
    env, again, other = SchedulingEnv(made), SchedulingEnv(made), SchedulingEnv(made)
    first, second = episode(env, 3)[0], episode(env, None)[0]
    assert same(first, episode(again, 3)[0]) and same(second, episode(again, None)[0])
    assert not same(first, second)
    assert not same(first, episode(other, 4)[0])
