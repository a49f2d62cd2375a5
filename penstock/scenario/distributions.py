# SPDX-License-Identifier: GPL-2.0-only
"""Distributions as scenarios write them: 'gamma(35.286s, 147.39s)', or '5s' for a constant."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Annotated, Final

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from penstock.scenario import units

_CALL: Final = re.compile(r"\s*([a-z]+)\s*\(([^()]*)\)\s*")
LEAST_SHAPE: Final = 0.01
_LARGEST_COUNT: Final = 10**9

# What each takes: q is a quantity with its unit, n a plain number; [q] may be left out.
_TAKES: Final = {
    "constant": "q",
    "uniform": "qq",
    "exponential": "q",
    "lognormal": "qq",
    "gamma": "qq",
    "pareto": "nq",
    "weibull": "nq",
}
_FORMS: Final = {
    "constant": "constant(VALUE)",
    "uniform": "uniform(LOW, HIGH)",
    "exponential": "exponential(MEAN)",
    "lognormal": "lognormal(MEAN, DEVIATION)",
    "gamma": "gamma(MEAN, DEVIATION)",
    "pareto": "pareto(SHAPE, LEAST) or pareto(SHAPE, LEAST, LIMIT)",
    "weibull": "weibull(SHAPE, SCALE)",
}


@dataclass(frozen=True)
class Distribution:
    """A probability distribution by name, its parameters in bytes, ns or plain numbers."""

    name: str
    values: tuple[float, ...]


def _number(text: str) -> float:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise ValueError(f"{text.strip()!r} is not a number") from None
    if not (value.is_finite() and 0 <= value <= _LARGEST_COUNT):
        raise ValueError(f"{text.strip()!r} is out of range; from 0 to {_LARGEST_COUNT}")
    return float(value)


def _values(name: str, given: list[str], quantity: Callable[[str], float]) -> tuple[float, ...]:
    takes = _TAKES[name]
    limited = name == "pareto" and len(given) == len(takes) + 1
    if len(given) != len(takes) and not limited:
        raise ValueError(f"write {_FORMS[name]}")
    sorts = takes + "q" if limited else takes
    return tuple(
        quantity(text) if sort == "q" else _number(text)
        for text, sort in zip(given, sorts, strict=True)
    )


def _flaw(name: str, values: tuple[float, ...]) -> str:
    """What no distribution of that name can have; '' if all is well."""
    if name == "constant":
        return ""
    if name == "uniform":
        return "" if values[0] <= values[1] else "LOW is above HIGH"
    if min(values) <= 0:
        return "its parameters are above 0"
    shape = (values[0] / values[1]) ** 2 if name == "gamma" else values[0]
    if name in ("gamma", "pareto", "weibull") and shape < LEAST_SHAPE:
        return (
            "DEVIATION is at most 10 times MEAN"
            if name == "gamma"
            else f"SHAPE is at least {LEAST_SHAPE}"
        )
    if name == "pareto" and len(values) == 3 and values[2] < values[1]:
        return "LIMIT is below LEAST"
    return ""


def _distribution(value: object, quantity: Callable[[str], float], example: str) -> Distribution:
    if isinstance(value, Distribution):
        return value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"expected a value or a distribution, such as '{example}'")
    text = str(value)
    match = _CALL.fullmatch(text)
    if not match:
        return Distribution("constant", (quantity(text),))
    name, given = match[1], match[2].split(",")
    if name not in _TAKES:
        raise ValueError(f"there is no distribution {name!r}; available: {', '.join(_TAKES)}")
    values = _values(name, given, quantity)
    flaw = _flaw(name, values)
    if flaw:
        raise ValueError(f"in {text!r} {flaw}; write {_FORMS[name]}")
    return Distribution(name, values)


def text(one: Distribution, kind: units.Kind | None) -> str:
    """As a scenario writes it; `kind` is that of its quantities, None for numbers."""
    sorts = _TAKES[one.name].ljust(len(one.values), "q")
    written = [
        units.form(kind, round(value)) if sort == "q" and kind else repr(value).removesuffix(".0")
        for sort, value in zip(sorts, one.values, strict=True)
    ]
    return written[0] if one.name == "constant" else f"{one.name}({', '.join(written)})"


_SCHEMA: Final = WithJsonSchema(
    {"type": ["string", "number"], "description": f"a value, or one of {', '.join(_TAKES)}"}
)
_AS_LIST: Final = PlainSerializer(lambda given: [given.name, *given.values])

TimeDistribution = Annotated[
    Distribution,
    units.TIME,
    BeforeValidator(lambda v: _distribution(v, units.parse_time, "exponential(5s)")),
    _AS_LIST,
    _SCHEMA,
]
SizeDistribution = Annotated[
    Distribution,
    units.SIZE,
    BeforeValidator(lambda v: _distribution(v, units.parse_size, "pareto(1.7584, 30458B)")),
    _AS_LIST,
    _SCHEMA,
]
CountDistribution = Annotated[
    Distribution,
    BeforeValidator(lambda v: _distribution(v, _number, "lognormal(25.807, 78.752)")),
    _AS_LIST,
    _SCHEMA,
]
