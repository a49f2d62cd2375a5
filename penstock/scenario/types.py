# SPDX-License-Identifier: GPL-2.0-only
"""The types of a scenario's values: text with a unit in TOML, integers in Python."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BeforeValidator,
    GetPydanticSchema,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic_core import core_schema

from penstock.scenario import units
from penstock.scenario.limits import MAX_FLOWS

NAME: Final = r"^[A-Za-z][A-Za-z0-9_-]{0,39}$"
CONGESTION: Final = r"^(kernel:)?[A-Za-z][A-Za-z0-9_-]{0,39}$"
MAX_SEEDS: Final = 100_000
MAX_WINDOW_BYTES: Final = 65535 << 14  # RFC 7323 section 2.2
AUTO: Final = "auto"
FLOWS: Final = "flows"


def _quantity(kind: units.Kind) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, units.Quantity) and value.kind.name == kind.name:
            return value.number
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(f"expected a {kind.name}, such as '{kind.example}'")
        return units.parse(kind, str(value))

    return read


def _positive(kind: units.Kind) -> Callable[[int], int]:
    def check(value: int) -> int:
        if value <= 0:
            raise ValueError(f"must be above 0, such as '{kind.example}'")
        return value

    return check


def _from_to(kind: units.Kind, low: int, high: int) -> AfterValidator:
    def check(value: int) -> int:
        if not low <= value <= high:
            first, last = units.form(kind, low), units.form(kind, high)
            raise ValueError(f"'{units.form(kind, value)}' is out of range; from {first} to {last}")
        return value

    return AfterValidator(check)


def _read(kind: units.Kind) -> tuple[units.Kind, BeforeValidator, WithJsonSchema]:
    """Marks an integer as a quantity that people write as text."""
    schema = WithJsonSchema({"type": "string", "description": f"a {kind.name}: '{kind.example}'"})
    return kind, BeforeValidator(_quantity(kind)), schema


def size(low: int, high: int) -> tuple[Any, ...]:
    """What makes an int a size of `low` to `high` bytes."""
    return *_read(units.SIZE), _from_to(units.SIZE, low, high)


def time(low: int, high: int) -> tuple[Any, ...]:
    """What makes an int a time of `low` to `high` ns."""
    return *_read(units.TIME), _from_to(units.TIME, low, high)


def rate(low: int, high: int) -> tuple[Any, ...]:
    """What makes an int a rate of `low` to `high` bit/s."""
    return *_read(units.RATE), _from_to(units.RATE, low, high)


MAX_DELAY_NS: Final = 1000 * 10**9  # PST_MAX_NS in core/base.h
MIN_RATE_BPS: Final = 1000

Size = Annotated[int, *_read(units.SIZE), AfterValidator(_positive(units.SIZE))]
Rate = Annotated[int, *rate(MIN_RATE_BPS, units.RATE.largest)]
Time = Annotated[int, *_read(units.TIME)]


def _ratio(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("a ratio is a number from 0 up to, not including, 1")
    if not 0 <= value < 1:
        raise ValueError(f"{value} is not a ratio; from 0 up to, not including, 1 (1 % is 0.01)")
    return float(value)


Ratio = Annotated[
    float,
    BeforeValidator(_ratio),
    WithJsonSchema({"type": "number", "minimum": 0, "exclusiveMaximum": 1}),
]


def _whole(value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"must be a whole number from {low} to {high}")
    if not low <= value <= high:
        raise ValueError(f"{value} is out of range; from {low} to {high}")
    return value


def one_of(names: Sequence[str]) -> GetPydanticSchema:
    """Accepts these names, as typing's Literal does, where they are only known at run time."""
    return GetPydanticSchema(lambda _source, _handler: core_schema.literal_schema(list(names)))


def _colour(text: str) -> str:
    if text and not re.fullmatch("#[0-9a-fA-F]{6}", text):
        raise ValueError(f"{text!r} is no colour; write six digits such as '#2f86d1'")
    return text


Colour = Annotated[str, AfterValidator(_colour)]


def whole(low: int, high: int) -> BeforeValidator:
    """Accepts an integer from `low` to `high` and nothing that merely looks like one."""
    return BeforeValidator(lambda value: _whole(value, low, high))


def _count(value: object) -> int | str:
    if value == FLOWS:
        return FLOWS
    try:
        return _whole(value, 1, MAX_FLOWS)
    except ValueError:
        raise ValueError(
            f"must be a whole number from 1 to {MAX_FLOWS}, or '{FLOWS}' for the swept number "
            "of flows"
        ) from None


Count = Annotated[
    int | str,
    BeforeValidator(_count),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_FLOWS}, {"const": FLOWS}]}
    ),
]


def number(count: int | str, flows: int) -> int:
    """What a Count stands for in a run of `flows` flows."""
    return flows if isinstance(count, str) else count


def count_of(text: str, most: int) -> int:
    """A number from 1 to `most`, before which zeros may be."""
    number = units.whole_number(text, most)
    if not number:
        raise ValueError(f"must be a whole number from 1 to {most}")
    return number


def window(value: object) -> str:
    """A receiver: 'auto', or its buffer in bytes as decimal text. '64kB' and 65535 are read too."""
    text = str(value).strip() if isinstance(value, str | int) else ""
    if text == AUTO:
        return AUTO
    if isinstance(value, bool) or not text:
        raise ValueError(f"a receive window is '{AUTO}' or bytes, such as '65535'")
    plain = text.isascii() and text.isdigit()
    size = units.whole_number(text, MAX_WINDOW_BYTES) if plain else units.parse_size(text)
    if not size or size > MAX_WINDOW_BYTES:
        raise ValueError(f"{text} is no receive window; from 1 to {MAX_WINDOW_BYTES} bytes")
    return str(size)


Window = Annotated[
    str,
    BeforeValidator(window),
    WithJsonSchema(
        {
            "anyOf": [{"const": AUTO}, {"type": ["string", "integer"]}],
            "description": f"'{AUTO}' or bytes: '65535', '64kB'",
        }
    ),
]


@dataclass(frozen=True)
class Span:
    """A time, or one drawn evenly between two; ns."""

    first_ns: int
    last_ns: int


def _at_most(most_ns: int) -> AfterValidator:
    def check(span: Span) -> Span:
        if span.last_ns > most_ns:
            most = units.form(units.TIME, most_ns)
            raise ValueError(
                f"'{units.form(units.TIME, span.last_ns)}' is too long; at most {most}"
            )
        return span

    return AfterValidator(check)


def _span(value: object) -> Span:
    first, dots, last = value.partition("..") if isinstance(value, str) else (value, "", "")
    low = _quantity(units.TIME)(first)
    high = units.parse_time(last) if dots else low
    if high < low:
        raise ValueError(f"{value!r} ends before it begins; write '{last}..{first}'")
    return Span(low, high)


_SPAN_SCHEMA: Final = WithJsonSchema(
    {"type": "string", "description": "a time, or a span it is drawn from: '1s..8s'"}
)
Start = Annotated[
    Span,
    BeforeValidator(_span),
    _SPAN_SCHEMA,
    PlainSerializer(lambda span: [span.first_ns, span.last_ns]),
]
BackDelay = Annotated[int, *time(0, MAX_DELAY_NS)]
Delay = Annotated[
    Span,
    BeforeValidator(_span),
    _SPAN_SCHEMA,
    _at_most(MAX_DELAY_NS),
    PlainSerializer(
        lambda span: (
            span.first_ns if span.first_ns == span.last_ns else [span.first_ns, span.last_ns]
        )
    ),
]


def _metres(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1000:
        raise ValueError("must be a distance in metres, above 0 and at most 1000")
    return float(value)


Metres = Annotated[
    float,
    BeforeValidator(_metres),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": 1000}),
]
