# SPDX-License-Identifier: GPL-2.0-only
"""DCTCP against RFC 8257 in floating point, and its published steady state."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import S
from twins.dctcp import Dctcp, steady_window

from penstock import _native

MSS = 1448


def _control(method: str, segments: int, **params: int) -> _native.SenderControl:
    cwnd = segments * MSS
    control = _native.SenderControl(
        method, cwnd_bytes=cwnd, ssthresh_bytes=cwnd, mss_bytes=MSS, params=params
    )
    control.init(0, sent=cwnd)
    return control


def _play(
    control: _native.SenderControl, marks: Callable[[], bool], acks: int, rtt_ns: int = S // 20
) -> list[float]:
    """A connection whose ACKs echo `marks`; windows in segments, one per ACK.

    As the host does: one reduction per window of data, and no growth on an ACK with ECE.
    """
    now, until, windows = 0.0, 0, []
    for _ in range(acks):
        now += rtt_ns * MSS / control.cwnd_bytes
        echoes = marks()
        flight = control.cwnd_bytes
        seen = {"flight_bytes": flight, "srtt_ns": rtt_ns}
        if echoes and control.una + MSS > until:
            control.cwnd_bytes = control.congestion(int(now), "ecn", **seen)
            until = control.una + flight
        control.ack(int(now), MSS, **seen, echoes=echoes, recovery=echoes)
        windows.append(control.cwnd_bytes / MSS)
    return windows


@given(
    segments=st.integers(2, 500),
    gain=st.integers(66, 65536),
    alpha=st.integers(0, 1 << 32),
    marks=st.lists(st.booleans(), min_size=1, max_size=600),
)
def test_the_fraction_and_the_reduction_follow_the_rfc(
    segments: int, gain: int, alpha: int, marks: list[bool]
) -> None:
    control = _control("dctcp", segments, gain_q16=gain, initial_alpha_q32=alpha)
    twin = Dctcp(segments, segments, alpha=alpha / (1 << 32), g=gain / 65536)
    for una, echoes in enumerate(marks, 1):
        before = control.cwnd_bytes
        control.ack(una, MSS, flight_bytes=before, echoes=echoes, recovery=True)
        twin.ack(una, max(segments, una + before / MSS - 1), 1, ece=echoes)
        assert abs(control.state["alpha_q32"] / (1 << 32) - twin.alpha) < 1e-6
        twin.window = before / MSS
        twin.reduce()
        reduced = control.congestion(una, "ecn", flight_bytes=before)
        assert abs(reduced - max(twin.window * MSS, 2 * MSS)) <= 2 + 1e-6 * before


def _steady(method: str, p: float) -> float:
    """The mean window in segments where each packet is marked with probability `p`."""
    stream = random.Random(8257)
    control = _control(method, round(2 / p))
    windows = _play(control, lambda: stream.random() < p, 60_000)[20_000:]
    return sum(windows) / len(windows)


@pytest.mark.parametrize("method", ["dctcp", "prague"])
def test_the_window_is_two_over_p(method: str) -> None:
    """And not over its root, as where each mark halves.

    Up to 2.7 / p, x = 2 (1 + 1 / x): a reduction waits for the first mark after the last window.
    """
    windows = {p: _steady(method, p) for p in (0.02, 0.1)}
    for p, window in windows.items():
        assert 0.85 * steady_window(p) < window < 2.75 / p
    ratio = steady_window(0.02) / steady_window(0.1)  # 5.4; over the root it would be 2.4
    assert windows[0.02] / windows[0.1] == pytest.approx(ratio, rel=0.2)


def test_a_loss_halves_as_ever() -> None:
    control = _control("dctcp", 100)
    assert control.congestion(0, "loss", flight_bytes=60 * MSS) == 30 * MSS


def test_without_marks_the_fraction_vanishes() -> None:
    control = _control("dctcp", 10)
    _play(control, lambda: False, 3000)
    assert control.state["alpha_q32"] < (1 << 32) / 50
    assert control.congestion(0, "ecn", flight_bytes=control.cwnd_bytes) > 0.99 * control.cwnd_bytes
