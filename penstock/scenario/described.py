# SPDX-License-Identifier: GPL-2.0-only
"""Methods and their parameters as users read them."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock import _native, version
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


_DIGITS: Final = 12
_STALE: Final = "the sources are newer than the compiled simulator; `tools/setup` builds it again"


def digest(root: Path) -> str:
    """That of the engine's sources, as cmake/SourcesDigest.cmake makes it."""
    found = [file for kind in ("*.h", "*.c") for file in (root / "core").rglob(kind)]
    found += [file for kind in ("*.h", "*.cpp") for file in (root / "sim").rglob(kind)]
    names = sorted(file.relative_to(root).as_posix() for file in found)
    each = (f"{name} {hashlib.sha256((root / name).read_bytes()).hexdigest()}\n" for name in names)
    return hashlib.sha256("".join(each).encode()).hexdigest()[:_DIGITS]


def stale() -> str:
    """What to do in a checkout whose sources are not those that were compiled; else ''."""
    root = version.PACKAGE.parent
    if not (root / "tools" / "setup").is_file() or digest(root) == _native.SOURCES:
        return ""
    return _STALE
