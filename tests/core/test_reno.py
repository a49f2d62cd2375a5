# SPDX-License-Identifier: GPL-2.0-only
"""Reno's window law against RFC 5681; its recovery is in tests/sim/tcp/reno_test.cpp."""

from hypothesis import given
from hypothesis import strategies as st
from sender_steps import FAR, sender


@given(
    segments=st.integers(2, 400),
    ssthresh=st.integers(2, 400),
    acks=st.lists(st.integers(1, 3), min_size=1, max_size=200),
    why=st.sampled_from(["loss", "ecn", "timeout"]),
)
def test_the_window_follows_rfc_5681(
    segments: int, ssthresh: int, acks: list[int], why: str
) -> None:
    control = sender("reno", segments, 1000, ssthresh=ssthresh * 1000)
    window, credit = float(segments), 0.0
    for acked in acks:
        left = float(acked)
        if window < ssthresh:  # eq. 2 with L = 2
            step = min(acked, 2, ssthresh - window)
            left = 0.0 if window + step < ssthresh else acked - step
            window += step
        credit += left
        if credit >= window:
            credit -= window
            window += 1
        control.ack(0, acked * 1000, flight_bytes=control.cwnd_bytes)
        assert control.cwnd_bytes == window * 1000
    assert control.congestion(0, why, flight_bytes=control.cwnd_bytes) == max(
        int(window * 500), 2000
    )


def test_a_window_that_is_not_used_does_not_grow() -> None:
    control = sender("reno", 10, 1000, FAR)
    control.ack(0, 1000, flight_bytes=1000, cwnd_limited=False)
    assert control.cwnd_bytes == 10_000
