# SPDX-License-Identifier: GPL-2.0-only
"""A sender's law and its twin side by side, one step at a time.

Each step starts from the integer window of core/, so that what is compared is one step of
the law: no error adds up, and both sides of a jump see the same window.
"""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from hypothesis import strategies as st

from penstock import _native

S: Final = 10**9
FAR: Final = 1 << 40
_STEP_ERROR_BYTES: Final = 0.01

# Rounds of (ACKs, segments that an ACK covers, what ends the round).
ROUNDS: Final = st.lists(
    st.tuples(st.integers(1, 200), st.integers(1, 3), st.sampled_from(["loss", "ecn", "timeout"])),
    min_size=1,
    max_size=6,
)
MSS: Final = st.integers(88, 9000)


class Twin(Protocol):
    """A law in floating point; windows in segments."""

    def ack(self, window: float, acked: float) -> float:
        """What the window grows by."""

    def loss(self, window: float, flight: float) -> float:
        """The new ssthresh."""


def sender(
    method: str, segments: float, mss: int, ssthresh: int = FAR, **params: int
) -> _native.SenderControl:
    """A connection whose window is so many segments."""
    control = _native.SenderControl(
        method,
        cwnd_bytes=int(segments * mss),
        ssthresh_bytes=ssthresh,
        mss_bytes=mss,
        params=params,
    )
    control.init(0)
    return control


def lose(control: _native.SenderControl, now_ns: int, why: str = "loss", **seen: int) -> int:
    """A reduction with the whole window in flight; cwnd as after the recovery."""
    flight = control.cwnd_bytes
    control.cwnd_bytes = control.congestion(now_ns, why, flight_bytes=flight, **seen)
    control.recovered(now_ns)
    return control.cwnd_bytes


def follow(
    control: _native.SenderControl,
    twin: Twin,
    mss: int,
    rounds: Sequence[tuple[int, int, str]],
    **seen: Any,
) -> None:
    """Losses and ACKs in congestion avoidance: `control` does what `twin` says."""
    now = 0
    for acks, acked, why in rounds:
        window = control.cwnd_bytes
        expected = twin.loss(window / mss, window / mss)
        assert abs(lose(control, now, why, **seen) - expected * mss) <= 1
        for _ in range(acks):
            now += S // 100
            window, part = control.cwnd_bytes, control.state["fraction_bytes_q16"] / 65536
            counted = min(acked, window / mss)
            control.ack(now, acked * mss, flight_bytes=window, **seen)
            grown = control.cwnd_bytes - window
            grown += control.state["fraction_bytes_q16"] / 65536 - part
            step = twin.ack(window / mss, counted) * mss
            assert abs(grown - step) <= _STEP_ERROR_BYTES + 1e-4 * step
