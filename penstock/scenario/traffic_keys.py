# SPDX-License-Identifier: GPL-2.0-only
"""Keys of [tcp.NAME.traffic] that are rows of core/tables/traffic_keys.h."""

from typing import Any, Final, TypeVar

from pydantic import Field, TypeAdapter

from penstock import _native
from penstock.scenario.distributions import CountDistribution, SizeDistribution, TimeDistribution
from penstock.scenario.table import Table, with_keys
from penstock.scenario.types import Size, Time

WEB: Final = tuple(_native.web_keys())
ON_OFF: Final = tuple(_native.on_off_keys())

_DRAWN: Final = {"ns": TimeDistribution, "bytes": SizeDistribution, "count": CountDistribution}
_FIXED: Final = {"ns": Time, "bytes": Size}
_T = TypeVar("_T", bound=Table)


def _field(row: _native.TrafficKey) -> tuple[Any, Any]:
    """What the key takes, and its value where nothing is said."""
    form: Any = (_DRAWN if row.drawn else _FIXED)[row.unit]
    if not row.initial:
        return form | None, Field(None, description=row.help)
    return form, Field(TypeAdapter(form).validate_python(row.initial), description=row.help)


def model(name: str, base: type[_T]) -> type[_T]:
    """The table `base` with the keys of all kinds."""
    fields: dict[str, Any] = {row.key: _field(row) for row in (*WEB, *ON_OFF)}
    return with_keys(name, base, fields)
