# SPDX-License-Identifier: GPL-2.0-only
"""Quantities as people write them, and back: '97kB', '20mbit', '5ms'.

Everything becomes an integer: bytes, bits per second, nanoseconds. Prefixes of
sizes and rates are decimal (97kB is 97,000 bytes) except KiB, MiB, GiB and TiB.
A wrong text raises ValueError, whose message says what would be right.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

_NUMBER: Final = re.compile(r"\s*([+-]?\d{1,24}(?:\.\d{1,24})?)\s*([A-Za-z/]*)\s*", re.ASCII)
_PREFIX: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


@dataclass(frozen=True, eq=False)
class Kind:
    """One sort of quantity: its units, the largest value, and an example for messages."""

    name: str
    units: dict[str, int]
    preferred: tuple[str, ...]
    largest: int
    example: str


def _sizes() -> dict[str, int]:
    units = {"b": 1, "byte": 1, "bytes": 1}
    units |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}
    for prefix, factor in _PREFIX.items():
        units[prefix + "b"] = factor
        if prefix:
            units[prefix] = factor
    return units


def _rates() -> dict[str, int]:
    return {
        prefix + base: factor
        for prefix, factor in _PREFIX.items()
        for base in ("bit", "bit/s", "bits/s")
    }


_SIZES: Final = ("GB", "MB", "kB", "TiB", "GiB", "MiB", "KiB", "B")  # binary where decimal is long
SIZE: Final = Kind("size", _sizes(), _SIZES, 1 << 40, "97kB")
RATE: Final = Kind("rate", _rates(), ("gbit", "mbit", "kbit", "bit"), 10**13, "4mbit")
TIME: Final = Kind(
    "time",
    {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9},
    ("s", "ms", "us", "ns"),
    10**6 * 10**9,
    "5ms",
)
_BARE: Final = {"size": "B", "rate": "mbit", "time": "ms"}
_PART: Final = {"size": "kB", "rate": "mbit", "time": "s"}  # of which a part is meant
_MOST_BARE: Final = {"rate": 9999, "time": 99_999}  # in these units; more is meant in the smallest


def whole_number(text: str, most: int) -> int | None:
    """A number from 0 to `most` in digits, before which zeros may be; None for anything else."""
    if not (text.isascii() and text.isdigit()):
        return None
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) <= len(str(most)) and int(digits) <= most else None


def _hint(kind: Kind, number: str) -> str:
    """What a number without a unit may stand for."""
    whole, _, fraction = number.lstrip("+").partition(".")
    fraction = fraction.rstrip("0")
    if fraction and (int(whole) == 0 or kind is SIZE):
        return f"for instance '{whole}.{fraction}{_PART[kind.name]}'"
    if fraction or int(whole) <= _MOST_BARE.get(kind.name, kind.largest):
        return f"for instance '{whole}{'.' * bool(fraction)}{fraction}{_BARE[kind.name]}'"
    value, smallest = int(whole), f"{int(whole)}{kind.preferred[-1]}"
    short = form(kind, value)
    if value > kind.largest:
        return f"it as '{kind.example}'"
    return f"{smallest} or {short}" if short != smallest else smallest


def parse(kind: Kind, text: str) -> int:
    """The integer that `text` stands for, in bytes, bit/s or ns."""
    match = _NUMBER.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a {kind.name}; write it as '{kind.example}'")
    number, unit = Decimal(match[1]), match[2]
    if number < 0:
        raise ValueError(f"{text!r} is negative; a {kind.name} is 0 or more")
    if not unit:
        raise ValueError(f"a unit is missing in {text!r}; write {_hint(kind, match[1])}")
    factor = kind.units.get(unit.lower())
    if kind is SIZE and factor and unit[-1:] == "b" and unit != "b":
        upper = unit[0].lower() if unit[1:] == "b" and factor == 10**3 else unit[0].upper()
        raise ValueError(
            f"{unit!r} may mean bits; write '{match[1]}{upper}{unit[1:-1]}B' for bytes"
        )
    if factor is None:
        known = ", ".join(kind.preferred)
        raise ValueError(f"{unit!r} is not a unit of {kind.name}; use one of {known}")
    value = number * factor
    if value != value.to_integral_value():
        raise ValueError(f"{text!r} is finer than one {kind.preferred[-1]}")
    if value > kind.largest:
        raise ValueError(f"{text!r} is too large; at most {form(kind, kind.largest)}")
    return int(value)


def form(kind: Kind, value: int) -> str:
    """The shortest exact text for `value`; parse() gives the value back."""
    for unit in kind.preferred:
        factor = kind.units[unit.lower()]
        short = Decimal(value) / factor
        if value >= factor and short == round(short, 0 if unit.endswith("iB") else 2):
            return f"{short.normalize():f}{unit}"
    return f"{value}{kind.preferred[-1]}"


@dataclass(frozen=True)
class Quantity:
    """A number of bytes, bit/s or ns that a program gives, and no text; as text it has a unit."""

    kind: Kind
    number: int

    def __str__(self) -> str:
        return form(self.kind, self.number)


def parse_size(text: str) -> int:
    """Bytes."""
    return parse(SIZE, text)


def parse_rate(text: str) -> int:
    """Bits per second."""
    return parse(RATE, text)


def parse_time(text: str) -> int:
    """Nanoseconds."""
    return parse(TIME, text)
