# SPDX-License-Identifier: GPL-2.0-only
"""Checks of groups of QUIC connections: what theirs lack of TCP's."""

from collections.abc import Iterator
from typing import Final

from penstock.scenario import params
from penstock.scenario.flaw import Flaw
from penstock.scenario.model import Scenario, Tcp
from penstock.scenario.variants import methods_of

_LEAST_BYTES: Final = 1200  # RFC 9000 section 14
_TCP_ONLY: Final = "QUIC has none; write quic = false, or leave it out"


def _lacks(congestion: str) -> str:
    """Why QUIC's senders have no such congestion control, or nothing."""
    sender = params.senders().get(congestion)
    if sender is not None and sender.header:
        return f"QUIC's senders have none like {congestion!r}; write another, such as 'cubic'"
    return ""


def _keys(tcp: Tcp) -> Iterator[tuple[str, str]]:
    if why := _lacks(tcp.congestion):
        yield "congestion", why
    if tcp.segment < _LEAST_BYTES:
        yield "segment", f"datagrams of QUIC have {_LEAST_BYTES} bytes or more; write at least that"
    if tcp.sharing:
        yield "sharing", _TCP_ONLY
    if tcp.window_option:
        yield "window_option", _TCP_ONLY
    if tcp.traffic and tcp.traffic.company:
        yield "traffic.company", _TCP_ONLY


def flaws(scenario: Scenario) -> Iterator[Flaw]:
    """Keys that ask of QUIC for what it lacks, and methods that need TCP's header."""
    known = methods_of(scenario)
    for key, tcp in scenario.tcp.items():
        if not tcp.quic:
            continue
        for where, message in _keys(tcp):
            yield ("tcp", key, *where.split(".")), message
        for index, name in enumerate(scenario.sweep.methods):
            if name in known and known[name].sender and (why := _lacks(known[name].sender)):
                yield ("sweep", "methods", index), f"its hosts are TCP's: {why}"
