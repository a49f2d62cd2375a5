# SPDX-License-Identifier: GPL-2.0-only
"""Vegas against Brakmo and Peterson 1995 in floating point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import FAR, MSS, S, sender
from twins.vegas import Vegas

from penstock import _native

MS = 10**6
BASE = 50 * MS


def _round(control: _native.SenderControl, rtt_ns: int, mss: int, **more: bool) -> None:
    """One ACK for all that was under way when the round began; it ends the round."""
    acked = control.state["round_end"] - control.una
    control.ack(
        0,
        max(acked, mss),
        flight_bytes=control.cwnd_bytes,
        rtt_ns=rtt_ns,
        srtt_ns=rtt_ns,
        min_rtt_ns=BASE,
        **more,
    )


@given(
    mss=MSS,
    segments=st.integers(2, 2000),
    alpha=st.integers(0, 6),
    more=st.integers(1, 6),
    rtts=st.lists(st.integers(0, 60), min_size=1, max_size=30),
    limited=st.booleans(),
)
def test_the_window_follows_the_paper(
    mss: int, segments: int, alpha: int, more: int, rtts: list[int], limited: bool
) -> None:
    control = sender(
        "vegas", segments, mss, ssthresh=2 * mss, alpha_pkts=alpha, beta_pkts=alpha + more
    )
    for extra in rtts:
        rtt = BASE + extra * MS
        twin = Vegas(control.cwnd_bytes / mss, control.ssthresh_bytes / mss, alpha, alpha + more)
        queued = control.cwnd_bytes * (rtt - BASE) / rtt
        if min(abs(queued - alpha * mss), abs(queued - (alpha + more) * mss)) < 2:
            return  # within the rounding of a threshold
        twin.round(BASE / S, rtt / S, limited=limited)
        _round(control, rtt, mss, cwnd_limited=limited)
        assert abs(control.cwnd_bytes - twin.window * mss) <= 1
        assert abs(control.ssthresh_bytes - twin.ssthresh * mss) <= 1


@pytest.mark.parametrize(("extra_ms", "ends"), [(0, False), (2, False), (20, True)])
def test_slow_start_ends_when_a_segment_waits(extra_ms: int, ends: bool) -> None:
    control = sender("vegas", 20, 1000)
    twin = Vegas(20, FAR / 1000)
    twin.round(BASE / S, (BASE + extra_ms * MS) / S)
    _round(control, BASE + extra_ms * MS, 1000)
    assert (control.ssthresh_bytes < FAR) == ends
    if ends:
        assert abs(control.cwnd_bytes - twin.window * 1000) <= 1
    else:
        assert control.cwnd_bytes == 21_000


def test_it_rests_between_alpha_and_beta() -> None:
    """A path of 40 segments: the window settles where 2 to 4 more wait in the queue."""
    control = sender("vegas", 60, 1000, ssthresh=2000)
    for _ in range(60):
        rtt = BASE * max(control.cwnd_bytes, 40_000) // 40_000
        _round(control, rtt, 1000)
    assert 42_000 <= control.cwnd_bytes <= 44_000


def test_the_round_trip_counts_is_the_least_of_the_round() -> None:
    control = sender("vegas", 60, 1000, ssthresh=2000)
    control.init(0, sent=60_000)
    for rtt in (90 * MS, BASE, 90 * MS):
        control.ack(0, 20_000, flight_bytes=60_000, rtt_ns=rtt, srtt_ns=rtt, min_rtt_ns=BASE)
    assert control.cwnd_bytes == 61_000


def test_a_loss_is_newrenos_and_vegas_rests_until_it_is_over() -> None:
    control = sender("vegas", 60, 1000, ssthresh=2000)
    assert control.congestion(0, "timeout", flight_bytes=60_000) == 30_000
    control.cwnd_bytes = 1000
    for expected in (2000, 3000, 4000):
        control.ack(0, 1000, flight_bytes=10_000, rtt_ns=4 * BASE, min_rtt_ns=BASE)
        assert control.cwnd_bytes == expected
    control.cwnd_bytes = 60_000
    control.recovered(0)
    _round(control, 4 * BASE, 1000)
    assert control.cwnd_bytes == 59_000
