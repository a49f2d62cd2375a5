# SPDX-License-Identifier: GPL-2.0-only
"""A scenario as the TOML text that a user could have written, each default in it."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, get_args

import tomli_w
from pydantic.fields import FieldInfo

from penstock.scenario import distributions, units, users
from penstock.scenario.distributions import Distribution
from penstock.scenario.files import Opportunities, Transfers
from penstock.scenario.model import RADIO, WIRE_KEYS, Link, Scenario, Traffic
from penstock.scenario.source import is_file
from penstock.scenario.table import Table
from penstock.scenario.types import Span


def _kinds(annotation: Any) -> Iterator[units.Kind]:
    for part in (*getattr(annotation, "__metadata__", ()), *get_args(annotation)):
        if isinstance(part, units.Kind):
            yield part
        else:
            yield from _kinds(part)


def kind_of(field: FieldInfo) -> units.Kind | None:
    """The sort of quantity that the field is, or is made of."""
    marks = (mark for mark in field.metadata if isinstance(mark, units.Kind))
    return next(marks, None) or next(_kinds(field.annotation), None)


def _span(span: Span) -> str:
    first, last = (units.form(units.TIME, each) for each in (span.first_ns, span.last_ns))
    return first if first == last else f"{first}..{last}"


def _value(value: Any, kind: units.Kind | None) -> Any:
    if isinstance(value, Table):
        return _table(value)
    if isinstance(value, Span):
        return _span(value)
    if isinstance(value, Distribution):
        return distributions.text(value, kind)
    if isinstance(value, Transfers | Opportunities):
        return str(Path(value.path).resolve()) if is_file(value.path) else value.path
    if isinstance(value, dict):
        return {name: _value(each, kind) for name, each in value.items()}
    if isinstance(value, list):
        return [_value(each, kind) for each in value]
    return units.form(kind, value) if kind and value is not None else value


def _foreign(table: Table) -> Collection[str]:
    """Fields that a table of its kind must not have, though the model does."""
    if isinstance(table, Link) and table.medium == RADIO:
        return WIRE_KEYS
    if isinstance(table, Traffic):
        return Traffic.model_fields.keys() - {"kind", *users.KEYS[table.kind]}
    return ()


def _table(table: Table) -> dict[str, Any]:
    found = {}
    without = _foreign(table)
    for name, field in type(table).model_fields.items():
        value = _value(getattr(table, name), kind_of(field))
        if name not in without and value not in (None, "", {}, []):
            found[field.alias or name] = value
    return found | (table.__pydantic_extra__ or {})


def defaults(model: type[Table]) -> dict[str, Any]:
    """The defaults of a table's plain values, as a user would write them."""
    found = {
        field.alias or name: _value(field.default, kind_of(field))
        for name, field in model.model_fields.items()
        if not field.is_required()
    }
    return {key: value for key, value in found.items() if value not in (None, "", {}, [])}


def tables(scenario: Scenario) -> dict[str, Any]:
    """The tables of the scenario, quantities with their units; what nobody set is left out."""
    return _table(scenario)


def text(scenario: Scenario) -> str:
    """The scenario as TOML; reading it gives the same scenario."""
    return tomli_w.dumps(tables(scenario))
