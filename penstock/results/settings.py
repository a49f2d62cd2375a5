# SPDX-License-Identifier: GPL-2.0-only
"""Swept and set values as columns: one per key, after those that identify a run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.columns import KEYS, NAMES
from penstock.results.metrics import Value
from penstock.scenario import axes, units

_PARSERS: Final[Sequence[tuple[Any, str, float]]] = (
    (float, "", 1),
    (units.parse_size, "bytes", 1),
    (units.parse_rate, "bit/s", 1),
    (units.parse_time, "s", 1e9),
)
_SUFFIX: Final = {"bytes": "bytes", "bit/s": "bps", "s": "s"}


def joined(columns: Mapping[str, Value], settings: Mapping[str, str]) -> dict[str, Value]:
    """The columns of a run with its settings among them."""
    keys = {name: columns[name] for name in KEYS}
    return {**keys, **settings, **columns}


def names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The columns of rows that are settings."""
    return list(dict.fromkeys(name for row in rows for name in row if name not in NAMES))


def given(row: Mapping[str, Value]) -> dict[str, str]:
    """A run's settings, of the scenario and of its method."""
    return {name: str(row[name]) for name in names([row]) if row[name]}


def of_scenario(row: Mapping[str, Value]) -> str:
    """A run's settings of the scenario in one text; a method's are among its parameters."""
    parts = given(row).items()
    return ", ".join(f"{name}={value}" for name, value in parts if axes.of_scenario(name))


@dataclass(frozen=True)
class Quantity:
    """A number in the SI unit of its kind: bytes, bit/s, s, or none."""

    value: float
    unit: str


def quantity(text: str) -> Quantity | None:
    """A setting as a number; None if it is none."""
    for parse, unit, per in _PARSERS:
        try:
            return Quantity(parse(text) / per, unit)
        except ValueError:
            continue
    return None


def number(text: str) -> float | None:
    """The same without the unit."""
    found = quantity(text)
    return found.value if found else None


def ordered(texts: Iterable[str]) -> list[str]:
    """Different values: as numbers if all are numbers, else as they came."""
    numbers = {text: number(text) for text in texts}
    if any(value is None for value in numbers.values()):
        return list(numbers)
    return sorted(numbers, key=lambda text: numbers[text] or 0.0)


def unit(texts: Iterable[str]) -> str | None:
    """The unit that all values have; None if one is no number, or of another unit."""
    found = {each.unit if each else None for each in map(quantity, texts)}
    return found.pop() if len(found) == 1 else None


def as_numbers(given: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The keys whose values are all numbers, each with the name of its column of numbers."""
    found = {}
    for key in dict.fromkeys(key for each in given for key in each):
        si = unit([each[key] for each in given if each.get(key)])
        if si is not None:
            suffix = f"_{_SUFFIX[si]}" if si else ""
            found[key] = key + ("_number" if key.endswith(suffix) else suffix)
    return found


def with_numbers(given: Mapping[str, str], columns: Mapping[str, str]) -> dict[str, str | float]:
    """Settings, and those of `columns` also as numbers."""
    numbers = {columns[key]: number(text) for key, text in given.items() if key in columns}
    return {**given, **{name: value for name, value in numbers.items() if value is not None}}


def columns(given: Sequence[Mapping[str, str]], numbers: Mapping[str, str]) -> list[str]:
    """The names of the columns of settings, each with that of its numbers after it."""
    keys = dict.fromkeys(key for each in given for key in each)
    return [name for key in keys for name in (key, numbers.get(key)) if name]
