# SPDX-License-Identifier: GPL-2.0-only
"""How Penstock's windows follow the queue to come, equations 4 and 7."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.penstock import Penstock

from penstock import _native

MAX_WINDOW = 65535 << 14
MSS = 1448
MS = 1_000_000


def _control() -> _native.Control:
    return _native.Control(
        "droptail",
        "penstock",
        limit_bytes=97_000,
        rate_bytes_per_s=2_500_000,
        mss_bytes=MSS,
        params={"target_bytes": 29_100, "rtt_ns": 40 * MS},
    )


@given(
    queue=st.integers(0, 97_000),
    steps=st.lists(
        st.tuples(
            st.integers(0, 9 * MS),
            st.integers(0, 20 * MSS),
            st.integers(1, 40 * MSS),
            st.booleans(),
            st.booleans(),
            st.booleans(),
        ),
        min_size=1,
        max_size=40,
    ),
)
def test_windows_grow_as_far_as_the_queue_to_come_allows(
    queue: int, steps: list[tuple[int, int, int, bool, bool, bool]]
) -> None:
    control, twin = _control(), Penstock(2_500_000, 97_000, 29_100, MSS + 66, MSS, rtt=0.04)
    now = 0
    for after, acked, granted, step, fills, more in steps:
        now += after
        if step:
            control.tick(now, queue, 0, flows=8)
            twin.use = control.state["use_q16"] / 65536
            twin.foresee(now / 1e9, queue)
        window = control.ack(
            now,
            queue,
            0,
            MAX_WINDOW,
            flight_bytes=20 * MSS,
            flows=8,
            rtt_ns=40 * MS,
            granted_bytes=granted,
            acked_bytes=acked,
            fills=fills,
            more=more,
        )
        planned = MSS * twin.whole(
            control.state["segments_q16"] / 65536, 1, (now >> 16 << 16) / 1e9, 0.04
        )
        assert window == pytest.approx(
            twin.grown(now / 1e9, queue, planned, granted, acked, fills=fills, more=more), abs=64
        )
        assert control.state["coming_bytes"] == pytest.approx(twin.coming, abs=64)
        twin.coming = control.state["coming_bytes"]


def _grant(
    control: _native.Control, flows: int, flight: int, acked: int, now: int = 0, queue: int = 0
) -> int:
    """The window for an ACK of so many segments by a flow that uses what was granted."""
    return control.ack(
        now,
        queue,
        0,
        MAX_WINDOW,
        flows=flows,
        rtt_ns=40 * MS,
        flight_bytes=flight * MSS,
        granted_bytes=flight * MSS,
        acked_bytes=acked * MSS,
    )


def test_growth_waits_while_the_queue_is_high_and_goes_on_below() -> None:
    control = _control()
    control.tick(0, 0, 0)
    assert _grant(control, 1, 10, 2) == 12 * MSS
    control.tick(10 * MS, 0, 0)
    assert _grant(control, 1, 10, 2, 10 * MS, queue=63_100) == 10 * MSS
    # Without a queue, what has been let out is a queue to come.
    control = _control()
    control.tick(0, 0, 0)
    granted = [_grant(control, 1, 10, 2) for _ in range(20)]
    assert granted[0] == 12 * MSS
    assert granted[-1] == 10 * MSS
    # It leaves at the rate of the link.
    assert _grant(control, 1, 10, 2, 30 * MS) == 12 * MSS


def test_a_burst_of_acks_gets_smaller_windows_and_a_pause_gives_them_back() -> None:
    """ACK compression: what a burst lets out above the target is taken off each share."""
    control = _control()
    control.tick(0, 0, 0, flows=4)
    share = control.ack(0, 0, 0, MAX_WINDOW, flows=4, rtt_ns=40 * MS)
    granted = [_grant(control, 4, 24, 8) for _ in range(20)]
    assert granted[0] <= share
    assert granted == sorted(granted, reverse=True)
    assert granted[-1] == 16 * MSS  # lets out nothing
    # It leaves at the rate of the link.
    assert _grant(control, 4, 24, 8, 100 * MS) == granted[0]


def test_the_queue_to_come_is_no_more_than_path_and_buffer_hold() -> None:
    """Or one forged ACK would hold all windows down for as long as its claim takes to drain."""
    control = _control()
    control.tick(0, 0, 0, flows=1)
    many = 1_000_000_000
    common = {"flows": 1, "rtt_ns": 40 * MS, "granted_bytes": 20 * MSS}
    control.ack(MS, 0, 0, MAX_WINDOW, flight_bytes=many, acked_bytes=many, **common)
    assert control.state["coming_bytes"] > many / 2
    control.tick(10 * MS, 0, 0, flows=1)
    assert control.state["coming_bytes"] <= 97_000 + 2_500_000 * 0.04


def _ack(control: _native.Control, granted: int, acked: int, *, flows: int, **flow: bool) -> int:
    """The window for one of the ACKs of a moment without a queue, all in segments."""
    return control.ack(
        0,
        0,
        0,
        MAX_WINDOW,
        flows=flows,
        rtt_ns=40 * MS,
        flight_bytes=40 * MSS,
        granted_bytes=granted * MSS,
        acked_bytes=acked * MSS,
        **flow,
    )


def test_a_window_falls_by_half_of_what_is_acknowledged_while_there_is_room() -> None:
    control = _control()
    control.tick(0, 0, 0)
    assert _ack(control, 40, 4, flows=8, fills=True) == 38 * MSS
    # One that is not filled loses nothing.
    assert _ack(control, 40, 4, flows=8) < 12 * MSS
    # What was let out before leaves no room.
    control = _control()
    control.tick(0, 0, 0)
    while control.state["coming_bytes"] < 29_100:
        _ack(control, 4, 4, flows=1)
    assert _ack(control, 40, 4, flows=8, fills=True) < 12 * MSS


def test_an_edge_that_went_back_lets_out_nothing_until_it_is_ahead_again() -> None:
    control = _control()
    control.tick(0, 0, 0)
    share = _ack(control, 40, 2, flows=8) // MSS
    assert share < 12
    for _ in range((38 - share) // 2 - 1):
        assert _ack(control, share, 2, flows=8) == share * MSS
        assert control.state["coming_bytes"] == 0
    _ack(control, share, 2, flows=8)
    _ack(control, share, 2, flows=8)
    assert control.state["coming_bytes"] >= 2 * MSS


def test_a_sender_that_has_no_more_is_let_out_nothing() -> None:
    for more, fills in ((True, False), (False, True), (False, False)):
        control = _control()
        control.tick(0, 0, 0)
        _ack(control, 4, 2, flows=1, more=more, fills=fills)
        assert (control.state["coming_bytes"] > 0) == (more or fills)
