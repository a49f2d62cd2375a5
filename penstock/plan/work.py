# SPDX-License-Identifier: GPL-2.0-only
"""How much a cell has to carry, and for how long, as far as its scenario says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from penstock.plan import hosts, offered
from penstock.plan.cells import Cell
from penstock.scenario import headers, topology, traces
from penstock.scenario.model import Back, Scenario, Tcp
from penstock.scenario.types import Span

_NS: Final = 1e9
_HEADERS_BYTES: Final = headers.IP_TCP_BYTES + headers.TIMESTAMPS_BYTES
_RADIO_TCP_BPS: Final = 20e6  # what 802.11g carries of TCP


@dataclass(frozen=True)
class Work:
    """Segments and UDP packets that reach their end, and simulated seconds.

    `bounded` is true where it is the most that the links carry: users offer more than that, or
    their distributions have no mean.
    """

    segments: float
    seconds: float
    bounded: bool = False


def _rate_bps(scenario: Scenario, name: str, direction: str) -> float:
    """Of one direction of a link, its mean where it follows a trace."""
    link = scenario.link[name]
    back = link.back if direction == "back" else Back()
    trace = back.trace or (link.trace if direction == "forward" else None)
    if trace:
        return len(trace.ms) * traces.PACKET_BYTES * 8e3 / max(trace.ms[-1], 1)
    return float(back.rate or link.rate or _RADIO_TCP_BPS)


def _capacity_bps(cell: Cell, name: str, direction: str) -> float:
    """The rate of all links that a name stands for."""
    ends = topology.ends(cell.scenario, name)
    links = max(topology.size(cell.scenario, end, cell.flows) for end in ends)
    return links * _rate_bps(cell.scenario, name, direction)


def _last_start_s(start: Span) -> float:
    return start.last_ns / _NS


def _loads(cell: Cell) -> Iterator[tuple[tuple[str, str], float, float]]:
    """Of each TCP group: each link on its way, its bits in all, and when its last flow starts."""
    for tcp in cell.scenario.tcp.values():
        if tcp.size is None:
            continue
        segments = -(-tcp.size // tcp.segment)
        bits = 8.0 * tcp.members(cell.flows) * (tcp.size + segments * _HEADERS_BYTES)
        for way in topology.route(cell.scenario, tcp.source, tcp.sink):
            yield way, bits, _last_start_s(tcp.start)


def _seconds(cell: Cell) -> float:
    """Until the slowest link on the way has carried all transfers."""
    bits: dict[tuple[str, str], float] = {}
    latest = 0.0
    for way, load, start in _loads(cell):
        bits[way] = bits.get(way, 0.0) + load
        latest = max(latest, start)
    times = (load / _capacity_bps(cell, *way) for way, load in bits.items())
    return latest + max(times, default=0.0)


def _slowest_bps(cell: Cell, tcp: Tcp) -> float:
    ways = topology.route(cell.scenario, tcp.source, tcp.sink)
    return min((_capacity_bps(cell, *way) for way in ways), default=0.0)


def _of_users(cell: Cell, tcp: Tcp, seconds: float) -> tuple[float, bool]:
    """Segments that users offer; what the slowest link carries, and True, if that is less."""
    assert tcp.traffic is not None
    rate_bps, writes = _slowest_bps(cell, tcp), hosts.persistent(tcp.traffic)
    most = rate_bps * seconds / 8 / (tcp.segment + _HEADERS_BYTES)
    offer = offered.of(tcp.traffic, seconds)
    begin_s = (tcp.start.first_ns + tcp.start.last_ns) / 2 / _NS
    transfers = offer.made(max(seconds - begin_s, 0.0), max(rate_bps, 1.0), writes)
    each = max(offer.size_bytes / tcp.segment + 0.5, 1.0)  # the last segment is half full
    segments = tcp.members(cell.flows) * transfers * each
    return (segments, False) if segments < most else (most, True)


def work(cell: Cell) -> Work:
    """What a run carries and how long it takes; the limit of time ends it."""
    limit = cell.scenario.time.limit / _NS
    users = any(tcp.traffic is not None for tcp in cell.scenario.tcp.values())
    whole = _seconds(cell)
    seconds = limit if users else min(whole, limit)
    part = min(seconds / whole, 1.0) if whole else 1.0
    segments, bounded = 0.0, False
    for tcp in cell.scenario.tcp.values():
        if tcp.size is None:
            found, most = _of_users(cell, tcp, seconds)
            segments, bounded = segments + found, bounded or most
        else:
            segments += part * tcp.members(cell.flows) * -(-tcp.size // tcp.segment)
    for udp in cell.scenario.udp.values():
        end = min(seconds, udp.stop / _NS if udp.stop else seconds)
        sent = max(end - udp.start.first_ns / _NS, 0.0) * udp.rate / 8 / udp.payload
        segments += sent * udp.members(cell.flows)
    return Work(segments, seconds, bounded)
