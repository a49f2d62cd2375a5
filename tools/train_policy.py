#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Trains a small policy that sets a gateway's factor, and compares it with methods.

CMA-ES (the library cma) searches the weights of a network with one hidden layer, in the
environments of penstock.gym. A library of policy gradients would bring a deep-learning framework,
hundreds of megabytes for some thirty weights. Same arguments, same numbers.
"""

import argparse
import time
from collections.abc import Sequence

import cma
import numpy as np
from numpy.typing import NDArray

from penstock.gym import LinkVectorEnv

Floats = NDArray[np.float64]

HIDDEN = 4
SEEDS = 2  # of each candidate in a generation, which has its own
HELD_OUT = 1_000_000  # the first seed of the comparison
METHODS = ("penstock", "fq_codel", "droptail")
PLACES: dict[str, tuple[int | None, dict[str, str]]] = {  # flows and settings
    "as trained": (None, {}),
    "1 flow": (1, {}),
    "32 flows": (32, {}),
    "5 Mbit/s": (None, {"link.bottleneck.rate": "5mbit"}),
    "200 ms": (None, {"link.bottleneck.delay": "98ms"}),
}


def weights(inputs: int) -> int:
    """Of a policy: those of the hidden layer and of the output, with their offsets."""
    return HIDDEN * (inputs + 1) + HIDDEN + 1


def act(policies: Floats, seen: Floats) -> Floats:
    """The action of each policy on what is seen of its environment."""
    count, inputs = seen.shape
    hidden = policies[:, : HIDDEN * (inputs + 1)].reshape(count, HIDDEN, inputs + 1)
    output = policies[:, HIDDEN * (inputs + 1) :]
    ones = np.ones((count, 1))
    middle = np.tanh(np.einsum("nhi,ni->nh", hidden, np.hstack([seen, ones])))
    return np.tanh(np.sum(output * np.hstack([middle, ones]), axis=1, keepdims=True))


def play(env: LinkVectorEnv, policies: Floats | None, seeds: Sequence[int], steps: int) -> Floats:
    """The mean reward, goodput in percent and delay in ms of each environment."""
    seen, _ = env.reset(seed=list(seeds))
    sums = np.zeros((env.num_envs, 3))
    for _ in range(steps):
        actions = np.zeros(env.action_space.shape) if policies is None else act(policies, seen)
        seen, reward, _, _, figures = env.step(actions.astype(np.float32))
        sums += np.column_stack([reward, 100 * figures["goodput"], 1e3 * figures["delay_s"]])
    return sums / steps


def train(options: argparse.Namespace, steps: int) -> Floats:
    """The best policy that the search has come to."""
    search = cma.CMAEvolutionStrategy(
        np.zeros(weights(5)), 0.5, {"seed": options.seed, "verbose": -9}
    )
    env = LinkVectorEnv(
        search.popsize * SEEDS, options.scenario, flows=options.flows, episode=options.episode
    )
    for generation in range(options.generations):
        candidates = np.array(search.ask())
        first = 1 + SEEDS * generation  # the same for all candidates, and new ones each time
        seeds = [first + index for index in range(SEEDS)] * len(candidates)
        found = play(env, np.repeat(candidates, SEEDS, axis=0), seeds, steps)
        worth = found[:, 0].reshape(len(candidates), SEEDS).mean(axis=1)
        search.tell(list(candidates), list(-worth))
    return np.asarray(search.result.xfavorite, np.float64)


def compare(options: argparse.Namespace, policy: Floats, steps: int, place: str) -> list[Floats]:
    """The policy and methods on a link, with seeds that the search has not seen."""
    seeds = [HELD_OUT + index for index in range(options.held_out)]
    flows, sets = PLACES[place]
    common = {"flows": flows or options.flows, "episode": options.episode, "set": sets}
    env = LinkVectorEnv(len(seeds), options.scenario, **common)
    found = [play(env, np.tile(policy, (len(seeds), 1)), seeds, steps)]
    for method in METHODS:
        env = LinkVectorEnv(len(seeds), options.scenario, "nothing", method=method, **common)
        found.append(play(env, None, seeds, steps))
    return found


def show(place: str, found: Sequence[Floats]) -> None:
    """A table of one link."""
    print(f"{place:18}{'reward':>16}{'goodput %':>16}{'delay ms':>16}")
    for name, each in zip(("policy", *METHODS), found, strict=True):
        means, halves = each.mean(axis=0), 1.96 * each.std(axis=0, ddof=1) / np.sqrt(len(each))
        cells = [f"{mean:.3f} ± {half:.3f}" for mean, half in zip(means, halves, strict=True)]
        print(f"  {name:16}" + "".join(f"{cell:>16}" for cell in cells))


def main() -> None:
    """Trains, and prints tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", default="live/grid")
    parser.add_argument("--flows", type=int, default=4)
    parser.add_argument("--episode", default="5s")
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--held-out", type=int, default=10, help="seeds of the comparison")
    parser.add_argument("--seed", type=int, default=1, help="of the search")
    options = parser.parse_args()
    began = time.perf_counter()
    steps = int(float(options.episode.removesuffix("s")) * 100) - 1
    policy = train(options, steps)
    spent_s = time.perf_counter() - began
    for place in PLACES:
        show(place, compare(options, policy, steps, place))
    print(f"trained in {spent_s:.0f} s")


if __name__ == "__main__":
    main()
