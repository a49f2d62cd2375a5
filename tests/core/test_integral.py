# SPDX-License-Identifier: GPL-2.0-only
"""Integral against its equations over sequences of ticks, and its bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.integral import Integral

from penstock import _native

MAX_WINDOW = 65535 << 14
MSS = 1448
HEADER = 66
Q32 = 1 << 32


def _control(rate: int, target: int, **params: int) -> _native.Control:
    return _native.Control(
        "droptail",
        "integral",
        limit_bytes=max(target, 1),
        rate_bytes_per_s=rate,
        mss_bytes=MSS,
        params={"target_bytes": target, **params},
    )


@given(
    rate=st.integers(10_000, 1 << 34),
    target=st.integers(0, 1 << 30),
    gain_q16=st.integers(0, 1 << 16),
    interval_us=st.integers(100, 1_000_000),
    rtt_us=st.integers(1, 1_000_000),
    steps=st.lists(st.tuples(st.floats(0, 4), st.integers(1, 1000)), min_size=1, max_size=60),
)
def test_the_factor_follows_equation_2(
    rate: int,
    target: int,
    gain_q16: int,
    interval_us: int,
    rtt_us: int,
    steps: list[tuple[float, int]],
) -> None:
    control = _control(
        rate, target, gain_q16=gain_q16, interval_ns=interval_us * 1000, rtt_ns=rtt_us * 1000
    )
    twin = Integral(rate, target, gain_q16 / 65536, interval_us / 1e6, rtt_us / 1e6)
    for n, (level, flows) in enumerate(steps, 1):
        queue = min(int(level * max(target, 1)), 1 << 40)
        control.tick(n, queue, 0, flows=flows)
        twin.tick(queue, flows)
        # Each step's part is right to 2^-16 of the turn, 2^-20 of the error and the
        # pipe's last byte.
        pipe = rate * rtt_us / 1e6 + target
        loose = (2**-15 + 1 / max(pipe, 1)) * n * max(twin.factor, 1)
        assert control.state["factor_q32"] / Q32 == pytest.approx(twin.factor, abs=loose)


@given(
    factor_ticks=st.integers(0, 50),
    rtt_ms=st.integers(1, 500),
    flows=st.integers(1, 1000),
)
def test_the_window_follows_equation_1(factor_ticks: int, rtt_ms: int, flows: int) -> None:
    control = _control(2_500_000, 29_100)
    for n in range(factor_ticks):
        control.tick(n, 0, 0, flows=flows)
    control.ack(0, 0, 0, MAX_WINDOW, flows=flows, rtt_ns=rtt_ms * 1_000_000)
    twin = Integral(2_500_000, 29_100, factor=control.state["factor_q32"] / Q32)
    exact = twin.segments(rtt_ms / 1e3, flows, MSS + HEADER)
    assert control.state["segments_q16"] / 65536 == pytest.approx(exact, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(("flows", "slower"), [(8, False), (64, True)])
def test_steps_are_small_where_acks_may_be_delayed(flows: int, slower: bool) -> None:
    """With less than two segments per flow, a window shows after the receiver's timer only."""
    control = _control(2_500_000, 29_100)
    twin = Integral(2_500_000, 29_100, rtt=0.004)
    control.ack(0, 0, 0, MAX_WINDOW, flows=flows, rtt_ns=4_000_000)
    assert (twin.segments(0.004, flows, MSS + HEADER) < 2) == slower
    for n in range(20):
        control.tick(n, 50_000, 0, flows=flows)
        twin.tick(50_000, flows)
    assert control.state["factor_q32"] / Q32 == pytest.approx(twin.factor, rel=1e-3)
    assert (twin.factor > 0.5) == slower


def test_at_the_target_nothing_moves() -> None:
    control = _control(2_500_000, 29_100)
    for n in range(100):
        control.tick(n, 29_100, 0, flows=8)
    assert control.state["factor_q32"] == Q32


def test_one_flow_alone_never_gets_more_than_the_pipe() -> None:
    control = _control(2_500_000, 29_100)
    for n in range(10_000):
        control.tick(n, 0, 0, flows=1)
    assert control.state["factor_q32"] == Q32
    window = control.ack(0, 0, 0, MAX_WINDOW, flows=1, rtt_ns=40_000_000)
    assert window <= (129_100 / 1514 + 1) * MSS


def test_one_busy_flow_among_idle_ones_gets_the_whole_pipe_in_time() -> None:
    control = _control(2_500_000, 29_100)
    control.ack(0, 0, 0, MAX_WINDOW, flows=32, rtt_ns=40_000_000)
    for n in range(10_000):
        control.tick(n, 0, 0, flows=32)
    assert control.state["factor_q32"] == 32 * Q32


def test_the_factor_comes_back_however_long_the_queue_was_full() -> None:
    control = _control(2_500_000, 29_100)
    for n in range(100_000):
        control.tick(n, 97_000, 0, flows=8)
    assert control.state["factor_q32"] == Q32 // 16
    for n in range(10_000):
        control.tick(n, 0, 0, flows=8)
    assert control.state["factor_q32"] == 8 * Q32


def test_it_starts_at_one_and_defaults_to_three_tenths_of_the_buffer() -> None:
    control = _native.Control("droptail", "integral", limit_bytes=97_000)
    assert control.params["target_bytes"] == 29_100
    assert control.state["factor_q32"] == Q32
    assert control.interval_ns == 10_000_000
