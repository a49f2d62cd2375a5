# SPDX-License-Identifier: GPL-2.0-only
"""Methods and their parameters as users read them."""

from dataclasses import dataclass

from penstock import _native
from penstock.scenario import params


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method; default, min and max are texts with their units."""

    key: str
    unit: str
    default: str
    min: str
    max: str
    help: str
    source: str


@dataclass(frozen=True)
class Method:
    """A method. `kind` is where it works: gateway, sender or sharing."""

    name: str
    kind: str
    title: str
    source: str
    formula: str
    rewrites: bool
    parameters: tuple[Parameter, ...]


def _parameter(param: _native.Param) -> Parameter:
    return Parameter(
        key=params.user_key(param.name),
        unit="ratio" if param.unit.startswith("ratio") else param.unit,
        default=params.show_default(param),
        min=params.show(param.unit, param.min),
        max=params.show(param.unit, param.max),
        help=param.help,
        source=param.source,
    )


def _method(method: _native.Method | params.Variant, kind: str) -> Method:
    return Method(
        method.name,
        kind,
        method.title,
        method.source,
        method.formula,
        method.rewrites,
        tuple(_parameter(param) for param in method.params),
    )


def methods() -> list[Method]:
    """All methods: of gateways, of senders, and what connections of a host may share."""
    gateways = [_method(each, "gateway") for each in params.methods().values()]
    senders = [_method(each, "sender") for each in params.senders().values()]
    return gateways + senders + [_method(each, "sharing") for each in params.sharings().values()]
