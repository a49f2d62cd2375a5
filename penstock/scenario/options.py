# SPDX-License-Identifier: GPL-2.0-only
"""Keys of a scenario that are rows of a table in core/tables/."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field

from penstock import _native
from penstock.scenario import units
from penstock.scenario.table import Table, with_keys
from penstock.scenario.types import BackDelay, Delay, Ratio, rate, size, time, whole

TCP: Final = tuple(_native.tcp_options())
LINK: Final = tuple(_native.link_keys())

Option = _native.Option
Value = int | bool | float

_KINDS: Final = {"bytes": units.SIZE, "ns": units.TIME, "span": units.TIME, "bps": units.RATE}
_RANGES: Final[dict[str, Callable[[int, int], tuple[Any, ...]]]] = {
    "count": lambda low, high: (whole(low, high),),
    "bytes": size,
    "ns": time,
    "bps": rate,
}
_FORMS: Final = {"flag": bool, "ratio": Ratio, "span": Delay}
_T = TypeVar("_T", bound=Table)


def _form(option: _native.Option) -> Any:
    """What the key takes."""
    if option.unit in _FORMS:
        return _FORMS[option.unit]
    return Annotated[int, *_RANGES[option.unit](option.low, option.high)]


def initial(option: _native.Option) -> Value:
    """The field's value where nothing is said."""
    as_type = {"flag": bool, "ratio": float}.get(option.unit, int)
    return as_type(option.initial)


def default(option: _native.Option) -> Value | None:
    """The key's value where nothing is said; None if that is no value."""
    return None if option.none else initial(option)


def shown(option: _native.Option) -> str:
    """The default as a scenario would write it."""
    if option.none:
        return option.none
    value = initial(option)
    if option.unit in _KINDS:
        return f'"{units.form(_KINDS[option.unit], int(value))}"'
    return str(value).lower()


def value(option: _native.Option, *tables: Table) -> Value:
    """The field's value by the first of the tables that says something."""
    for table in tables:
        given: Value | None = getattr(table, option.key)
        if given is not None:
            return given
    return initial(option)


def _told(option: _native.Option) -> str:
    """What an editor says of the key."""
    kind = _KINDS.get(option.unit)
    return f"{option.help} (a {kind.name}: '{kind.example}')" if kind else option.help


def model(name: str, base: type[_T], options: Sequence[_native.Option]) -> type[_T]:
    """The table `base` with the keys of these rows."""
    fields: dict[str, Any] = {}
    for option in options:
        if option.key:
            least = default(option)
            form = _form(option) if least is not None else _form(option) | None
            fields[option.key] = (form, Field(least, description=_told(option)))
    return with_keys(name, base, fields)


def changed(name: str, base: type[_T], options: Sequence[_native.Option]) -> type[_T]:
    """The table `base` with these keys, of which those not given stay; a span is one time."""
    forms = {o.key: BackDelay if o.unit == "span" else _form(o) for o in options}
    help_ = {o.key: _told(o) for o in options}
    fields = {k: (form | None, Field(None, description=help_[k])) for k, form in forms.items()}
    return with_keys(name, base, fields)
