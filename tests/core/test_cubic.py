# SPDX-License-Identifier: GPL-2.0-only
"""CUBIC against RFC 9438 in floating point, over time."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.cubic import Cubic

from penstock import _native

S = 10**9
MSS = 1448
FAR = 1 << 40
C, BETA = 26214 / 65536, 45875 / 65536  # 0.4 and 0.7 as q16 has them


def _control(cwnd: float, ssthresh: int = FAR, **params: int) -> _native.SenderControl:
    return _native.SenderControl(
        "cubic", cwnd_bytes=int(cwnd), ssthresh_bytes=ssthresh, mss_bytes=MSS, params=params
    )


def _lose(control: _native.SenderControl, why: str = "loss") -> None:
    """A reduction with the whole window in flight; cwnd as after recovery."""
    control.cwnd_bytes = control.congestion(0, why, flight_bytes=control.cwnd_bytes)


def _ack_for(control: _native.SenderControl, start: int, until: int, rtt: int) -> None:
    """ACKs of one window per round trip, two segments each, from start to until."""
    now = start
    while now < until:
        acks = max(control.cwnd_bytes // (2 * MSS), 1)
        for i in range(acks):
            at = now + rtt * i // acks
            control.ack(at, 2 * MSS, flight_bytes=control.cwnd_bytes, srtt_ns=rtt)
        now += rtt


def test_slow_start_adds_what_is_acknowledged_up_to_two_segments() -> None:
    control = _control(10 * MSS)
    control.ack(0, 5 * MSS, flight_bytes=10 * MSS)
    assert control.cwnd_bytes == 12 * MSS


def test_a_loss_leaves_seven_tenths_of_the_flight_and_never_less_than_two_segments() -> None:
    assert (
        _control(100 * MSS).congestion(0, "loss", flight_bytes=100 * MSS) == 100 * MSS * 45875 >> 16
    )
    assert _control(2 * MSS).congestion(0, "ecn", flight_bytes=2 * MSS) == 2 * MSS


@pytest.mark.parametrize("segments", [300, 1000, 10_000])
def test_the_window_is_back_at_w_max_after_k_and_flat_there(segments: int) -> None:
    control = _control(segments * MSS)
    _lose(control)
    k = (segments * 0.3 / 0.4) ** (1 / 3)
    _ack_for(control, 0, int(k * S), S // 10)
    assert control.cwnd_bytes / MSS == pytest.approx(segments, rel=0.01, abs=1)


def test_fast_convergence_lowers_w_max_when_the_window_fell() -> None:
    for on in (0, 1):
        control = _control(100 * MSS, fast_convergence=on)
        _lose(control)
        control.ack(0, MSS, flight_bytes=70 * MSS, srtt_ns=S // 10)
        fell = control.cwnd_bytes
        _lose(control)
        assert control.state["w_max_bytes"] == (int(fell * (1 + BETA) / 2) if on else fell)


def test_after_a_timeout_k_is_zero_and_w_max_the_window() -> None:
    control = _control(100 * MSS)
    _lose(control, "timeout")
    control.ack(S, MSS, flight_bytes=70 * MSS, srtt_ns=S // 10)
    assert control.state["k_q20"] == 0
    assert control.state["w_max_bytes"] == 100 * MSS * 45875 >> 16


def test_time_limited_by_the_application_does_not_count() -> None:
    idle, busy = _control(100 * MSS), _control(100 * MSS)
    for control in (idle, busy):
        _lose(control)
        control.ack(0, MSS, flight_bytes=70 * MSS, srtt_ns=S // 10)
    for at in range(1, 101):
        idle.ack(at * S // 10, MSS, flight_bytes=MSS, srtt_ns=S // 10, cwnd_limited=False)
    before = idle.cwnd_bytes
    idle.ack(101 * S // 10, MSS, flight_bytes=before, srtt_ns=S // 10)
    busy.ack(S // 10, MSS, flight_bytes=before, srtt_ns=S // 10)
    assert idle.cwnd_bytes == busy.cwnd_bytes


def test_a_pause_without_acks_does_not_count() -> None:
    control = _control(100 * MSS)
    _lose(control)
    control.ack(0, MSS, flight_bytes=70 * MSS, srtt_ns=S // 10)
    control.ack(3600 * S, MSS, flight_bytes=70 * MSS, srtt_ns=S // 10)
    assert 3600 * S - control.state["epoch_ns"] == S // 2


def test_short_round_trips_grow_as_a_reno_flow_does() -> None:
    # RFC 9438 section 4.3: at small windows and RTTs, W_est leads.
    control = _control(20 * MSS)
    _lose(control)
    twin = Cubic(20 * 45875 / 65536, c=C, beta=BETA, w_max=20, prior=20, after_loss=True)
    rtt = S // 1000
    for i in range(400):
        control.ack(i * rtt // 10, 2 * MSS, flight_bytes=control.cwnd_bytes, srtt_ns=rtt)
        twin.ack(i * 1e-4, 2, 1e-3)
    assert twin.w_est > twin.w_cubic(0.04)
    assert control.cwnd_bytes / MSS == pytest.approx(twin.cwnd, abs=0.01)


@pytest.mark.parametrize("interval_ms", [0, 1, 10])
def test_w_est_is_looked_at_no_more_often_than_the_interval(interval_ms: int) -> None:
    each_ns = interval_ms * S // 1000
    control = _control(20 * MSS, w_est_interval_ns=each_ns)
    _lose(control)
    rtt = S // 1000
    looks = []
    for i in range(400):  # 40 ms
        before = control.cwnd_bytes
        control.ack(i * rtt // 10, 2 * MSS, flight_bytes=before, srtt_ns=rtt)
        w_est = control.state["w_est_bytes_q16"] >> 16
        assert control.cwnd_bytes in (before, w_est)
        if control.cwnd_bytes != before:
            looks.append(i * rtt // 10)
    gaps = [later - earlier for earlier, later in pairwise([0, *looks])]
    assert min(gaps[1:]) >= max(each_ns, rtt // 10)
    assert len(looks) == (39 // interval_ms if interval_ms else 400)


@given(
    mss=st.integers(88, 9000),
    start=st.integers(4, 20_000),
    c_q16=st.one_of(st.just(26_214), st.integers(6_554, 655_360)),
    beta_q16=st.one_of(st.just(45_875), st.integers(32_768, 62_259)),
    fast=st.booleans(),
    rounds=st.lists(
        st.tuples(
            st.integers(1, 450),  # ms from one ACK to the next
            st.integers(1, 300),  # ACKs
            st.integers(1, 3),  # segments an ACK covers
            st.integers(1, 500),  # RTT, ms
            st.sampled_from(["loss", "ecn", "timeout"]),
        ),
        min_size=1,
        max_size=5,
    ),
)
def test_the_window_follows_rfc_9438(
    mss: int,
    start: int,
    c_q16: int,
    beta_q16: int,
    fast: bool,
    rounds: list[tuple[int, int, int, int, str]],
) -> None:
    control = _native.SenderControl(
        "cubic",
        cwnd_bytes=start * mss,
        ssthresh_bytes=FAR,
        mss_bytes=mss,
        params={"c_q16": c_q16, "beta_q16": beta_q16, "fast_convergence": int(fast)},
    )
    twin = Cubic(float(start), c=c_q16 / 65536, beta=beta_q16 / 65536, fast_convergence=fast)
    now = 0
    for gap, acks, acked, rtt, why in rounds:
        flight = control.cwnd_bytes
        ssthresh = control.congestion(now, why, flight_bytes=flight)
        expected = twin.loss(flight / mss, timeout=why == "timeout")
        assert abs(ssthresh / mss - expected) <= 1 / mss
        control.cwnd_bytes, twin.cwnd = ssthresh, ssthresh / mss
        # K and t in 2^-20 s, t^3 in 2^-9 s^3, windows in whole bytes.
        error = c_q16 / 65536 / 256 + 3 / mss
        for _ in range(acks):
            now += gap * 1_000_000
            control.ack(now, acked * mss, flight_bytes=control.cwnd_bytes, srtt_ns=rtt * 1_000_000)
            # No more is counted than the window holds; an ACK cannot cover more.
            twin.ack(now / S, min(acked, twin.cwnd), rtt / 1000)
            if twin.cwnd > 2**40 / mss:
                return
            # The growth jumps where W_cubic(t) meets W_est; there either is right.
            if abs(twin.lead) <= error + 2e-5 * twin.cwnd:
                error += twin.step + acked / twin.cwnd
            assert abs(control.cwnd_bytes / mss - twin.cwnd) <= error + 2e-5 * twin.cwnd
        twin.cwnd = control.cwnd_bytes / mss
        twin.w_est = control.state["w_est_bytes_q16"] / 65536 / mss
