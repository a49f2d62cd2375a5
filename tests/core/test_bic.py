# SPDX-License-Identifier: GPL-2.0-only
"""BIC against its paper in floating point."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import MSS, ROUNDS, follow, lose, sender
from twins.bic import Bic

BETA = 52416 / 65536


@given(
    mss=MSS,
    segments=st.integers(2, 20_000),
    beta=st.one_of(st.just(52416), st.integers(32768, 64881)),
    s_max=st.integers(1, 64),
    divisor=st.integers(2, 8),
    fast=st.booleans(),
    rounds=ROUNDS,
)
def test_the_window_follows_the_paper(
    mss: int,
    segments: int,
    beta: int,
    s_max: int,
    divisor: int,
    fast: bool,
    rounds: list[tuple[int, int, str]],
) -> None:
    control = sender(
        "bic",
        segments,
        mss,
        beta_q16=beta,
        max_increment_pkts=s_max,
        search_divisor=divisor,
        fast_convergence=int(fast),
    )
    twin = Exact(mss, beta / 65536, s_max=s_max, b=divisor, fast_convergence=fast)
    follow(control, twin, mss, rounds)


class Exact(Bic):
    """The twin with its window at losses in whole bytes, since the law's cases jump there."""

    def __init__(self, mss: int, beta: float, **fields: float) -> None:
        super().__init__(beta, **fields)
        self.mss = mss

    def loss(self, window: float, flight: float) -> float:
        ssthresh = super().loss(window, flight)
        self.w_max = int(self.w_max * self.mss + 1e-6) / self.mss
        return ssthresh

    def per_window(self, window: float) -> float:
        """The step in whole bytes, as the law divides it."""
        step = super().per_window(window)
        searched = int((self.w_max - window) / self.b * self.mss + 1e-6) / self.mss
        if window > self.low and window < self.w_max and searched <= 1:
            step = self.b / self.smooth
        return int(step * self.mss + 1e-6) / self.mss


def test_the_phases_of_one_epoch() -> None:
    """Figure 2 of the paper: Smax per round trip, then halved distances, then probing."""
    control = sender("bic", 1000, 1000)
    lose(control, 0)
    windows = [control.cwnd_bytes / 1000]
    for _ in range(80):
        for _ in range(control.cwnd_bytes // 1000):
            control.ack(0, 1000, flight_bytes=control.cwnd_bytes)
        windows.append(control.cwnd_bytes / 1000)
    steps = [b - a for a, b in itertools.pairwise(windows)]
    assert windows[0] == pytest.approx(1000 * BETA, abs=0.01)
    assert steps[0] == pytest.approx(16, rel=0.02)
    at_max = min(range(len(windows)), key=lambda i: abs(windows[i] - 1000))
    assert steps[at_max] < 0.5
    assert max(steps[at_max:]) > 2
