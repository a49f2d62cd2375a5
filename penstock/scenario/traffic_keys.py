# SPDX-License-Identifier: GPL-2.0-only
"""Keys of [tcp.NAME.traffic] and [mobility] that are drawn or whole numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

from pydantic import Field, TypeAdapter

from penstock import _native
from penstock.scenario.distributions import CountDistribution, SizeDistribution, TimeDistribution
from penstock.scenario.options import REQUIRED
from penstock.scenario.table import Said, Table, marked, with_keys
from penstock.scenario.types import Size, Time

WEB: Final = tuple(_native.web_keys())
ON_OFF: Final = tuple(_native.on_off_keys())
MOBILITY: Final = tuple(_native.mobility_keys())
KINDS: Final = {"web": WEB, "on-off": ON_OFF, "trace": ()}

_DRAWN: Final = {"ns": TimeDistribution, "bytes": SizeDistribution, "count": CountDistribution}
_FIXED: Final = {"ns": Time, "bytes": Size}
_T = TypeVar("_T", bound=Table)


def _field(kind: str, row: _native.TrafficKey) -> tuple[Any, Any]:
    """What the key takes, and its value where nothing is said."""
    form: Any = (_DRAWN if row.drawn else _FIXED)[row.unit]
    if row.initial == REQUIRED:
        return form, Field(description=row.help)
    start = TypeAdapter(form).validate_python(row.initial) if row.initial else None
    shown = f'`"{row.initial}"`' if row.initial else ""
    form = marked(form if row.initial else form | None, Said(shown, kinds=(kind,)))
    return form, Field(start, description=row.help)


def model(name: str, base: type[_T], kinds: Mapping[str, Sequence[_native.TrafficKey]]) -> type[_T]:
    """The table `base` with the keys of these kinds."""
    fields: dict[str, Any] = {
        row.key: _field(kind, row) for kind, rows in kinds.items() for row in rows
    }
    return with_keys(name, base, fields)
