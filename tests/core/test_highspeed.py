# SPDX-License-Identifier: GPL-2.0-only
"""HighSpeed TCP against RFC 3649 in floating point."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sender_steps import MSS, ROUNDS, follow, lose, sender
from twins.highspeed import HighSpeed, decrease, increase

TWIN: Final = HighSpeed()


@given(mss=MSS, segments=st.integers(2, 120_000), rounds=ROUNDS)
def test_the_window_follows_rfc_3649(
    mss: int, segments: int, rounds: list[tuple[int, int, str]]
) -> None:
    follow(sender("highspeed", segments, mss), TWIN, mss, rounds)


def test_every_row_of_the_table_is_the_rfcs() -> None:
    assert len(TWIN.rows) == 73
    for window, a, b in TWIN.rows:
        for segments, row in ((window, (a, b)), (window + 1, TWIN.row(window + 1)[1:])):
            control = sender("highspeed", segments, 1000, ssthresh=2000)
            control.ack(0, 1000, flight_bytes=segments * 1000)
            grown = control.cwnd_bytes - segments * 1000
            grown += control.state["fraction_bytes_q16"] / 65536
            assert grown == pytest.approx(row[0] * 1000 / segments, rel=1e-4, abs=1e-4)
            left = sender("highspeed", segments, 1000)
            assert lose(left, 0) == pytest.approx(segments * 1000 * (1 - row[1]), abs=1)


@pytest.mark.parametrize("window", [40, 100, 500, 3000, 20_000, 83_000])
def test_the_table_is_near_the_formula(window: int) -> None:
    """It is never below the formula, by at most one segment more."""
    _, a, b = TWIN.row(window)
    assert -0.01 * a <= a - increase(window) <= 1.01 + 0.01 * a
    assert b == pytest.approx(decrease(window), abs=0.06 if window < 118 else 0.04)
