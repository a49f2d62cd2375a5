# SPDX-License-Identifier: GPL-2.0-only
"""What two backends agree on, as text for tables."""

from collections.abc import Sequence
from typing import Final

from penstock.columns import BY_NAME
from penstock.results import tables
from penstock.results.agree.compare import verdict
from penstock.results.agree.orders import Flip
from penstock.results.differences import Pair
from penstock.results.grid import Grid
from penstock.results.stats import Mean

_HEADERS: Final = ("method", "column", "sim", "ns-3", "difference", "95 % interval", "verdict")
_FLIP_HEADERS: Final = ("load", "methods", "column", "sim", "ns-3", "order")


def _number(value: float) -> str:
    """Four digits, or the whole part of what has more."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _row(each: Pair) -> list[str]:
    size = max(abs(each.one.mean), abs(each.base.mean))
    percent = f" ({100 * each.difference / size:+.1f} %)" if size else ""
    between = "-" if each.low is None else f"{_number(each.low)} .. {_number(each.high or 0.0)}"
    return [
        each.line.label,
        f"{each.column} {BY_NAME[each.column].unit}".removesuffix(" 1").strip(),
        _number(each.one.mean),
        _number(each.base.mean),
        _number(each.difference) + percent,
        between,
        verdict(each),
    ]


def pairs(name: str, found: Sequence[Pair]) -> list[Grid]:
    """The pairs of means of a scenario, a table for each load."""
    groups: dict[tuple[str, str], list[list[str]]] = {}
    for each in found:
        place = each.line.receivers, each.line.load
        groups.setdefault(place, []).append(_row(each))
    return [
        Grid(f"{name}: {load}, receive window {tables.receivers_text(receivers)}", _HEADERS, rows)
        for (receivers, load), rows in groups.items()
    ]


def _with_half(mean: Mean) -> str:
    return _number(mean.mean) + ("" if mean.half is None else f" ± {_number(mean.half)}")


def flips(name: str, found: Sequence[Flip]) -> Grid:
    """The pairs of methods whose order differs."""
    rows = [
        [
            tables.load_text(each.flows, each.settings),
            f"{each.one} less {each.other}",
            each.column,
            *map(_with_half, each.both),
            each.verdict,
        ]
        for each in found
    ]
    return Grid(f"{name}: order of methods that differs", _FLIP_HEADERS, rows)
