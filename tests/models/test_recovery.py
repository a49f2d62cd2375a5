# SPDX-License-Identifier: GPL-2.0-only
"""The time back to the old window against sums that can be done by hand."""

from math import log

import pytest

from penstock.results.models import recovery

LINK = recovery.Link(rate_per_s=1000, rtt_s=0.1, queue_segments=20)


def test_a_link_holds_what_fills_it() -> None:
    assert LINK.pipe_segments == 100
    assert LINK.w_max_segments == 120


def test_additive_increase_takes_a_round_trip_per_segment() -> None:
    """From 60: 40 round trips of 0.1 s, then 20 that grow from 0.1 to 0.12 s."""
    wanted = 40 * 0.1 + sum((100 + k) / 1000 for k in range(20))
    assert recovery.recovery_s(LINK, 60, recovery.additive) == pytest.approx(wanted, rel=0.01)


def test_logarithmic_increase_closes_in_and_then_is_additive() -> None:
    """dW = (Wmax - W) / alpha per round trip down to a distance of alpha, then 1."""
    wanted = 4 * log(60 / 4) + 4
    found = recovery.recovery_s(LINK, 60, recovery.logarithmic(4))
    assert found / 0.105 == pytest.approx(wanted, rel=0.1)


def test_the_old_window_takes_no_time() -> None:
    assert recovery.recovery_s(LINK, 120, recovery.additive) == 0
