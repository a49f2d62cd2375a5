# SPDX-License-Identifier: GPL-2.0-only
"""From a scenario's [tcp.NAME.traffic] to the simulator's sources."""

from typing import Final

from penstock import _native
from penstock.scenario.laws import Law
from penstock.scenario.model import Traffic

_ALWAYS_NS: Final = float(1 << 60)
_BITS_NS: Final = 8 * 10**9


def distribution(law: Law) -> _native.Distribution:
    """The distribution that a law names."""
    make = getattr(_native.Distribution, law.name)
    made: _native.Distribution = make(*law.values)
    return made


def write_bytes(traffic: Traffic) -> int:
    """What an on-off source writes at a time: given, or by its rate, at least a byte."""
    if traffic.write is not None:
        return traffic.write
    assert traffic.rate is not None, "checked when the scenario was read"
    return max(traffic.rate * traffic.interval // _BITS_NS, 1)


def source(traffic: Traffic) -> _native.Source:
    """The source of each user of a group."""
    transfers = traffic.transfers or 0
    if traffic.kind == "web":
        return _native.Source.web(
            session_ns=distribution(traffic.session),
            pages=distribution(traffic.pages),
            reading_ns=distribution(traffic.reading),
            objects=distribution(traffic.objects),
            object_bytes=distribution(traffic.size),
            transfers=transfers,
        )
    if traffic.kind == "on-off":
        on = traffic.on or Law("constant", (_ALWAYS_NS,))
        return _native.Source.on_off(
            on_ns=distribution(on),
            off_ns=distribution(traffic.off),
            interval_ns=traffic.interval,
            write_bytes=write_bytes(traffic),
            transfers=transfers,
        )
    assert traffic.file is not None, "checked when the scenario was read"
    return _native.Source.trace(traffic.file.entries)


def persistent(traffic: Traffic) -> bool:
    """Whether a user has one connection for all; an application that writes does."""
    return traffic.kind == "on-off" if traffic.persistent is None else traffic.persistent
