# SPDX-License-Identifier: GPL-2.0-only
"""Penstock against its equations: the loop, its anti-windup, windows and first flights."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.penstock import Penstock

from penstock import _native

MAX_WINDOW = 65535 << 14
MSS = 1448
WIRE = MSS + 66
Q32 = 1 << 32
MS = 1_000_000


def _control(rate: int = 2_500_000, target: int = 29_100, **params: int) -> _native.Control:
    return _native.Control(
        "droptail",
        "penstock",
        limit_bytes=max(97_000, target),
        rate_bytes_per_s=rate,
        mss_bytes=MSS,
        params={"target_bytes": target, **params},
    )


def _twin(rate: float = 2_500_000, target: float = 29_100, **more: float) -> Penstock:
    return Penstock(rate, max(97_000, target), target, WIRE, MSS, **more)


def _full(control: _native.Control, flows: int = 8, acked: int = 10 * MSS, now: int = 0) -> int:
    """An ACK of a flow that uses up its share; bytes on the wire that it acknowledges."""
    for bytes_ in (0, acked):  # with the first one the flow is granted the share
        control.ack(
            now,
            0,
            0,
            MAX_WINDOW,
            flows=flows,
            flight_bytes=bytes_,
            granted_bytes=MAX_WINDOW - 1,
            acked_bytes=bytes_,
            fills=True,
        )
    return acked + acked * 66 // MSS


@given(
    rate=st.integers(100_000, 1 << 32),
    target=st.integers(0, 1 << 26),
    gain_q16=st.integers(0, 1 << 16),
    interval_ms=st.integers(1, 1000),
    rtt_ms=st.integers(1, 1000),
    steps=st.lists(
        st.tuples(st.floats(0, 4), st.integers(1, 1000), st.booleans()), min_size=1, max_size=60
    ),
)
def test_the_factor_follows_equations_2_and_3(
    rate: int,
    target: int,
    gain_q16: int,
    interval_ms: int,
    rtt_ms: int,
    steps: list[tuple[float, int, bool]],
) -> None:
    control = _control(
        rate, target, gain_q16=gain_q16, interval_ns=interval_ms * MS, rtt_ns=rtt_ms * MS
    )
    twin = _twin(rate, target, gain=gain_q16 / 65536, interval=interval_ms / 1e3, rtt=rtt_ms / 1e3)
    for n, (level, flows, full) in enumerate(steps, 1):
        queue = min(int(level * max(target, 1)), 1 << 40)
        if full:
            acked = _full(control, flows, now=n * interval_ms * MS)
            twin.acks(acked, filled=acked)
            twin.segments(rtt_ms / 1e3, flows)
        control.tick(n * interval_ms * MS, queue, 0, flows=flows)
        twin.tick(queue, flows)
        loose = (2**-9 + 2 / max(twin.pipe, 1)) * max(twin.factor, 1)
        assert control.state["factor_q32"] / Q32 == pytest.approx(twin.factor, abs=loose)
        # Where rounding may take another branch than real numbers, go on from there.
        twin.factor = control.state["factor_q32"] / Q32
        twin.window = control.state["segments_q16"] / 65536
        twin.coming = control.state["coming_bytes"]
        twin.acked = control.state["acked_bytes"]
        twin.filled = control.state["filled_bytes"]


@given(
    steps=st.integers(0, 50),
    queue=st.integers(0, 97_000),
    rtt_ms=st.integers(1, 500),
    flows=st.integers(1, 1000),
)
def test_the_windows_follow_equations_1_and_4(
    steps: int, queue: int, rtt_ms: int, flows: int
) -> None:
    control, twin = _control(), _twin()
    for n in range(steps):
        control.tick(n * 10 * MS, queue, 0, flows=flows)
        twin.foresee(n / 100, queue)
    twin.factor = control.state["factor_q32"] / Q32
    control.ack(max(steps - 1, 0) * 10 * MS, queue, 0, MAX_WINDOW, flows=flows, rtt_ns=rtt_ms * MS)
    exact = twin.segments(rtt_ms / 1e3, flows)
    assert control.state["segments_q16"] / 65536 == pytest.approx(exact, rel=2e-3, abs=1e-3)


@given(now_ms=st.integers(0, 20_000), flows=st.integers(1, 200))
def test_windows_are_whole_segments_by_the_flows_phase(now_ms: int, flows: int) -> None:
    control, twin = _control(), _twin()
    now_ns = now_ms * MS
    window = control.ack(now_ns, 0, 0, MAX_WINDOW, flows=flows, rtt_ns=40 * MS)
    segments = control.state["segments_q16"] / 65536
    assert window == MSS * twin.whole(segments, 1, (now_ns >> 16 << 16) / 1e9, 0.04)


def _over_a_turn(control: _native.Control, flows: int) -> list[int]:
    return [
        control.ack(n * 2**32 // 1000, 0, 0, MAX_WINDOW, flows=flows, rtt_ns=40 * MS) // MSS
        for n in range(1000)
    ]


@pytest.mark.parametrize("flows", [22, 32, 42])
def test_below_four_segments_windows_are_pairs_with_an_exact_mean(flows: int) -> None:
    control = _control()
    windows = _over_a_turn(control, flows)
    assert set(windows) == {2, 4}
    assert sum(windows) / 1000 == pytest.approx(control.state["segments_q16"] / 65536, abs=4e-3)


@pytest.mark.parametrize("flows", [45, 60, 80, 120])
def test_below_two_segments_the_mean_rate_allows_for_delayed_acks(flows: int) -> None:
    control = _control()
    windows = _over_a_turn(control, flows)
    assert set(windows) <= {1, 2}
    turn = 0.04 + 29_100 / 2_500_000
    rates = [1 / (turn + 0.04) if window == 1 else 2 / turn for window in windows]
    exact = control.state["segments_q16"] / 65536 / turn
    assert sum(rates) / 1000 == pytest.approx(max(exact, min(rates)), rel=0.01)


def test_over_a_turn_of_the_phases_the_mean_window_is_exact() -> None:
    control = _control()
    windows = [
        control.ack(n * 2**32 // 1000, 0, 0, MAX_WINDOW, flows=12, rtt_ns=40 * MS)
        for n in range(1000)
    ]
    exact = control.state["segments_q16"] / 65536
    assert {w // MSS for w in windows} == {math.floor(exact), math.floor(exact) + 1}
    assert sum(windows) / MSS / 1000 == pytest.approx(exact, abs=2e-3)
    assert sum(a != b for a, b in itertools.pairwise(windows)) <= 2


def test_at_the_target_nothing_moves() -> None:
    control = _control()
    for n in range(100):
        _full(control)
        control.tick(n, 29_100, 0, flows=8)
    assert control.state["factor_q32"] == Q32


def test_c_does_not_rise_while_something_else_limits_the_flows() -> None:
    control = _control()
    for n in range(1000):
        control.ack(0, 0, 0, MAX_WINDOW, flows=4, flight_bytes=MSS, acked_bytes=MSS)
        control.tick(n, 0, 0, flows=4)
    assert control.state["factor_q32"] == Q32


@pytest.mark.parametrize("limit", ["sender", "receiver", "growth", "share"])
def test_c_rises_only_for_flows_that_their_share_limits(limit: str) -> None:
    control = _control()
    for n in range(300):
        control.ack(
            n * 10 * MS,
            90_000 if limit == "growth" else 0,
            0,
            4 * MSS if limit == "receiver" else MAX_WINDOW - 1,
            flows=2,
            flight_bytes=3 * MSS,
            granted_bytes=3 * MSS if limit == "growth" else MAX_WINDOW - 1,
            acked_bytes=MSS,
            fills=limit != "sender",
        )
        control.tick(n * 10 * MS, 0, 0, flows=2)
    if limit == "share":
        assert control.state["factor_q32"] > 2 * Q32
    else:
        assert control.state["factor_q32"] == Q32


@pytest.mark.parametrize("growing", [2, 4])
def test_c_waits_for_flows_that_grow_into_their_shares(growing: int) -> None:
    """They come to use what is free; the bytes of a round trip decide, not those of a step."""
    control = _control(rtt_ns=40 * MS)
    for n in range(300):
        now, of_the_share = n * 10 * MS, n % 4 >= growing
        if of_the_share:
            _full(control, now=now)
        else:
            for bytes_ in (0, 10 * MSS):
                control.ack(
                    now,
                    90_000,
                    0,
                    MAX_WINDOW - 1,
                    flows=8,
                    flight_bytes=bytes_,
                    granted_bytes=3 * MSS,
                    acked_bytes=bytes_,
                    fills=True,
                )
        control.tick(now, 0, 0, flows=8)
    assert control.state["growing_bytes"] > control.state["acked_bytes"] / 4
    assert control.state["factor_q32"] == Q32


def test_what_c_has_above_1_leaks_away_with_the_demand() -> None:
    control = _control()
    for n in range(100):
        _full(control)
        control.tick(n, 0, 0, flows=8)
    assert control.state["factor_q32"] > 2 * Q32
    for n in range(1000):
        control.tick((100 + n) * 10 * MS, 0, 0, flows=8)
    assert control.state["factor_q32"] == pytest.approx(Q32, rel=1e-3)


def test_steps_without_an_ack_say_nothing_of_the_demand() -> None:
    """As on a slow link, where an ACK comes in every third step."""
    control = _control(rtt_ns=300 * MS)
    for n in range(300):
        if n % 3 == 0:
            _full(control, now=n * 10 * MS)
        control.tick(n * 10 * MS, 15_000, 0, flows=8)
    assert control.state["factor_q32"] > 1.05 * Q32


def test_a_smaller_n_takes_back_what_c_had_put_on_top() -> None:
    control = _control()
    for n in range(100):
        _full(control, flows=8)
        control.tick(n, 0, 0, flows=8)
    before = control.state["factor_q32"] / Q32
    control.tick(101, 29_100, 0, flows=4)
    assert control.state["factor_q32"] / Q32 == pytest.approx(max(before / 2, 1), rel=0.05)


def test_flows_that_come_and_go_leave_c_what_it_had() -> None:
    control = _control()
    for n in range(400):
        flows = 8 if n % 20 < 10 else 6
        _full(control, flows=flows)
        control.tick(n, 0, 0, flows=flows)
    assert control.state["factor_q32"] > 4 * Q32


def test_c_stays_within_its_bounds() -> None:
    control = _control()
    for n in range(10_000):
        control.tick(n, 97_000, 0, flows=4)
    assert control.state["factor_q32"] / Q32 == 1 / 16
    for n in range(10_000, 20_000):
        _full(control, flows=4)
        control.tick(n, 0, 0, flows=4)
    assert control.state["factor_q32"] / Q32 == 16


def _measured() -> _native.Control:
    """A link whose round trip an ACK has told."""
    control = _control()
    control.ack(0, 0, 0, MAX_WINDOW, rtt_ns=40 * MS)
    return control


def test_first_flights_share_the_room_and_are_two_to_ten_segments() -> None:
    control, twin = _measured(), _twin(rtt=0.04)
    found = []
    for flows in range(1, 40):
        granted = control.ack(0, 20_000, 0, 65_535, flows=flows, opens=True)
        control.next_flow()
        assert granted == MSS * twin.first(20_000, flows)
        found.append(granted // MSS)
    assert found[0] == 10
    assert found[-1] == 2
    assert found == sorted(found, reverse=True)


def test_an_opener_may_use_the_room_that_the_queue_has() -> None:
    # A share is 5 segments beside 16 flows; above a queue of 29,100 bytes there is room for 22.
    assert _measured().ack(0, 29_100, 0, 65_535, flows=16, opens=True) == 10 * MSS
    among = _measured()
    assert among.ack(0, 29_100, 0, 65_535, flows=16, opens=True, opening=3) == 7 * MSS
    # Beside 64 flows, where a share is less than two segments, it gets two.
    assert _measured().ack(0, 29_100, 0, 65_535, flows=64, opens=True) == 2 * MSS


def test_a_path_that_nobody_has_measured_is_not_counted_on() -> None:
    assert _control().ack(0, 0, 0, 65_535, opens=True) == 10 * MSS
    twin = _twin(rtt=0)
    for opening in (4, 7, 30):
        granted = _control().ack(0, 0, 0, 65_535, opens=True, opening=opening)
        assert granted == MSS * twin.first(0, 1, opening=opening)
        twin.promised = 0
    assert _control().ack(0, 0, 0, 65_535, opens=True, opening=10) == 2 * MSS
    assert _measured().ack(0, 0, 0, 65_535, opens=True, opening=10) == 7 * MSS


def test_first_flights_are_divided_among_the_connections_that_open() -> None:
    alone, among = _measured(), _measured()
    assert alone.ack(0, 0, 0, 65_535, opens=True) == 10 * MSS
    twin = _twin(rtt=0.04)
    granted = among.ack(0, 0, 0, 65_535, opens=True, opening=15)
    assert granted == MSS * twin.first(0, 1, opening=15)
    assert granted == 5 * MSS
    assert among.ack(0, 0, 0, 65_535, opens=True, opening=100) == 2 * MSS


def test_what_is_promised_is_taken_off_the_windows_until_it_is_forgotten() -> None:
    control = _measured()
    control.ack(0, 0, 0, 65_535, opens=True)
    assert control.state["promised_bytes"] == 10 * WIRE
    control.ack(0, 0, 0, MAX_WINDOW, rtt_ns=40 * MS)
    left = (129_100 - 15_140) / WIRE
    assert control.state["segments_q16"] / 65536 == pytest.approx(left, rel=1e-3)
    for n in range(200):
        control.tick(n, 0, 0)
    assert control.state["promised_bytes"] < WIRE


def test_a_repeated_syn_ack_promises_its_flight_once() -> None:
    control, twin = _measured(), _twin(rtt=0.04)
    first, before = twin.first(0, 1), control.state["coming_bytes"]
    for _ in range(20):
        assert control.ack(0, 0, 0, 65_535, opens=True) == MSS * first
        assert control.state["promised_bytes"] == first * WIRE
        assert control.state["coming_bytes"] == before + first * WIRE
    control.next_flow()
    assert control.ack(0, 0, 0, 65_535, opens=True) == MSS * twin.first(0, 1)
    assert control.state["promised_bytes"] == twin.promised


@given(silent=st.integers(0, 1 << 15))
def test_connections_that_are_likely_to_stay_silent_are_promised_less(silent: int) -> None:
    control, twin = _measured(), _twin(rtt=0.04)
    for _ in range(20):
        granted = control.ack(0, 0, 0, 65_535, opens=True, silent_q15=silent)
        assert granted == MSS * twin.first(0, 1, silent=silent / 32768)
        assert control.state["promised_bytes"] == pytest.approx(twin.promised, abs=20)
        control.next_flow()
