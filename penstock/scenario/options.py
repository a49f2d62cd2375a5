# SPDX-License-Identifier: GPL-2.0-only
"""Keys of a scenario that are rows of a table in core/tables/."""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field

from penstock import _native
from penstock.scenario.table import Said, Table, marked, with_keys
from penstock.scenario.types import BackDelay, Delay, Ratio, one_of, rate, size, time, whole

TCP: Final = tuple(_native.tcp_options())
FREEZE: Final = tuple(_native.freeze_options())
LINK: Final = tuple(_native.link_keys())
UDP: Final = tuple(_native.udp_keys())
USERS: Final = tuple(_native.user_keys())
TIME: Final = tuple(_native.time_keys())
SAMPLE: Final = tuple(_native.sample_keys())

Option = _native.Option
Value = int | bool | float | str

_RANGES: Final[dict[str, Callable[[int, int], tuple[Any, ...]]]] = {
    "count": lambda low, high: (int, whole(low, high)),
    "bytes": lambda low, high: (int, *size(low, high)),
    "ns": lambda low, high: (int, *time(low, high)),
    "bps": lambda low, high: (int, *rate(low, high)),
    "percent": lambda low, high: (float, _percents(low, high)),
    "ppm": lambda _low, high: (int, whole(-high, high)),
}
REQUIRED: Final = "required"  # as the word for saying nothing
_FORMS: Final = {"flag": bool, "ratio": Ratio, "span": Delay}
_T = TypeVar("_T", bound=Table)


def _percents(low: int, high: int) -> Any:
    """Of a ratio."""
    return Field(ge=low / 100, le=high / 100, allow_inf_nan=False)


def _words(option: Option) -> list[str]:
    """The words that the option is one of, if it is."""
    return option.unit.split("|") if "|" in option.unit else []


def _form(option: Option) -> Any:
    """What the key takes."""
    if option.unit in _FORMS:
        return _FORMS[option.unit]
    if words := _words(option):
        return Annotated[str, one_of(words[option.low : option.high + 1])]
    return Annotated[_RANGES[option.unit](option.low, option.high)]


def keys(options: Iterable[Option]) -> Iterator[Option]:
    """The rows that a scenario can set, of several with the same key the first."""
    found = {option.key: option for option in reversed(list(options)) if option.key}
    return reversed(found.values())


def initial(option: Option) -> Value:
    """The field's value where nothing is said."""
    if words := _words(option):
        return words[option.initial]
    as_type = {"flag": bool, "ratio": float}.get(option.unit, int)
    return as_type(option.initial)


def value(option: Option, *tables: Table) -> Value:
    """The field's value by the first of the tables that says something."""
    for table in tables:
        given: Value | None = getattr(table, option.key)
        if given is not None:
            if option.unit == "percent":
                return round(100 * float(given))
            return float(given) if option.unit == "ppm" else given  # the only one with a sign
    return initial(option)


def values(options: Iterable[Option], *tables: Table) -> dict[str, Any]:
    """The same of each of these rows, by field."""
    return {option.name: value(option, *tables) for option in options}


def _field(option: Option) -> tuple[Any, Any]:
    """What the key takes, and its value where nothing is said."""
    form = _form(option) | None if option.none not in ("", REQUIRED) else _form(option)
    start = ... if option.none == REQUIRED else None if option.none else initial(option)
    mark = Said(option.none, option.source, tuple(option.kinds.split()))
    return marked(form, mark), Field(start, description=option.help)


def model(name: str, base: type[_T], options: Iterable[Option]) -> type[_T]:
    """The table `base` with the keys of these rows."""
    return with_keys(name, base, {option.key: _field(option) for option in keys(options)})


def changed(name: str, base: type[_T], options: Iterable[Option]) -> type[_T]:
    """The table `base` with these keys, of which those not given stay; a span is one time."""
    forms = {o.key: BackDelay if o.unit == "span" else _form(o) for o in options}
    help_ = {o.key: o.help for o in options}
    fields = {k: (form | None, Field(None, description=help_[k])) for k, form in forms.items()}
    return with_keys(name, base, fields)
