# SPDX-License-Identifier: GPL-2.0-only
"""Scalable TCP against Kelly 2003 in floating point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import MSS, ROUNDS, follow, lose, sender
from twins.scalable import Scalable


@given(
    mss=MSS,
    segments=st.integers(40, 20_000),
    a=st.integers(66, 65536),
    beta=st.integers(40_000, 65_470),
    rounds=ROUNDS,
)
def test_the_window_follows_kelly(
    mss: int, segments: int, a: int, beta: int, rounds: list[tuple[int, int, str]]
) -> None:
    control = sender("scalable", segments, mss, increase_q16=a, beta_q16=beta, low_window_pkts=0)
    follow(control, Scalable(a / 65536, 1 - beta / 65536, lwnd=0), mss, rounds)


@pytest.mark.parametrize("segments", [100, 1000, 5000])
def test_the_time_back_to_the_window_does_not_depend_on_it(segments: int) -> None:
    """log(1 / (1 - b)) / log(1 + a) round trips, 13.4 (Kelly 2003 section 3)."""
    control = sender("scalable", segments, 1448)
    lose(control, 0)
    rounds = 0
    while control.cwnd_bytes < segments * 1448:
        for _ in range(control.cwnd_bytes // 1448):
            control.ack(rounds, 1448, flight_bytes=control.cwnd_bytes)
        rounds += 1
    assert rounds in (14, 15)


@given(segments=st.integers(2, 16), acks=st.integers(1, 40))
def test_a_small_window_is_newrenos(segments: int, acks: int) -> None:
    both = [sender(method, segments, 1000) for method in ("scalable", "newreno")]
    for control in both:
        lose(control, 0)
        for _ in range(acks):
            if control.cwnd_bytes > 16_000:
                break
            control.ack(0, 1000, flight_bytes=control.cwnd_bytes)
    assert both[0].cwnd_bytes == both[1].cwnd_bytes
    assert both[0].ssthresh_bytes == both[1].ssthresh_bytes
