# SPDX-License-Identifier: GPL-2.0-only
"""NewReno against RFC 5681 section 3.1."""

from hypothesis import given
from hypothesis import strategies as st

from penstock import _native

MSS = 1448


def _control(cwnd: int, ssthresh: int, **params: int) -> _native.SenderControl:
    return _native.SenderControl(
        "newreno", cwnd_bytes=cwnd, ssthresh_bytes=ssthresh, mss_bytes=MSS, params=params
    )


def test_slow_start_stops_at_ssthresh_and_the_rest_counts_for_avoidance() -> None:
    control = _control(9 * MSS, 10 * MSS)
    control.ack(0, 2 * MSS, flight_bytes=9 * MSS)
    assert control.cwnd_bytes == 10 * MSS
    assert control.state["credit_bytes"] == MSS


def test_a_window_that_is_not_used_does_not_grow() -> None:
    control = _control(10 * MSS, 100 * MSS)
    control.ack(0, MSS, flight_bytes=MSS, cwnd_limited=False)
    assert control.cwnd_bytes == 10 * MSS


def test_ssthresh_is_half_the_flight_and_never_less_than_two_segments() -> None:
    assert _control(100 * MSS, 1 << 40).congestion(0, "loss", flight_bytes=60 * MSS) == 30 * MSS
    assert _control(100 * MSS, 1 << 40).congestion(0, "timeout", flight_bytes=MSS) == 2 * MSS


@given(cwnd=st.integers(2, 500), acked=st.integers(1, 2), rounds=st.integers(1, 30))
def test_congestion_avoidance_adds_one_segment_per_window(
    cwnd: int, acked: int, rounds: int
) -> None:
    control = _control(cwnd * MSS, 2 * MSS)
    total = 0
    while total < rounds * (cwnd + rounds) * MSS:
        control.ack(0, acked * MSS, flight_bytes=control.cwnd_bytes)
        total += acked * MSS
        grown = control.cwnd_bytes // MSS - cwnd
        # Whole windows acknowledged so far: cwnd + (cwnd + 1) + ... segments.
        spent = sum(cwnd + i for i in range(grown)) * MSS
        assert 0 <= total - spent < control.cwnd_bytes + acked * MSS
