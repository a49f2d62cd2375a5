# SPDX-License-Identifier: GPL-2.0-only
"""RWNDQ against Algorithm 1 of its paper over flows that come and go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.rwndq import Rwndq

from penstock import _native

MAX_WINDOW = 65535 << 14
MSS = 1448
MS = 1_000_000


def _control(target: int, **params: int) -> _native.Control:
    return _native.Control(
        "droptail",
        "rwndq",
        limit_bytes=max(4 * target, MSS),
        rate_bytes_per_s=2_500_000,
        mss_bytes=MSS,
        params={"target_bytes": target, **params},
    )


def _allowed(control: _native.Control, now: int, flows: int) -> int:
    return control.ack(now, 0, 0, MAX_WINDOW, flows=flows)


@given(
    target=st.integers(1, 1 << 24),
    updates=st.integers(1, 100),
    least=st.integers(1, 3000),
    most=st.integers(3000, 1 << 24),
    steps=st.lists(
        st.tuples(st.integers(-1, 1), st.floats(0, 4), st.integers(1, 40)), min_size=1, max_size=40
    ),
)
def test_the_window_follows_algorithm_1(
    target: int, updates: int, least: int, most: int, steps: list[tuple[int, float, int]]
) -> None:
    control = _control(target, updates=updates, least_bytes=least, most_bytes=most)
    twin = Rwndq(target, MSS, updates, least, most)
    now, rounded = 1, 0
    twin.syn_ack()
    assert _allowed(control, now, 1) == target
    for change, level, looks in steps:
        if change > 0:
            twin.syn_ack()
        elif change < 0 and twin.flows > 1:
            twin.fin()
        queue = int(level * target)
        for _ in range(looks):
            now += MS
            control.tick(now, queue, 0, flows=twin.flows)
            twin.timeout(queue)
        rounded += looks
        # The sum is rounded down at each update, and once more as it is divided.
        allowed = _allowed(control, now, twin.flows)
        assert allowed == pytest.approx(twin.window, rel=1e-9, abs=rounded / updates + 2)


def test_slow_start_begins_again_with_the_first_flow_after_a_pause() -> None:
    control = _control(20_000)
    _allowed(control, 1, 1)
    for look in range(1, 65):
        control.tick(look * MS, 40_000, 0, flows=1)
    assert _allowed(control, 65 * MS, 1) < 20_000 + 2 * MSS
    assert control.state["slow_start"] == 0
    assert _allowed(control, 1_000 * MS, 1) < 20_000 + 2 * MSS
    assert _allowed(control, 2_001 * MS, 1) == 20_000
    assert control.state["slow_start"] == 1


def test_nothing_winds_up_without_flows() -> None:
    control = _control(20_000)
    for look in range(1, 2000):
        control.tick(look * MS, 0, 0, flows=1)
    assert _allowed(control, 2000 * MS, 1) == 20_000
