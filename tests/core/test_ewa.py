# SPDX-License-Identifier: GPL-2.0-only
"""EWA against equations 12.1 to 12.4 of nis-2004, over sequences of measurements."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packet_queues import law_over
from twins.ewa import Ewa

from penstock import _native

Q16 = 65536
MAX_WINDOW = 65535 << 14


def test_alpha_rises_by_an_eighth_and_falls_by_a_thirty_second() -> None:
    control = law_over("ewa", 99, weight_q32=1 << 32)
    assert control.state["alpha_q16"] == Q16
    control.tick(0, 0, 0)
    assert control.state["alpha_q16"] == Q16 + Q16 // 8
    control.tick(0, 0, 99)
    assert control.state["alpha_q16"] == (Q16 + Q16 // 8) * 31 // 32
    control.tick(0, 0, 40)  # between the thresholds
    assert control.state["alpha_q16"] == (Q16 + Q16 // 8) * 31 // 32


def test_the_window_is_one_segment_when_no_more_than_one_place_is_left() -> None:
    for queue in (98, 99, 120):
        control = law_over("ewa", 99)
        control.tick(0, 0, queue)
        assert control.ack(0, 0, queue, 65_535) == 1460


def test_the_window_never_exceeds_the_cap() -> None:
    control = law_over("ewa", 99)
    for n in range(3000):
        control.tick(n * 10_000_000, 0, 0)
    assert control.state["alpha_q16"] == 256 * Q16
    assert control.ack(0, 0, 0, MAX_WINDOW) == 373_760


def test_bytes_stand_for_packets_where_there_is_no_packet_limit() -> None:
    control = _native.Control("droptail", "ewa", limit_bytes=99 * 1500 + 1499, mss_bytes=1460)
    control.tick(0, 10 * 1500 + 1, 11)
    assert control.state["free_pkts"] == 99 - 11


@pytest.mark.parametrize("packets", [2, 3, 5, 63, 64, 65, 1000, 65_535, 2**30 - 1, 2**30])
def test_the_logarithm_is_right_to_two_units(packets: int) -> None:
    control = _native.Control("droptail", "ewa", limit_bytes=1 << 40, limit_packets=packets)
    exact = math.log2(packets) * Q16
    assert -2 <= control.state["segments_q16"] - exact <= 0


@given(
    limit=st.integers(1, 1 << 30),
    mss=st.integers(1, 65535),
    g_q32=st.one_of(st.just(33_554_432), st.integers(4295, 1 << 32)),
    low=st.integers(0, Q16),
    high=st.integers(0, Q16),
    up=st.integers(0, 16 * Q16),
    down=st.integers(0, Q16),
    max_alpha=st.integers(Q16, 1024 * Q16),
    cap=st.integers(1, 1 << 40),
    levels=st.lists(st.floats(0, 1), min_size=1, max_size=80),
    wr=st.integers(0, MAX_WINDOW),
)
def test_ewa_follows_its_equations(
    limit: int,
    mss: int,
    g_q32: int,
    low: int,
    high: int,
    up: int,
    down: int,
    max_alpha: int,
    cap: int,
    levels: list[float],
    wr: int,
) -> None:
    control = law_over(
        "ewa",
        limit,
        mss,
        weight_q32=g_q32,
        low_q16=low,
        high_q16=high,
        up_q16=up,
        down_q16=down,
        max_alpha_q16=max_alpha,
        cap_bytes=cap,
    )
    twin = Ewa(
        limit,
        g=g_q32 / 2**32,
        low=low / Q16,
        high=high / Q16,
        up=up / Q16,
        down=down / Q16,
        max_alpha=max_alpha / Q16,
        cap=cap,
    )
    for n, level in enumerate(levels, 1):
        queue = round(level * limit)
        control.tick(n, 0, queue)
        twin.tick(queue)
        error = n / Q16 + limit * 1e-14 * n  # of mean and alpha: 2^-16 a step
        assert abs(control.state["mean_pkts_q16"] / Q16 - twin.mean) <= error
        alpha_error = n / Q16 * 1.001
        if abs(control.state["alpha_q16"] / Q16 - twin.alpha) > alpha_error:
            assert twin.distance() <= error  # a threshold within the error of the mean
            return
        log = math.log2(max(twin.free, 1))
        segments_error = alpha_error * log + 2 * max(twin.alpha, 1) / Q16 + 1 / Q16
        assert control.state["free_pkts"] == twin.free
        assert abs(control.ack(n, 0, queue, wr) - twin.ack(wr, mss)) <= segments_error * mss + 1
