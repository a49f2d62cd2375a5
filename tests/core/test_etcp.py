# SPDX-License-Identifier: GPL-2.0-only
"""ETCP against equations 13.12 to 13.15 of nis-2004."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.etcp import LAWS

from penstock import _native

FAR = 1 << 40
MSS = 1460


def _sender(method: str, segments: float, mss: int = MSS, **params: int) -> _native.SenderControl:
    return _native.SenderControl(
        method,
        cwnd_bytes=round(segments * mss),
        ssthresh_bytes=FAR,
        mss_bytes=mss,
        params=params,
    )


@pytest.mark.parametrize("method", LAWS)
def test_figure_13_4(method: str) -> None:
    """ARWND of 64 segments from the SYN-ACK on, an initial window of 3 segments."""
    control, exact = _sender(method, 3), 3.0
    control.init(0, window_bytes=64 * MSS)
    exact = LAWS[method](exact, 64, 3)
    for _ in range(150):
        assert control.cwnd_bytes / MSS == pytest.approx(exact, abs=0.003)
        control.ack(0, MSS, flight_bytes=MSS, window_bytes=64 * MSS)
        exact = LAWS[method](exact, 64, 3)
    assert (control.cwnd_bytes == 64 * MSS) == (method != "etcp_3" and method != "etcp_3b")


@given(
    method=st.sampled_from(sorted(LAWS)),
    mss=st.integers(88, 9000),
    initial=st.integers(1, 64),
    windows=st.lists(st.floats(0.1, 20_000), min_size=1, max_size=40),
)
def test_the_window_follows_the_equations(
    method: str, mss: int, initial: int, windows: list[float]
) -> None:
    control = _sender(method, initial, mss)
    control.init(0)
    assert control.cwnd_bytes == initial * mss
    for window in windows:
        offered = max(round(window * mss), 1)
        exact = max(LAWS[method](control.cwnd_bytes / mss, offered / mss, initial), 1.0)
        control.ack(0, mss, flight_bytes=mss, window_bytes=offered)
        assert control.cwnd_bytes / mss == pytest.approx(exact, rel=1e-6, abs=1.01 / mss)


@pytest.mark.parametrize("method", LAWS)
def test_the_syn_acks_window_may_count_for_nothing(method: str) -> None:
    control = _sender(method, 10, syn_window=0)
    control.init(0, window_bytes=64 * MSS)
    assert control.cwnd_bytes == 10 * MSS


@pytest.mark.parametrize("method", LAWS)
def test_a_loss_is_newrenos(method: str) -> None:
    control = _sender(method, 40)
    assert control.congestion(0, "loss", flight_bytes=40 * MSS) == 20 * MSS


@pytest.mark.parametrize("method", LAWS)
def test_slow_start_follows_a_timeout(method: str) -> None:
    control = _sender(method, 16)
    control.init(0)
    control.congestion(0, "timeout", flight_bytes=16 * MSS)
    control.cwnd_bytes = MSS
    windows = []
    for _ in range(8):
        control.ack(0, MSS, flight_bytes=MSS, window_bytes=64 * MSS)
        windows.append(control.cwnd_bytes // MSS)
    assert windows[:7] == [2, 3, 4, 5, 6, 7, 8]
    assert windows[7] == int(LAWS[method](8, 64, 16))


@pytest.mark.parametrize("method", LAWS)
def test_a_zero_window_leaves_it(method: str) -> None:
    control = _sender(method, 8)
    control.ack(0, MSS, flight_bytes=MSS, window_bytes=0)
    assert control.cwnd_bytes == 8 * MSS
