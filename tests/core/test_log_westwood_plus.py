# SPDX-License-Identifier: GPL-2.0-only
"""LogWestwood+ against log-westwood-2006 section II in floating point."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import MSS, S, lose, sender
from twins.westwood import LogGrowth

from penstock import _native

RTT = S // 10


@given(
    mss=MSS,
    segments=st.integers(4, 20_000),
    alpha=st.sampled_from([2, 4, 8, 64]),
    adaptive=st.booleans(),
    rounds=st.lists(
        st.tuples(
            st.integers(1, 300),  # ACKs
            st.integers(1, 40),  # segments an ACK covers
            st.floats(0.3, 1.0),  # of the window that a loss leaves
            st.sampled_from(["loss", "ecn", "timeout"]),
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_the_window_follows_equations_6_and_7(
    mss: int,
    segments: int,
    alpha: int,
    adaptive: bool,
    rounds: list[tuple[int, int, float, str]],
) -> None:
    control = sender("log_westwood_plus", segments, mss, alpha=alpha, adaptive=int(adaptive))
    twin = LogGrowth(alpha, adaptive)
    for acks, acked, left, why in rounds:
        window = control.cwnd_bytes
        twin.lost(window / mss)
        lose(control, 0, why)
        control.cwnd_bytes = control.ssthresh_bytes = max(int(window * left), 2 * mss)
        for _ in range(acks):
            window, part = control.cwnd_bytes, control.state["fraction_bytes_q16"] / 65536
            control.ack(0, acked * mss, flight_bytes=window)
            grown = control.cwnd_bytes - window
            grown += control.state["fraction_bytes_q16"] / 65536 - part
            counted = min(acked, window / mss)
            # The distance over alpha counts in whole bytes.
            error = counted * mss / window + 0.01
            step = twin.ack(window / mss, counted) * mss
            assert abs(grown - step) <= error + 1e-6 * step
            twin.reached(control.cwnd_bytes / mss)
            assert control.state["alpha"] == min(twin.alpha, 65536)


def _round_trips_back(control: _native.SenderControl, window: int) -> int:
    rounds = 0
    while control.cwnd_bytes < window:
        for _ in range(control.cwnd_bytes // 1000):
            control.ack(0, 1000, flight_bytes=control.cwnd_bytes)
        rounds += 1
    return rounds


@pytest.mark.parametrize("alpha", [2, 4, 8])
def test_the_way_back_to_w_max_is_a_logarithm(alpha: int) -> None:
    """The distance shrinks by 1 / alpha per round trip down to alpha segments; 1 / W is left."""
    control = sender("log_westwood_plus", 733, 1000, alpha=alpha, adaptive=0)
    lose(control, 0)
    control.cwnd_bytes = control.ssthresh_bytes = 600_000
    expected = log(133 / alpha) / log(1 + 1 / alpha) + alpha
    assert _round_trips_back(control, 733_000) == pytest.approx(expected, rel=0.25, abs=3)


def test_alpha_doubles_at_a_loss_below_w_max_and_halves_at_w_max() -> None:
    control = sender("log_westwood_plus", 400, 1000)
    seen = []
    for window in (200_000, 100_000, 50_000, 25_000):
        lose(control, 0)
        control.cwnd_bytes = control.ssthresh_bytes = window
        seen.append(control.state["alpha"])
    for _ in range(4):
        _round_trips_back(control, control.state["w_max_bytes"])
        seen.append(control.state["alpha"])
        lose(control, 0)
        control.cwnd_bytes = control.ssthresh_bytes = 40_000
    assert seen == [2, 4, 8, 16, 8, 4, 2, 2]


def test_the_decrease_is_westwoods() -> None:
    both = [sender(method, 100, 1000) for method in ("westwood_plus", "log_westwood_plus")]
    for control in both:
        for k in range(1, 50):
            control.ack(
                k * RTT, 60_000, flight_bytes=100_000, srtt_ns=RTT, min_rtt_ns=RTT, recovery=k > 25
            )
        control.congestion(50 * RTT, "loss", flight_bytes=100_000, srtt_ns=RTT, min_rtt_ns=RTT)
    assert both[0].ssthresh_bytes == both[1].ssthresh_bytes < 70_000
