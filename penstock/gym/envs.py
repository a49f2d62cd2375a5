# SPDX-License-Identifier: GPL-2.0-only
"""A link as an environment, alone or many of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from penstock.api.links import Link
from penstock.gym.world import DELAY_COST, FACTOR, LOSS_COST, Stepped, Wanted, World
from penstock.runs.workers import default_workers

Seen = NDArray[np.float32]
Action = NDArray[np.float32]

_SEEDS: Final = 2**31  # those of an environment that is given none


def _spaces(world: World) -> tuple[Any, Any]:
    """What is seen, and what can be done."""
    return Box(world.low, world.high), Box(-1.0, 1.0, (world.actions,), np.float32)


class LinkEnv(gymnasium.Env[Seen, Action]):
    """A scenario's run, of which each step is an interval.

    `action` is what the agent decides, by numbers from -1 to 1: "factor" of all windows at the
    gateway, "window" of each sender, or "nothing", to see how `method` does. `flows` and
    `receivers` are as for `penstock.run`, and `set` too. An episode ends with its traffic, or is
    cut off at `episode`, which is the scenario's time.limit. The reward of a step is the goodput
    as a share of the link's rate, less `delay_cost` for each second that a byte at the end of the
    queue has to wait, less `loss_cost` times the share of the packets that were dropped.

    `reset(seed=7)` begins the run that `penstock run --seeds 7-7` makes; without a seed the
    environment draws one.
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        scenario: Link | str | Path = "link",
        action: str = FACTOR,
        *,
        method: str | None = None,
        flows: int | None = None,
        receivers: int | str | None = "auto",
        interval: str = "10ms",
        episode: str | None = "20s",
        set: Mapping[str, object] | None = None,  # noqa: A002
        delay_cost: float = DELAY_COST,
        loss_cost: float = LOSS_COST,
        render_mode: str | None = None,
    ) -> None:
        run = (scenario, action, method, flows, receivers, interval, episode, set)
        wanted = Wanted(*run, delay_cost, loss_cost)
        self.render_mode = render_mode
        self.world = World(wanted, 1, 1)
        self.observation_space, self.action_space = _spaces(self.world)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begins a run: that of `seed`, or of one that is drawn."""
        super().reset(seed=seed)
        run = int(self.np_random.integers(_SEEDS)) if seed is None else seed
        self.world.begin(0, run)
        return self.world.seen()[0], {"seed": run}

    def step(self, action: Action) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """An interval of the run."""
        done = self.world.step(np.asarray(action, np.float64)[np.newaxis])
        ended = bool(done.ended[0])
        figures = {name: float(each[0]) for name, each in done.figures.items()}
        over = bool(done.over[0]) and not ended
        return done.seen[0], float(done.reward[0]), ended, over, figures


class LinkVectorEnv(VectorEnv[Seen, Action, NDArray[Any]]):
    """`num_envs` such runs in this process, which `threads` of the simulator play side by side.

    An environment whose episode has ended begins another one with its next step, whose action
    counts for nothing. The numbers do not depend on the threads.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self,
        num_envs: int = 1,
        scenario: Link | str | Path = "link",
        action: str = FACTOR,
        *,
        method: str | None = None,
        flows: int | None = None,
        receivers: int | str | None = "auto",
        interval: str = "10ms",
        episode: str | None = "20s",
        set: Mapping[str, object] | None = None,  # noqa: A002
        delay_cost: float = DELAY_COST,
        loss_cost: float = LOSS_COST,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        run = (scenario, action, method, flows, receivers, interval, episode, set)
        wanted = Wanted(*run, delay_cost, loss_cost)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.world = World(wanted, num_envs, threads or default_workers())
        self.single_observation_space, self.single_action_space = _spaces(self.world)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._done = np.zeros(num_envs, np.bool_)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int]:
        """Of all environments: `seed` and those after it, those listed, or drawn ones."""
        if isinstance(seed, int):
            return [seed + index for index in range(self.num_envs)]
        listed = list(seed) if seed is not None else [None] * self.num_envs
        if len(listed) != self.num_envs:
            raise ValueError(f"{len(listed)} seeds for {self.num_envs} environments")
        return [self._draw() if each is None else each for each in listed]

    def _draw(self) -> int:
        return int(self.np_random.integers(_SEEDS))

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Seen, dict[str, Any]]:
        """Begins all runs."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds = self._seeds(seed)
        for index, run in enumerate(seeds):
            self.world.begin(index, run)
        self._done[:] = False
        return self.world.seen(), {"seed": np.array(seeds)}

    def step(
        self, actions: Action
    ) -> tuple[Seen, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """An interval of each run, or the beginning of the next one."""
        begun = np.flatnonzero(self._done)
        done = self.world.step(np.asarray(actions, np.float64))
        if len(begun):
            done = self._begin(begun, done)
        over = done.over & ~done.ended
        self._done = done.ended | over
        return done.seen, done.reward, done.ended, over, dict(done.figures)

    def _begin(self, begun: NDArray[np.intp], done: Stepped) -> Stepped:
        """The others have done a step; these are at their beginning."""
        for index in begun.tolist():
            self.world.begin(index, self._draw())
        fresh = self.world.seen()
        done.seen[begun] = fresh[begun]
        done.reward[begun] = 0.0
        done.ended[begun] = False
        done.over[begun] = False
        for each in done.figures.values():
            each[begun] = 0.0
        return done
