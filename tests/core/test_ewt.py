# SPDX-License-Identifier: GPL-2.0-only
"""EWT and EWT-IoT against their equations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins import ewt, ewt_iot

from penstock import _native

MAX_BYTES = 1 << 40
MAX_WINDOW = 65535 << 14


@pytest.mark.parametrize(("used", "window"), [(20_000, 60_000), (50_000, 30_000), (80_000, 12_000)])
def test_ewt_gives_table_1_exactly(used: int, window: int) -> None:
    control = _native.Control(
        "droptail", "ewt", limit_bytes=100_000, params={"start_bytes": 30_000}
    )
    assert control.ack(0, used, 0, 60_000) == window


def test_ewt_starts_above_its_threshold_not_at_it() -> None:
    control = _native.Control(
        "droptail", "ewt", limit_bytes=100_000, params={"start_bytes": 30_000}
    )
    assert control.ack(0, 30_000, 0, 60_000) == 60_000
    assert control.ack(0, 30_001, 0, 60_000) == 41_999


def test_ewt_defaults_to_three_tenths_of_the_buffer() -> None:
    assert _native.Control("droptail", "ewt", limit_bytes=97_000).params["start_bytes"] == 29_100


@given(
    wr=st.integers(0, MAX_WINDOW),
    memory=st.integers(1, MAX_BYTES),
    used=st.integers(0, MAX_BYTES),
    start=st.integers(0, MAX_BYTES),
    reserve=st.integers(0, MAX_BYTES),
    mss=st.integers(1, 65535),
)
def test_ewt_is_its_equation_rounded_down(
    wr: int, memory: int, used: int, start: int, reserve: int, mss: int
) -> None:
    control = _native.Control(
        "droptail",
        "ewt",
        limit_bytes=memory,
        mss_bytes=mss,
        params={"start_bytes": start, "reserve_bytes": reserve},
    )
    exact = ewt.window(wr, used, memory, start, mss, reserve)
    # A double holds 30-bit windows to far less than a byte: the bound is the floor's.
    assert -1e-6 < exact - control.ack(0, used, 0, wr) < 1 + 1e-6


def _iot(memory: int, start: int, g_q32: int, reserve: int, mss: int) -> _native.Control:
    return _native.Control(
        "droptail",
        "ewt_iot",
        limit_bytes=memory,
        mss_bytes=mss,
        params={"start_bytes": start, "weight_q32": g_q32, "reserve_bytes": reserve},
    )


@given(
    memory=st.integers(1, MAX_BYTES),
    start=st.floats(0, 1),
    reserve=st.floats(0, 0.5),
    g_q32=st.one_of(st.just(3_006_477), st.integers(4295, 1 << 32)),
    mss=st.integers(1, 65535),
    levels=st.lists(st.floats(0, 1.2), min_size=1, max_size=60),
    wr=st.integers(0, MAX_WINDOW),
)
def test_ewt_iot_follows_equation_3(
    memory: int,
    start: float,
    reserve: float,
    g_q32: int,
    mss: int,
    levels: list[float],
    wr: int,
) -> None:
    start_bytes, reserve_bytes = int(start * memory), int(reserve * memory)
    control = _iot(memory, start_bytes, g_q32, reserve_bytes, mss)
    twin = ewt_iot.EwtIot(memory, start_bytes, g_q32 / 2**32, reserve_bytes)
    for n, level in enumerate(levels, 1):
        used = min(int(level * memory), MAX_BYTES)
        exact = twin.ack(wr, used, mss)
        got = control.ack(0, used, 0, wr)
        # Each update loses less than 2^-16 byte, and doubles 2^-13 of a 2^40 average.
        error = n / 65536 + memory * 1e-14 * n
        average = control.state["free_bytes_q16"] / 65536
        assert abs(average - twin.average) <= error
        assert abs(got - exact) <= (error + 1) * wr / memory + 1


def test_ewt_iot_falls_at_once_and_rises_slowly() -> None:
    control = _iot(97_000, 0, 3_006_477, 0, 1448)
    control.ack(0, 60_000, 0, 65_535)
    assert control.state["free_bytes_q16"] >> 16 == 37_000
    control.ack(0, 0, 0, 65_535)
    assert control.state["free_bytes_q16"] / 65536 == pytest.approx(37_000 + 0.0007 * 60_000, abs=1)


def test_ewt_iot_averages_below_its_threshold_too() -> None:
    control = _iot(97_000, 50_000, 1 << 31, 0, 1448)
    assert control.ack(0, 40_000, 0, 65_535) == 65_535
    assert control.state["free_bytes_q16"] >> 16 == 57_000
