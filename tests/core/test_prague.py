# SPDX-License-Identifier: GPL-2.0-only
"""Prague against its draft: the first mark, short round trips, and the fraction of a byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import S

from penstock import _native

MSS = 1448
VIRTUAL_NS = 25_000_000


def _control(segments: int, **params: int) -> _native.SenderControl:
    cwnd = segments * MSS
    control = _native.SenderControl(
        "prague", cwnd_bytes=cwnd, ssthresh_bytes=cwnd, mss_bytes=MSS, params=params
    )
    control.init(0, sent=cwnd)
    return control


def _round(control: _native.SenderControl, now_ns: int, rtt_ns: int) -> None:
    for _ in range(-(-control.cwnd_bytes // MSS)):
        control.ack(now_ns, MSS, flight_bytes=control.cwnd_bytes, srtt_ns=rtt_ns)


def test_until_a_mark_is_seen_the_fraction_is_one() -> None:
    control = _control(10)
    for turn in range(50):
        _round(control, turn * S // 20, S // 20)
    assert control.state["alpha_q32"] == 1 << 32
    window = control.cwnd_bytes
    assert control.congestion(0, "ecn", flight_bytes=window) == window - window // 2


@given(
    segments=st.integers(4, 300),
    rtt_ns=st.integers(1_000_000, 200_000_000),
    young=st.booleans(),
)
def test_growth_and_reduction_are_those_of_the_virtual_round_trip(
    segments: int, rtt_ns: int, young: bool
) -> None:
    """r^2 segments per window, and r alpha / 2 of it; r = 1 before the transition."""
    control = _control(segments, transition_rounds=1000 if young else 0)
    r = 1.0 if young else min(rtt_ns / VIRTUAL_NS, 1.0)
    window = control.cwnd_bytes
    control.ack(0, MSS, flight_bytes=window, srtt_ns=rtt_ns)
    part = control.state["fraction_bytes_q16"] / 65536
    grown = control.cwnd_bytes - window + part
    assert grown == pytest.approx(r * r * MSS / segments, rel=1e-3, abs=1e-2)
    kept = control.congestion(0, "ecn", flight_bytes=window, srtt_ns=rtt_ns)
    assert kept == pytest.approx(max(control.cwnd_bytes * (1 - r / 2), 2 * MSS), rel=1e-3)


def test_it_becomes_independent_after_its_transition() -> None:
    control = _control(10, transition_rounds=20)
    grown = []
    for turn in range(40):
        before = control.cwnd_bytes
        _round(control, turn * S // 200, S // 200)
        grown.append((control.cwnd_bytes - before) / MSS)
    assert grown[5] == pytest.approx(1, rel=0.15)
    assert grown[35] == pytest.approx(0.04, rel=0.25)  # (5 / 25)^2


def test_a_loss_halves() -> None:
    assert _control(100).congestion(0, "loss", flight_bytes=100 * MSS) == 50 * MSS
