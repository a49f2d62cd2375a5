# SPDX-License-Identifier: GPL-2.0-only
"""Environments: Gymnasium's own checks, the same numbers as a run, and what actions do."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import penstock as ps
from penstock.errors import UsageError

gymnasium = pytest.importorskip("gymnasium", reason="tools/setup --extra gym installs gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from penstock.gym import LinkEnv, LinkVectorEnv  # noqa: E402

HOME = ps.link(rate="20mbit", rtt="40ms", buffer="97kB", size="1GB", flows=2)


@pytest.mark.parametrize(
    ("action", "method"), [("factor", None), ("window", None), ("nothing", "penstock")]
)
def test_gymnasium_checks_it(action: str, method: str | None) -> None:
    env = gymnasium.make(
        "penstock/Link-v0", scenario=HOME, action=action, method=method, flows=2, episode="1s"
    )
    check_env(env.unwrapped)  # its warnings are errors here
    assert env.action_space.shape == ((2,) if action == "window" else (1,))


def played(env: LinkVectorEnv, steps: int, action: float = 0.0) -> list[Any]:
    """All that is seen, and the rewards."""
    actions = np.full(env.action_space.shape, action, np.float32)
    return [env.step(actions) for _ in range(steps)]


def test_many_are_each_alone() -> None:
    many = LinkVectorEnv(3, HOME, flows=2, episode="2s", threads=2)
    alone = LinkEnv(HOME, flows=2, episode="2s")
    seen, info = many.reset(seed=[4, 5, 6])
    assert info["seed"].tolist() == [4, 5, 6]
    first, _ = alone.reset(seed=5)
    assert seen[1].tolist() == first.tolist()
    for done in played(many, 150, 0.3):
        mine = alone.step(np.array([0.3], np.float32))
        assert mine[0].tolist() == done[0][1].tolist()
        assert mine[1] == done[1][1]


def test_threads_and_repetition_change_nothing() -> None:
    texts = set()
    for threads in (1, 3, 3):
        env = LinkVectorEnv(5, HOME, "window", flows=2, episode="1s", threads=threads)
        env.reset(seed=8)
        texts.add(repr([(done[0].tolist(), done[1].tolist()) for done in played(env, 120, 0.5)]))
    assert len(texts) == 1


def test_an_episode_is_the_run_of_its_seed() -> None:
    steps = 300
    env = LinkVectorEnv(1, HOME, "nothing", method="ewt", flows=2, episode="3s")
    env.reset(seed=7)
    figures = [done[4] for done in played(env, steps)]
    whole = ps.run(HOME, "ewt", flows=2, seeds=[7], receivers="auto", set={"time.limit": "3s"})
    mbps = sum(float(each["goodput"][0]) for each in figures) / steps * 20
    row = whole.frame.row(0, named=True)
    start_s = min(flow for flow in whole.flows["start_s"])
    assert mbps * 3 / (3 - start_s) == pytest.approx(row["goodput_mbps_total"], rel=1e-4)


def mean(env: LinkVectorEnv, action: float, name: str) -> float:
    env.reset(seed=1)
    return float(np.mean([done[4][name] for done in played(env, 400, action)][200:]))


def test_a_factor_divides_the_rate_and_empties_the_queue() -> None:
    env = LinkVectorEnv(2, HOME, flows=2, episode="9s")
    full, half, least = (mean(env, action, "goodput") for action in (1, 0.4, -1))
    assert full > 0.7
    assert full > half > least
    assert mean(env, 1, "delay_s") > mean(env, 0.2, "delay_s")


def test_windows_are_set() -> None:
    env = LinkVectorEnv(1, HOME, "window", flows=2, episode="9s")
    env.reset(seed=3)
    done = played(env, 300, -0.2)[-1]
    goodput, rtt, window, action = done[0][0].reshape(2, 4)[0]
    part = env.world.most_window_bytes / 1448
    assert window == pytest.approx(part**0.4 / part, rel=0.15)
    assert action == pytest.approx(-0.2)
    assert rtt >= 1
    assert 0 <= goodput <= 1


def test_an_episode_ends_and_another_begins() -> None:
    env = LinkVectorEnv(2, HOME, flows=2, episode="100ms")
    env.reset(seed=1)
    ends = [done[3].tolist() for done in played(env, 11)]
    assert ends[8:11] == [[False, False], [True, True], [False, False]]
    short = ps.link(rate="20mbit", rtt="40ms", buffer="97kB", size="20kB", flows=1)
    alone = LinkEnv(short, flows=1, episode="9s")
    alone.reset(seed=1)
    ended = [alone.step(np.ones(1, np.float32))[2:4] for _ in range(200)]
    assert ended[0] == (False, False)
    assert ended[-1] == (True, False)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"action": "windows"}, "did you mean 'window'"),
        ({"method": "penstock"}, "takes its place"),
        ({"interval": "0s"}, "write a time above 0"),
        ({"interval": "soon"}, "interval='soon'"),
        ({"scenario": "traffic/web"}, "users and QUIC have no place"),
        ({"flows": [1, 2]}, "the scenario has several flows"),
    ],
)
def test_what_is_wrong_is_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        LinkEnv(**{"scenario": HOME, "flows": 2, **wrong})
    assert "\n" not in str(error.value)


def test_without_gymnasium_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import penstock.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "gymnasium is missing; tools/setup --extra gym" in done.stderr
