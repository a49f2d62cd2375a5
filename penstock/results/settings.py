# SPDX-License-Identifier: GPL-2.0-only
"""Swept and set values as columns: one per key, after those that identify a run."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from penstock.results.columns import KEYS, NAMES
from penstock.results.metrics import Value
from penstock.scenario import axes, units

_PARSERS: Final = (float, units.parse_size, units.parse_rate, units.parse_time)


def joined(columns: Mapping[str, Value], settings: Mapping[str, str]) -> dict[str, Value]:
    """The columns of a run with its settings among them."""
    keys = {name: columns[name] for name in KEYS}
    return {**keys, **settings, **columns}


def names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The columns of rows that are settings."""
    return list(dict.fromkeys(name for row in rows for name in row if name not in NAMES))


def of_scenario(row: Mapping[str, Value]) -> str:
    """A run's settings of the scenario in one text; a method's are among its parameters."""
    parts = (f"{name}={row[name]}" for name in names([row]) if axes.of_scenario(name) and row[name])
    return ", ".join(parts)


def number(text: str) -> float | None:
    """A setting as a number in the unit of its kind (bytes, bit/s, ns); None if it is none."""
    for parse in _PARSERS:
        try:
            return float(parse(text))
        except ValueError:
            continue
    return None
