# SPDX-License-Identifier: GPL-2.0-only
"""AWM against equations 6 to 8 of ewt-2019, over sequences of events."""

from hypothesis import given
from hypothesis import strategies as st
from twins.awm import Awm

from penstock import _native

MAX_BYTES = 1 << 40
MAX_WINDOW = 65535 << 14


def _control(limit: int, mss: int = 1448, **params: int) -> _native.Control:
    return _native.Control("droptail", "awm", limit_bytes=limit, mss_bytes=mss, params=params)


def test_a_queue_that_grows_takes_its_share_from_the_window() -> None:
    control = _control(100_000, alpha_q32=0, first_bytes=50_000)
    control.accepted(0, 1500, 1, 1500, flows=3)
    assert control.ack(0, 1500, 1, 65_535) == 49_500
    control.left(1, 0, 0, 1500, flows=3)
    assert control.ack(1, 0, 0, 65_535) == 50_000


def test_the_window_rises_below_the_target_and_falls_above() -> None:
    control = _control(100_000, alpha_q32=1 << 22, first_bytes=50_000, target_bytes=40_000)
    control.left(0, 0, 0, 1500)
    assert control.ack(0, 0, 0, 65_535) == 50_000 + 40_000 // 1024
    before = control.state["swnd_bytes_q16"] / 65536
    control.accepted(1, 60_000, 1, 60_000, flows=1000)
    after = control.state["swnd_bytes_q16"] / 65536
    assert abs(after - (before - 60_000 / 1000 - 20_000 / 1024)) < 0.001


def test_a_packet_that_does_not_fit_is_no_event() -> None:
    control = _control(10_000)
    before = control.state
    control.arrive(0, 9_000, 6, 1500)
    control.overflow(0, 9_000, 6, 1500)
    assert control.state == before


def test_the_window_is_never_below_one_segment() -> None:
    control = _control(100_000, alpha_q32=1 << 32)
    for _ in range(5):
        control.accepted(0, 90_000, 60, 1500)
    assert control.ack(0, 90_000, 60, 65_535) == 1448


@given(
    limit=st.integers(1, MAX_BYTES),
    mss=st.integers(1, 65535),
    alpha_q32=st.one_of(st.just(1 << 20), st.integers(0, 1 << 32)),
    target=st.floats(0, 1),
    first=st.integers(1, MAX_BYTES),
    cap=st.one_of(st.just(MAX_WINDOW), st.integers(65535, MAX_BYTES)),
    events=st.lists(
        st.tuples(st.booleans(), st.floats(0, 1), st.integers(1, 65535), st.integers(1, 1 << 20)),
        min_size=1,
        max_size=80,
    ),
    wr=st.integers(0, MAX_WINDOW),
)
def test_awm_follows_its_equations(
    limit: int,
    mss: int,
    alpha_q32: int,
    target: float,
    first: int,
    cap: int,
    events: list[tuple[bool, float, int, int]],
    wr: int,
) -> None:
    target_bytes = int(target * limit)
    control = _control(
        limit,
        mss,
        alpha_q32=alpha_q32,
        target_bytes=target_bytes,
        first_bytes=first,
        cap_bytes=cap,
    )
    twin = Awm(min(first, cap), alpha_q32 / 2**32, target_bytes, mss, cap)
    for n, (arrives, level, size, flows) in enumerate(events, 1):
        queue = int(level * limit)
        if arrives:
            if queue + size <= limit:
                control.accepted(n, queue + size, 1, size, flows=flows)
                twin.event(queue + size, flows)
        else:
            control.left(n, queue, 1, size, flows=flows)
            twin.event(queue, flows)
        # Two terms rounded down by less than 2^-16 byte each; doubles by 2^-12 of 2^40.
        error = n * 2 / 65536 + n * (limit + cap) * 1e-15
        assert abs(control.state["swnd_bytes_q16"] / 65536 - twin.swnd) <= error
        assert abs(control.ack(n, queue, 1, wr) - twin.ack(wr)) <= error + 1
