# SPDX-License-Identifier: GPL-2.0-only
"""Scalable Westwood+ against log-westwood-2006 section II in floating point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import MSS, ROUNDS, S, follow, lose, sender
from twins.scalable import Scalable
from twins.westwood import ScalableWestwood

from penstock import _native

RTT = S // 10


@given(mss=MSS, segments=st.integers(40, 20_000), a=st.integers(66, 65536), rounds=ROUNDS)
def test_the_window_grows_as_scalable_tcps(
    mss: int, segments: int, a: int, rounds: list[tuple[int, int, str]]
) -> None:
    """Nothing is known of the path, so that a loss leaves two segments."""
    control = sender("scalable_westwood", segments, mss, increase_q16=a, low_window_pkts=0)
    follow(control, ScalableWestwood(Scalable(a / 65536, lwnd=0)), mss, rounds)


def _carried(segments: int, mss: int, fits: int) -> tuple[_native.SenderControl, ScalableWestwood]:
    """A hundred round trips of 100 ms, in each of which `fits` segments are delivered."""
    control = sender("scalable_westwood", segments, mss)
    twin = ScalableWestwood(rtt_min=RTT / S)
    for turn in range(1, 101):
        seen = {"srtt_ns": RTT, "min_rtt_ns": RTT, "cwnd_limited": False}
        control.ack(turn * RTT, fits * mss, flight_bytes=control.cwnd_bytes, **seen)
        twin.bandwidth.sample(turn * RTT / S, turn * fits, RTT / S)
    return control, twin


@given(mss=MSS, segments=st.integers(20, 5000), part=st.floats(0.3, 1))
def test_a_loss_leaves_what_the_path_carries(mss: int, segments: int, part: float) -> None:
    control, twin = _carried(segments, mss, max(int(part * segments), 2))
    expected = twin.loss(segments, segments) * mss
    left = lose(control, 101 * RTT, srtt_ns=RTT, min_rtt_ns=RTT)
    assert abs(left - expected) <= 2 + 1e-3 * expected


@pytest.mark.parametrize("segments", [100, 1000, 5000])
def test_the_time_back_to_the_window_does_not_depend_on_it(segments: int) -> None:
    """Four fifths fit the path: log(1.25) / log(1.01) = 22.4 round trips."""
    control, _ = _carried(segments, 1448, segments * 4 // 5)
    lose(control, 101 * RTT, srtt_ns=RTT, min_rtt_ns=RTT)
    rounds = 0
    while control.cwnd_bytes < segments * 1448:
        for _ in range(control.cwnd_bytes // 1448):
            control.ack((102 + rounds) * RTT, 1448, flight_bytes=control.cwnd_bytes)
        rounds += 1
    assert rounds in (23, 24)
