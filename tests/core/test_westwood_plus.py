# SPDX-License-Identifier: GPL-2.0-only
"""Westwood+ against Grieco and Mascolo 2004 in floating point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import MSS, S, lose, sender
from twins.westwood import Bandwidth

from penstock import _native

RTT = S // 10


def _feed(control: _native.SenderControl, rounds: int, segments: int, **more: bool) -> int:
    """So many round trips of 100 ms, each with an ACK for so many 1000-byte segments."""
    now = 0
    for _ in range(rounds):
        now += RTT
        control.ack(
            now,
            segments * 1000,
            flight_bytes=control.cwnd_bytes,
            srtt_ns=RTT,
            min_rtt_ns=RTT,
            **more,
        )
    return now


@given(
    mss=MSS,
    filter_q16=st.one_of(st.just(58982), st.integers(0, 65535)),
    floor_ms=st.sampled_from([0, 50]),
    acks=st.lists(
        st.tuples(st.integers(1, 80), st.integers(1, 40), st.booleans()), min_size=1, max_size=60
    ),
    rtt_ms=st.integers(1, 400),
    why=st.sampled_from(["loss", "ecn", "timeout"]),
)
def test_the_estimate_and_the_reduction_follow_the_paper(
    mss: int,
    filter_q16: int,
    floor_ms: int,
    acks: list[tuple[int, int, bool]],
    rtt_ms: int,
    why: str,
) -> None:
    control = sender(
        "westwood_plus", 100, mss, filter_q16=filter_q16, sample_floor_ns=floor_ms * 10**6
    )
    twin = Bandwidth(filter_q16 / 65536, floor_ms / 1000)
    now = delivered = 0
    for gap_ms, segments, recovery in acks:
        now += gap_ms * 10**6
        delivered += segments
        control.ack(
            now,
            segments * mss,
            flight_bytes=control.cwnd_bytes,
            srtt_ns=rtt_ms * 10**6,
            min_rtt_ns=rtt_ms * 10**6,
            recovery=recovery,
        )
        twin.sample(now / S, delivered, rtt_ms / 1000)
        # Each sample is rounded down and each step to the nearest byte per second.
        error = 1 + 1 / (1 - min(filter_q16 / 65536, 0.99999)) + 1e-9 * twin.rate * mss
        assert abs(control.state["rate_bytes_per_s"] - twin.rate * mss) <= error
    window = control.cwnd_bytes
    ssthresh = control.congestion(
        now, why, flight_bytes=window, srtt_ns=rtt_ms * 10**6, min_rtt_ns=rtt_ms * 10**6
    )
    expected = twin.ssthresh(rtt_ms / 1000, window / mss, timeout=why == "timeout") * mss
    assert abs(ssthresh - expected) <= 1 + error * rtt_ms / 1000


def test_recovery_does_not_stop_the_estimate() -> None:
    control = sender("westwood_plus", 100, 1000)
    _feed(control, 50, 80)
    before = control.state["rate_bytes_per_s"]
    window = control.cwnd_bytes
    now = 50 * RTT
    for _ in range(50):
        now += RTT
        control.ack(now, 20_000, flight_bytes=window, srtt_ns=RTT, min_rtt_ns=RTT, recovery=True)
    assert control.cwnd_bytes == window
    assert before == pytest.approx(800_000, rel=1e-3)
    assert control.state["rate_bytes_per_s"] == pytest.approx(200_000, rel=0.02)


def test_a_loss_leaves_what_the_path_carries_without_a_queue() -> None:
    """The point of the law: of 100 segments 80 fit the path, so 80 remain."""
    control = sender("westwood_plus", 100, 1000)
    now = _feed(control, 60, 80)
    assert lose(control, now, srtt_ns=RTT, min_rtt_ns=RTT) == pytest.approx(80_000, rel=0.01)


def test_a_timeout_may_go_back_up_to_the_estimate_and_a_loss_may_not_raise_the_window() -> None:
    for why, expected in (("timeout", 80_000), ("loss", 10_000)):
        control = sender("westwood_plus", 100, 1000)
        now = _feed(control, 60, 80)
        control.cwnd_bytes = 10_000
        found = control.congestion(now, why, flight_bytes=10_000, srtt_ns=RTT, min_rtt_ns=RTT)
        assert found == pytest.approx(expected, rel=0.01)


@given(segments=st.integers(2, 300), acks=st.integers(1, 300))
def test_the_window_grows_as_newrenos(segments: int, acks: int) -> None:
    both = [
        sender(method, segments, 1000, ssthresh=2000) for method in ("westwood_plus", "newreno")
    ]
    for control in both:
        for _ in range(acks):
            control.ack(0, 2000, flight_bytes=control.cwnd_bytes)
    assert both[0].cwnd_bytes == both[1].cwnd_bytes
