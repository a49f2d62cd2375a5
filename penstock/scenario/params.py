# SPDX-License-Identifier: GPL-2.0-only
"""Parameters of methods: between what a user writes and the integer that core/ takes.

The table itself is core/'s. A user's key is the field's name; of a ratio without
its fixed-point format (`weight` for weight_q32, with a decimal as value), and of
the others also without the unit (`start` for start_bytes, then with the unit in
the value).
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import Final, Protocol

from penstock import _native
from penstock.errors import near
from penstock.scenario import units

RATIO_ONE: Final = {"ratio_q16": 1 << 16, "ratio_q32": 1 << 32}
KERNEL: Final = "kernel:"  # before the name of what only a Linux kernel has
PLAIN: Final = "droptail"  # the discipline that decides nothing
NO_LAW: Final = "none"
SIGNAL_TITLES: Final = {"drop": "", "ecn": ", marking", "window": ", windows as signals (RWM)"}
KERNEL_QUEUES: Final = ("fq_codel", "codel", "pie", "fq_pie", "red", "cake", "sfq", "dualpi2")

_KIND: Final = {"bytes": units.SIZE, "ns": units.TIME, "bps": units.RATE}
_SUFFIX: Final = ("_bytes", "_ns", "_pkts", "_bps")
_FLAG: Final = {"true": 1, "on": 1, "1": 1, "false": 0, "off": 0, "0": 0}


class Described(Protocol):
    """What has a name and parameters: a sender, a discipline, a law or a variant."""

    @property
    def name(self) -> str:
        """The name that users write."""

    @property
    def params(self) -> Sequence[_native.Param]:
        """Its parameters."""


@dataclass(frozen=True)
class Variant:
    """A discipline and a law under one name, and what they need of the end hosts."""

    name: str
    discipline: str
    law: str
    signal: str  # what becomes of early events: drop, ecn or window
    sender: str  # "" for the scenario's own
    sharing: str  # likewise
    ecn: bool
    label: str  # in tables and plots
    colour: str  # "" for the next of a cycle
    title: str
    source: str
    formula: str
    rewrites: bool
    params: tuple[_native.Param, ...]  # of both parts; names that both have as PART.NAME


def _row(p: _native.Param) -> tuple[object, ...]:
    return p.unit, p.default, p.buffer_num, p.buffer_den, p.min, p.max


def _parts(discipline: _native.Method, law: _native.Method) -> tuple[_native.Param, ...]:
    """Names that both have come with their part, unless default and range are the same too."""
    rows = [{p.name: _row(p) for p in part.params} for part in (discipline, law)]
    shared = {name for name, row in rows[0].items() if rows[1].get(name) == row}
    common = (rows[0].keys() & rows[1].keys()) - shared
    return tuple(
        param.renamed(f"{part.name}.{param.name}") if param.name in common else param
        for part in (discipline, law)
        for param in part.params
        if part is law or param.name not in shared
    )


def _title(discipline: _native.Method, law: _native.Method, signal: str) -> str:
    if law.rewrites:
        plain = discipline.name == PLAIN
        return law.title if plain else f"{law.title}, over {discipline.title}"
    return discipline.title + SIGNAL_TITLES[signal]


def _hosts_title(sender: str, sharing: str) -> str:
    """What a variant gives to the end hosts, after the gateway's title."""
    parts = ((senders(), sender), (sharings(), sharing))
    return "".join(f"; hosts: {known[name].title}" for known, name in parts if name in known)


def compose(
    name: str,
    discipline: str,
    law: str,
    signal: str = "drop",
    *,
    sender: str = "",
    sharing: str = "",
    ecn: bool = False,
    label: str = "",
    colour: str = "",
) -> Variant:
    """A variant of the parts that are named."""
    # A queue of the kernel's is behind a gateway as a plain one is: it decides for itself.
    own = PLAIN if discipline.startswith(KERNEL) else discipline
    parts = disciplines()[own], laws()[law]
    leading = parts[1] if parts[1].rewrites else parts[0]
    return Variant(
        name=name,
        discipline=discipline,
        law=law,
        signal=signal,
        sender=sender,
        sharing=sharing,
        ecn=ecn,
        label=label or name,
        colour=colour,
        title=_title(*parts, signal) + _hosts_title(sender, sharing),
        source=leading.source,
        formula=leading.formula,
        rewrites=parts[1].rewrites or signal == "window",
        params=_parts(*parts),
    )


def labels(variant: Variant) -> bool:
    """Whether its discipline writes labels into the TOS octet, and so over the bits of ECN."""
    known = disciplines().get(variant.discipline)
    return known is not None and known.labels


@functools.cache
def disciplines() -> Mapping[str, _native.Method]:
    """The queue disciplines by name."""
    return {method.name: method for method in _native.disciplines()}


@functools.cache
def laws() -> Mapping[str, _native.Method]:
    """The window laws by name."""
    return {method.name: method for method in _native.laws()}


@functools.cache
def methods() -> Mapping[str, Variant]:
    """The built-in variants by name: what -m takes."""
    return {
        v.name: compose(
            v.name,
            v.discipline,
            v.law,
            v.signal,
            sender=v.sender,
            sharing=v.sharing,
            ecn=v.ecn,
            label=v.label,
            colour=v.colour,
        )
        for v in _native.variants()
    }


def senders() -> dict[str, _native.Method]:
    """The senders' congestion controls by name."""
    return {method.name: method for method in _native.senders()}


def needs_ecn(sender: str) -> bool:
    """Whether that congestion control needs ECN, and a receiver that echoes each mark."""
    known = senders().get(sender)
    return known is not None and known.exact_ecn


def only_opens(sender: str) -> str:
    """Why connections of that congestion control are opened by their sender; else ""."""
    known = senders().get(sender)
    if known is None or not known.header:
        return ""
    return f"{sender} puts its header on the sender's SYN, and an answer has none; write 'sender'"


def sharings() -> dict[str, _native.Method]:
    """What connections of one host may share, by name."""
    return {method.name: method for method in _native.sharings()}


def user_key(name: str) -> str:
    """The key that a user writes for a parameter or state field."""
    return name.removesuffix("_q16").removesuffix("_q32")


def _short_key(name: str) -> str:
    for suffix in _SUFFIX:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return user_key(name)


def find(method: Described, key: str) -> _native.Param | None:
    """The parameter that `key` names, in any of its spellings."""
    for param in method.params:
        if key in (user_key(param.name), _short_key(param.name)):
            return param
    return None


def keys(method: Described) -> list[str]:
    """The keys of a method, as documented."""
    return [user_key(param.name) for param in method.params]


def _decimal(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number") from None
    if not value.is_finite():
        raise ValueError(f"{text!r} is not a finite number")
    return value


def _integer(text: str, unit: str) -> int:
    value = _decimal(text)
    if value != value.to_integral_value() or abs(value) > 1 << 62:
        raise ValueError(f"{text!r} is not a whole number of {unit}")
    return int(value)


def _parse(param: _native.Param, key: str, text: str) -> int:
    if param.unit in RATIO_ONE:
        percent = text.endswith("%")
        ratio = _decimal(text.removesuffix("%")) / (100 if percent else 1)
        if abs(ratio) > 1 << 64:
            raise ValueError(f"{text!r} is out of range")
        return int((ratio * RATIO_ONE[param.unit]).to_integral_value(ROUND_HALF_EVEN))
    if param.unit == "flag":
        if text.lower() not in _FLAG:
            raise ValueError(f"{text!r} is neither true nor false")
        return _FLAG[text.lower()]
    kind = _KIND.get(param.unit)
    if kind and not (key == param.name and text.strip().lstrip("+-").isdecimal()):
        return units.parse(kind, text)
    return _integer(text, param.unit)


def parse(param: _native.Param, key: str, value: object) -> int:
    """The internal integer for a value from TOML or from the command line."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str | int | float):
        text = str(value)
    else:
        raise ValueError(f"expected one value, not {type(value).__name__}")
    number = _parse(param, key, text)
    if not param.min <= number <= param.max:
        low, high = show(param.unit, param.min), show(param.unit, param.max)
        raise ValueError(f"{text} is out of range; from {low} to {high}")
    return number


def show(unit: str, value: int) -> str:
    """An internal integer as a user reads and writes it."""
    if unit in RATIO_ONE:
        one = RATIO_ONE[unit]
        digits = len(str(one))
        short = Decimal(value) / one
        for places in range(digits + 1):
            rounded = round(short, places)
            if int((rounded * one).to_integral_value(ROUND_HALF_EVEN)) == value:
                return f"{rounded:f}"
        return f"{short:f}"
    if unit == "flag":
        return "true" if value else "false"
    kind = _KIND.get(unit)
    return units.form(kind, value) if kind else str(value)


def default(param: _native.Param, buffer_bytes: int | None) -> int | None:
    """The value that a parameter takes if nobody sets it; None if it needs the buffer."""
    if not param.buffer_den:
        return param.default
    if buffer_bytes is None:
        return None
    return buffer_bytes * param.buffer_num // param.buffer_den


def show_default(param: _native.Param) -> str:
    """The default as text, for instance '3/10 of the buffer'."""
    if param.buffer_den:
        return f"{param.buffer_num}/{param.buffer_den} of the buffer"
    return show(param.unit, param.default)


def resolve(method: Described, given: Mapping[str, object]) -> dict[str, int]:
    """Fields and integers for core/ from a user's keys; ValueError names the bad key."""
    fields: dict[str, int] = {}
    for key, value in given.items():
        param = find(method, key)
        if param is None:
            raise ValueError(f"{method.name} has no parameter {key!r}; {near(key, keys(method))}")
        if param.name in fields:
            raise ValueError(f"{key!r} is given twice in two spellings")
        try:
            fields[param.name] = parse(param, key, value)
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from None
    return fields


def text(method: Described, fields: Mapping[str, int]) -> str:
    """Fields of core/ as --set takes them, in the order of the method's table."""
    return " ".join(
        f"{user_key(param.name)}={show(param.unit, fields[param.name])}"
        for param in method.params
        if param.name in fields
    )


def having(key: str, among: Iterable[Described]) -> list[str]:
    """Names of those methods that have a parameter `key`."""
    return [method.name for method in among if find(method, key)]
