# SPDX-License-Identifier: GPL-2.0-only
"""Quantities: text to integer and back."""

import contextlib
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.scenario import units

_TABLE = tomllib.loads((Path(__file__).parents[1] / "quantities.toml").read_text())
CASES = [(kind, case) for kind, cases in _TABLE.items() for case in cases]
KINDS = {"size": units.SIZE, "rate": units.RATE, "time": units.TIME}


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda part: str(part))
def test_the_table_that_the_gateway_shares(name: str, case: dict[str, Any]) -> None:
    kind = KINDS[name]
    if "error" in case:
        with pytest.raises(ValueError, match=f"^{re.escape(case['error'])}$"):
            units.parse(kind, case["text"])
    else:
        assert units.parse(kind, case["text"]) == case["value"]
        assert units.form(kind, case["value"]) == case["short"]


def test_only_the_digits_of_ascii_count() -> None:
    with pytest.raises(ValueError, match="is not a time"):
        units.parse(units.TIME, "\u0663ms")


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
