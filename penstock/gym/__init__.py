# SPDX-License-Identifier: GPL-2.0-only
"""Gymnasium's environments over the simulator; needs the extra `gym`.

>>> import gymnasium
>>> import penstock.gym
>>> env = gymnasium.make("penstock/Link-v0", scenario="link", flows=1, episode="1s")
>>> observation, info = env.reset(seed=7)
>>> env.step(env.action_space.sample())[2:4]
(False, False)
"""

try:
    import gymnasium
except ImportError as error:
    raise ImportError(
        "gymnasium is missing; tools/setup --extra gym in the checkout, or pip install 'WHEEL[gym]'"
    ) from error

from penstock.gym.envs import LinkEnv, LinkVectorEnv

__all__ = ["LinkEnv", "LinkVectorEnv"]

gymnasium.register(
    "penstock/Link-v0",
    entry_point="penstock.gym.envs:LinkEnv",
    vector_entry_point="penstock.gym.envs:LinkVectorEnv",
)
