# SPDX-License-Identifier: GPL-2.0-only
"""The window rules R1 to R11 one by one, as typed steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import _native

MODES = ["safe", "strict", "literal"]
GUARDED = ["safe", "strict"]
MSS = 1448
NO_OPTION = 255


def opened(mode: str, scale: int = 0, mss: int = MSS) -> _native.Window:
    """A flow whose SYNs have both been seen; the sender opened it."""
    window = _native.Window(mode, mss_bytes=mss)
    window.syn(True, 7)
    window.syn(False, scale)
    return window


def send(window: _native.Window, seq: int, length: int) -> None:
    """`length` bytes from `seq` in segments of 1,000."""
    for start in range(seq, seq + length, 1_000):
        window.data(start, min(1_000, seq + length - start))


# What an earlier gateway of this kind got wrong (research notes on its code).


@pytest.mark.parametrize("mode", MODES)
def test_an_edge_behind_the_ack_is_not_a_window_of_4_gb(mode: str) -> None:
    window = opened(mode)
    window.data(1000, 500)
    assert window.ack(1000, 60_000, 2000) == (2000, "method")
    window.data(59_500, 500)
    assert window.ack(60_000, 60_000, 2000) == (2000, "method")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scale", [0, 7, 14])
def test_a_window_beyond_the_field_is_clamped_to_the_offer(mode: str, scale: int) -> None:
    assert opened(mode, scale).ack(0, 65_535, 1 << 40) == (65_535, "receiver")


@pytest.mark.parametrize("mode", MODES)
def test_the_receivers_own_smaller_window_is_kept(mode: str) -> None:
    assert opened(mode).ack(0, 1_000, 30_000) == (1_000, "receiver")
    assert opened(mode).ack(0, 1_000, 1_500) == (1_000, "receiver")


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_scale_is_left_alone(mode: str) -> None:
    window = _native.Window(mode)
    assert window.ack(0, 60_000, 2_000) == (60_000, "unknown_scale")
    window.syn(False, 7)
    assert window.ack(1, 60_000, 2_000) == (60_000, "unknown_scale")


# R2, R3, R4


@pytest.mark.parametrize(
    ("mode", "field", "limit"),
    [("safe", 9_000, "edge"), ("strict", 39_000, "edge"), ("literal", 1, "floor")],
)
def test_the_edge_holds_as_far_as_the_mode_asks(mode: str, field: int, limit: str) -> None:
    window = opened(mode)
    assert window.ack(1_000, 40_000, 40_000) == (40_000, "receiver")
    send(window, 1_000, 10_000)
    assert window.ack(2_000, 40_000, 0) == (field, limit)


@pytest.mark.parametrize("mode", GUARDED)
def test_no_less_than_one_segment_in_whole_granules(mode: str) -> None:
    assert opened(mode, 0).ack(0, 60_000, 10) == (1448, "floor")
    assert opened(mode, 10).ack(0, 60_000, 10) == (2, "floor")


@pytest.mark.parametrize("mode", MODES)
def test_a_window_is_rounded_up_to_the_granule(mode: str) -> None:
    assert opened(mode, 7).ack(0, 60_000, 100 * 128 + 1) == (101, "method")
    assert opened(mode, 14).ack(0, 60_000, 1) == (1, "method" if mode == "literal" else "floor")


@pytest.mark.parametrize("mode", MODES)
def test_a_method_that_allows_nothing_makes_no_zero_window(mode: str) -> None:
    assert opened(mode, 7, mss=0).ack(0, 60_000, 0) == (1, "floor")


def test_larger_segments_raise_the_floor() -> None:
    window = opened("safe", mss=536)
    window.data(0, 1448)
    assert window.ack(1448, 60_000, 0) == (1448, "floor")


# R5


@pytest.mark.parametrize("mode", MODES)
def test_a_zero_window_and_its_reopening_pass_at_once(mode: str) -> None:
    window = opened(mode)
    window.ack(1_000, 40_000, 40_000)
    assert window.ack(2_000, 0, 5_000) == (0, "zero")
    assert window.ack(2_000, 0, 5_000) == (0, "zero")
    field, _ = window.ack(2_000, 40_000, 5_000)
    assert field >= 5_000


# R6, R7


@pytest.mark.parametrize("mode", MODES)
def test_the_window_of_a_syn_is_never_changed(mode: str) -> None:
    window = opened(mode, 7)
    assert window.ack(1, 65_535, 2_000, syn=True, pure=False) == (65_535, "syn")


@pytest.mark.parametrize("mode", GUARDED)
def test_a_syns_field_is_no_measure_for_a_duplicate(mode: str) -> None:
    window = opened(mode, 7)
    window.ack(1, 60_000, 0, syn=True, pure=False)
    assert window.ack(1, 60_000, 128_000)[0] == 1000


@given(forward=st.integers(0, 255), reverse=st.integers(0, 255))
def test_scaling_needs_both_options_and_stops_at_14(forward: int, reverse: int) -> None:
    window = _native.Window("safe")
    window.syn(True, forward)
    window.syn(False, reverse)
    both = forward != NO_OPTION and reverse != NO_OPTION
    assert window.scale == (min(reverse, 14) if both else 0)


@pytest.mark.parametrize(("answer", "scale"), [(NO_OPTION, 0), (9, 9)])
def test_the_answer_tells_which_syn_arrived(answer: int, scale: int) -> None:
    window = _native.Window("safe")
    window.syn(True, 7)
    window.syn(True, NO_OPTION)  # repeated without options
    window.syn(False, answer)
    assert window.scale == scale


@given(shifts=st.lists(st.integers(0, 14), min_size=1))
def test_of_the_shifts_of_a_side_the_largest_counts(shifts: list[int]) -> None:
    window = _native.Window("safe")
    window.syn(True, 7)
    for shift in shifts:
        window.syn(False, shift)
    assert window.scale == max(shifts)


def test_the_receiver_may_open() -> None:
    window = _native.Window("safe")
    window.syn(False, 8)
    assert window.ack(0, 60_000, 2_000)[1] == "unknown_scale"
    window.syn(True, 7)
    assert window.scale == 8
    assert window.ack(0, 60_000, 25_600) == (100, "method")


def test_a_syn_ack_repeated_after_data_forgets_nothing() -> None:
    window = opened("safe")
    send(window, 1_000, 10_000)
    window.syn(False, 0)
    assert window.ack(1_000, 60_000, 0) == (10_000, "edge")


@pytest.mark.parametrize("mode", GUARDED)
def test_a_new_connection_of_the_same_ports_starts_anew(mode: str) -> None:
    window = opened(mode)
    send(window, 1_000, 10_000)
    window.ack(11_000, 60_000, 60_000)
    window.syn(True, 7)
    window.syn(False, 0)
    assert window.ack(5, 60_000, 2_000) == (2_000, "method")


# R9, R11


@pytest.mark.parametrize("mode", GUARDED)
def test_a_duplicate_ack_keeps_the_field_last_sent(mode: str) -> None:
    window = opened(mode)
    assert window.ack(1_000, 60_000, 20_000) == (20_000, "method")
    assert window.ack(1_000, 60_000, 9_000) == (20_000, "freeze")
    assert window.ack(1_000, 60_000, 50_000) == (20_000, "freeze")
    assert window.ack(1_000, 61_000, 15_000)[1] in ("method", "edge")  # its own field grew


@pytest.mark.parametrize("mode", GUARDED)
def test_a_smaller_offer_without_news_changes_nothing(mode: str) -> None:
    """R10: the sender ignores it, so the gateway does not count on it."""
    window = opened(mode)
    assert window.ack(1_000, 60_000, 20_000) == (20_000, "method")
    assert window.ack(1_000, 50_000, 9_000) == (20_000, "freeze")
    assert window.ack(1_000, 8_000, 9_000) == (8_000, "freeze")
    assert window.ack(1_000, 60_000, 9_000) == (20_000, "freeze")
    assert window.ack(3_000, 60_000, 60_000) == (22_000, "ramp")


@pytest.mark.parametrize("mode", GUARDED)
def test_an_ack_with_payload_is_no_duplicate(mode: str) -> None:
    window = opened(mode)
    window.ack(1_000, 60_000, 20_000)
    assert window.ack(1_000, 60_000, 15_000, pure=False)[1] in ("method", "edge")


def test_literal_mode_does_not_freeze() -> None:
    window = opened("literal")
    window.ack(1_000, 60_000, 20_000)
    assert window.ack(1_000, 60_000, 9_000) == (9_000, "method")


@pytest.mark.parametrize("mode", GUARDED)
def test_an_old_ack_carries_the_newest_field(mode: str) -> None:
    window = opened(mode)
    window.ack(50_000, 60_000, 20_000)
    assert window.ack(49_999, 60_000, 60_000) == (20_001 if mode == "strict" else 20_000, "old_ack")
    assert window.ack(50_000, 60_000, 5_000) == (20_000, "freeze")


def test_an_old_ack_does_not_take_the_edge_back_where_the_newest_was_lost() -> None:
    window = opened("strict")
    window.ack(1_000, 50_000, 50_000)  # edge 51,000
    window.ack(45_000, 50_000, 2_000)  # edge 51,000 still: held
    assert window.ack(20_000, 50_000, 2_000) == (31_000, "old_ack")


@pytest.mark.parametrize("mode", MODES)
def test_sequence_numbers_wrap(mode: str) -> None:
    window = opened(mode)
    window.data(0xFFFF_F000 + 3_000, 1_000)
    window.data(0x0000_0300, 1_000)
    window.ack(0xFFFF_F000, 60_000, 60_000)
    expected = {"safe": (1_512, "edge"), "strict": (55_648, "edge"), "literal": (9, "method")}
    assert window.ack(0x0000_0100, 60_000, 9) == expected[mode]


# R26


@pytest.mark.parametrize("mode", GUARDED)
def test_a_reduced_window_grows_by_what_is_acknowledged(mode: str) -> None:
    window = opened(mode)
    assert window.ack(10_000, 60_000, 5_000) == (5_000, "method")
    assert window.ack(12_000, 60_000, 60_000) == (7_000, "ramp")
    assert window.ack(12_000, 60_001, 60_000) == (7_000, "ramp")
    assert window.ack(19_000, 60_000, 9_000) == (9_000, "method")
    assert window.ack(28_000, 60_000, 60_000) == (18_000, "ramp")
    assert window.ack(28_000 + 42_000, 60_000, 60_000) == (60_000, "receiver")
    assert window.ack(71_000, 65_000, 65_000) == (65_000, "receiver")


@pytest.mark.parametrize("mode", GUARDED)
def test_the_ramp_keeps_what_rounding_withholds(mode: str) -> None:
    """Acknowledgements far below the granule add up; none of them opens a whole one."""
    window = opened(mode, 14)
    assert window.ack(0, 1_000, 16_384) == (1, "method")
    fields = [window.ack(1_024 * each, 1_000, 1 << 24)[0] for each in range(1, 65)]
    assert fields == [1 + each // 16 for each in range(1, 65)]


def test_literal_has_no_ramp() -> None:
    window = opened("literal")
    window.ack(10_000, 60_000, 5_000)
    assert window.ack(10_001, 60_000, 60_000) == (60_000, "receiver")


@pytest.mark.parametrize("mode", GUARDED)
def test_a_window_that_only_the_receiver_held_opens_at_once(mode: str) -> None:
    window = opened(mode)
    assert window.ack(10_000, 5_000, 40_000) == (5_000, "receiver")
    assert window.ack(10_001, 60_000, 40_000) == (40_000, "method")
