# SPDX-License-Identifier: GPL-2.0-only
"""Share against its equations, and whole segments handed out in turn."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import share

from penstock import _native

MAX_WINDOW = 65535 << 14
MSS = 1448
HEADER = 66


def _control(rate: int, target: int, high: int, mss: int = MSS) -> _native.Control:
    return _native.Control(
        "droptail",
        "share",
        limit_bytes=max(target, high, 1),
        rate_bytes_per_s=rate,
        mss_bytes=mss,
        params={"target_bytes": target, "high_bytes": high},
    )


@given(
    rate=st.integers(1_000, 1 << 36),
    rtt_us=st.integers(1, 1_000_000),
    flows=st.integers(1, 1 << 20),
    mss=st.integers(1, 65_535),
    target=st.integers(0, 1 << 32),
    high=st.integers(0, 1 << 32),
)
def test_the_segments_are_those_of_the_equations(
    rate: int, rtt_us: int, flows: int, mss: int, target: int, high: int
) -> None:
    control = _control(rate, target, high, mss)
    control.ack(0, 0, 0, MAX_WINDOW, flows=flows, rtt_ns=rtt_us * 1000)
    exact = share.segments(rate, rtt_us / 1e6, flows, mss + HEADER, target, high)
    exact = min(exact, MAX_WINDOW)
    got = control.state["segments_q16"] / 65536
    # The pipe is a whole number of bytes, 1 or more; two divisions round down.
    error = 1 / (flows * (mss + HEADER)) + 3 / 65536
    assert got == pytest.approx(exact, abs=error, rel=1e-9)


@given(
    flows=st.integers(1, 40),
    acks=st.integers(50, 400),
    rtt_ms=st.integers(1, 400),
)
def test_windows_are_whole_segments_and_right_on_the_mean(
    flows: int, acks: int, rtt_ms: int
) -> None:
    control = _control(2_500_000, 29_100, 84_875)
    windows = [
        control.ack(0, 0, 0, MAX_WINDOW, flows=flows, rtt_ns=rtt_ms * 1_000_000)
        for _ in range(acks)
    ]
    exact = share.segments(2_500_000, rtt_ms / 1e3, flows, MSS + HEADER, 29_100, 84_875)
    assert all(window % MSS == 0 for window in windows)
    assert {window // MSS for window in windows} <= {
        max(math.floor(exact), 1),
        math.floor(exact) + 1,
        max(math.floor(exact) - 1, 1),
    }
    if exact >= 1:
        assert sum(windows) / MSS / acks == pytest.approx(exact, abs=1 / acks + 1e-3)


def test_all_windows_together_fill_the_path_and_the_target() -> None:
    control = _control(2_500_000, 29_100, 84_875)
    rtts = [0.01, 0.04, 0.09, 0.2]
    total = 0.0
    for rtt in rtts:
        control.ack(0, 0, 0, MAX_WINDOW, flows=4, rtt_ns=int(rtt * 1e9))
        total += control.state["segments_q16"] / 65536 * (MSS + HEADER)
    assert total == pytest.approx(2_500_000 * sum(rtts) / 4 + 29_100, rel=1e-3)


def test_two_segments_come_before_the_target() -> None:
    control = _control(2_500_000, 29_100, 84_875)
    control.ack(0, 0, 0, MAX_WINDOW, flows=31, rtt_ns=4_000_000)  # (1) gives 0.83
    assert control.state["segments_q16"] / 65536 == pytest.approx(2, abs=0.03)
    control.ack(0, 0, 0, MAX_WINDOW, flows=64, rtt_ns=4_000_000)
    assert control.state["segments_q16"] / 65536 == pytest.approx(94_875 / 64 / 1514, abs=0.01)


def test_a_flow_without_a_round_trip_gets_the_mean_of_the_others() -> None:
    control = _control(2_500_000, 29_100, 84_875)
    assert control.params["rtt_ns"] == 100_000_000
    control.ack(0, 0, 0, MAX_WINDOW, rtt_ns=0)
    first = control.state["segments_q16"]
    control.ack(0, 0, 0, MAX_WINDOW, rtt_ns=40_000_000)
    known = control.state["segments_q16"]
    control.ack(0, 0, 0, MAX_WINDOW, rtt_ns=0)
    assert control.state["segments_q16"] == known < first


def test_the_receivers_smaller_window_stays() -> None:
    assert _control(2_500_000, 29_100, 84_875).ack(0, 0, 0, 5_000) == 5_000
