# SPDX-License-Identifier: GPL-2.0-only
"""Quantities: text to integer and back."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.scenario import units


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (units.SIZE, "97k", 97_000),
        (units.SIZE, "97kB", 97_000),
        (units.SIZE, "1458B", 1458),
        (units.SIZE, "5MB", 5_000_000),
        (units.SIZE, "64KiB", 65_536),
        (units.RATE, "20mbit", 20_000_000),
        (units.RATE, "4Mbit", 4_000_000),
        (units.RATE, "13.35 Mbit/s", 13_350_000),
        (units.TIME, "5ms", 5_000_000),
        (units.TIME, "2.5ms", 2_500_000),
        (units.TIME, "0s", 0),
    ],
)
def test_text_means(kind: units.Kind, text: str, value: int) -> None:
    assert units.parse(kind, text) == value


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (units.RATE, "4", "a unit is missing in '4'; write for instance '4mbit'"),
        (units.RATE, "-4mbit", "negative"),
        (units.RATE, "4Mbps", "not a unit of rate"),
        (units.SIZE, "4Mb", "may mean bits; write '4MB'"),
        (units.TIME, "nan", "is not a time; write it as '5ms'"),
        (units.TIME, "0.5ns", "finer than one ns"),
        (units.RATE, "inf", "is not a rate"),
        (units.SIZE, "9999999GB", "too large"),
        (units.TIME, "٣ms", "is not a time"),
    ],
)
def test_wrong_text_says_what_would_be_right(kind: units.Kind, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        units.parse(kind, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 << 40, "1TiB"),
        (65_536, "64KiB"),
        (65_535, "65535B"),
        (64_000, "64kB"),
        (1_500, "1.5kB"),
        (1_536, "1536B"),
        (0, "0B"),
    ],
)
def test_shortest_exact_size(value: int, text: str) -> None:
    assert units.form(units.SIZE, value) == text
    assert units.parse(units.SIZE, text) == value


@given(st.sampled_from([units.SIZE, units.RATE, units.TIME]), st.data())
def test_round_trip(kind: units.Kind, data: st.DataObject) -> None:
    value = data.draw(st.integers(0, kind.largest))
    assert units.parse(kind, units.form(kind, value)) == value


@given(st.text(max_size=30))
def test_any_text_is_a_value_or_an_error(text: str) -> None:
    for kind in (units.SIZE, units.RATE, units.TIME):
        with contextlib.suppress(ValueError):
            assert 0 <= units.parse(kind, text) <= kind.largest
