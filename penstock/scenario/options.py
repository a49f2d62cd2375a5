# SPDX-License-Identifier: GPL-2.0-only
"""Keys of a scenario that are rows of a table in core/tables/."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, create_model

from penstock import _native
from penstock.scenario import units
from penstock.scenario.table import Table
from penstock.scenario.types import size, time, whole

TCP: Final = tuple(_native.tcp_options())

_KINDS: Final = {"bytes": units.SIZE, "ns": units.TIME}
_T = TypeVar("_T", bound=Table)


def _form(option: _native.Option) -> Any:
    """What the key takes."""
    if option.unit == "flag":
        return bool
    ranges = {"count": lambda *ends: (whole(*ends),), "bytes": size, "ns": time}
    return Annotated[int, *ranges[option.unit](option.low, option.high)]


def initial(option: _native.Option) -> int | bool:
    """The field's value where nothing is said."""
    return bool(option.initial) if option.unit == "flag" else option.initial


def default(option: _native.Option) -> int | bool | None:
    """The key's value where nothing is said; None where that stands for none."""
    return None if option.initial < option.low else initial(option)


def shown(option: _native.Option) -> str:
    """The default as a scenario would write it."""
    value = default(option)
    if value is None:
        return "none"
    if option.unit in _KINDS:
        return f'"{units.form(_KINDS[option.unit], value)}"'
    return str(value).lower()


def value(option: _native.Option, table: Table) -> int | bool:
    """The field's value by the table of a scenario."""
    given: int | bool | None = getattr(table, option.key)
    return initial(option) if given is None else given


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
    made: type[_T] = create_model(
        name, __base__=base, __module__=base.__module__, __doc__=base.__doc__, **fields
    )
    return made
