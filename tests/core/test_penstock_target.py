# SPDX-License-Identifier: GPL-2.0-only
"""The queue that Penstock aims at, equation 8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.penstock import target

from penstock import _native

MSS = 1448
MS = 1_000_000


def _control(rate: int = 2_500_000, limit: int = 97_000, **params: int) -> _native.Control:
    return _native.Control(
        "droptail",
        "penstock",
        limit_bytes=limit,
        rate_bytes_per_s=rate,
        mss_bytes=MSS,
        params=params,
    )


@given(
    rate=st.integers(10_000, 1 << 32),
    limit=st.integers(1_000, 1 << 30),
    flows=st.integers(1, 10_000),
    time_ms=st.integers(0, 1000),
)
def test_the_target_is_a_time_and_what_full_use_needs(
    rate: int, limit: int, flows: int, time_ms: int
) -> None:
    control = _control(rate, limit, target_ns=time_ms * MS)
    control.tick(0, 0, 0, flows=flows)
    exact = target(limit * 3 // 10, rate, MSS, flows, time_ms / 1e3)
    assert control.state["target_bytes"] == pytest.approx(exact, rel=1e-3, abs=10)


def test_a_target_that_is_given_in_bytes_holds_at_any_rate() -> None:
    control = _control(target_bytes=97_000)
    control.tick(0, 0, 0, flows=8)
    assert control.state["target_bytes"] == 97_000
    control = _control(target_bytes=97_000, target_ns=10 * MS)
    control.tick(0, 0, 0, flows=8)
    assert control.state["target_bytes"] == 25_000
