# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the traffic: its ways, its packets and its windows."""

from collections.abc import Iterator

from penstock.scenario import headers, mobility, topology, units, users
from penstock.scenario.flaw import Flaw, unknown
from penstock.scenario.locate import Path
from penstock.scenario.model import Scenario, Tcp
from penstock.scenario.types import AUTO


def _traffic(scenario: Scenario) -> Iterator[Flaw]:
    known = list(topology.nodes(scenario))
    for table in ("tcp", "udp"):
        for key, group in getattr(scenario, table).items():
            pair = (("from", group.source), ("to", group.sink))
            missing = [
                flaw
                for end, node in pair
                for flaw in unknown((table, key, end), node, known, "node")
            ]
            yield from missing
            if not missing and group.source == group.sink:
                yield (table, key, "to"), "it sends to itself; name another node"
            elif not missing and not topology.route(scenario, group.source, group.sink):
                where = f"from {group.source!r} to {group.sink!r}"
                yield (table, key, "to"), f"no link leads {where}; add one"


def _ways(scenario: Scenario) -> Iterator[Flaw]:
    """Gateways that no data passes."""
    pairs = [(udp.source, udp.sink) for udp in scenario.udp.values()]
    for tcp in scenario.tcp.values():
        pairs += [(tcp.source, sink) for sink in mobility.sinks(scenario, tcp)]
    used = {place for pair in pairs for place in topology.route(scenario, *pair)}
    for key, gateway in scenario.gateway.items():
        if (gateway.link, gateway.direction) not in used:
            other = "back" if gateway.direction == "forward" else "forward"
            cure = f"direction = '{other}'" if (gateway.link, other) in used else "another link"
            where = f"no data goes {gateway.direction} over link {gateway.link!r}"
            yield ("gateway", key, "link"), f"{where}, so it would do nothing; write {cure}"


def passes_no_gateway(scenario: Scenario) -> list[str]:
    """The groups of TCP connections that no gateway can tell anything."""
    gateways = {(gateway.link, gateway.direction) for gateway in scenario.gateway.values()}
    return [
        key
        for key, tcp in scenario.tcp.items()
        if not gateways & set(topology.route(scenario, tcp.source, tcp.sink))
    ]


def packet_bytes(tcp: Tcp) -> int:
    """Length of the IP packet of a full segment: IP and TCP headers, timestamps; of QUIC, UDP's."""
    if tcp.quic:
        return tcp.segment + headers.IP_UDP_BYTES
    return tcp.segment + headers.IP_TCP_BYTES + headers.tcp_options_bytes(tcp.timestamps)


def _fits(scenario: Scenario, path: Path, length: int, parts: str, cure: str) -> Iterator[Flaw]:
    for name, link in scenario.link.items():
        mtu = min(link.mtu, link.back.mtu or link.mtu)
        if length > mtu:
            what = f"{parts} make packets of {length} bytes; link {name!r} carries {mtu}"
            yield path, f"{what}; {cure}"
        for direction in ("forward", "back"):
            queue = topology.queue_limit_bytes(scenario, name, direction)
            if queue is not None and queue < length:
                where = ("link", name, "queue")
                yield where, f"{queue} bytes do not hold one packet of {length} bytes; write more"


def _segments(scenario: Scenario) -> Iterator[Flaw]:
    for key, tcp in scenario.tcp.items():
        stamps = f" + {headers.TIMESTAMPS_BYTES} timestamps" if tcp.timestamps else ""
        parts = f"{tcp.segment}-byte segments + {headers.IP_TCP_BYTES} IP and TCP headers{stamps}"
        if tcp.quic:
            stamps = ""
            parts = f"{tcp.segment}-byte datagrams + {headers.IP_UDP_BYTES} IP and UDP headers"
        room = min(link.mtu for link in scenario.link.values()) - packet_bytes(tcp) + tcp.segment
        cure = f"write segment = '{max(room, 1)}B'" + (", timestamps = false" if stamps else "")
        yield from _fits(
            scenario, ("tcp", key, "segment"), packet_bytes(tcp), parts, cure + " or a larger mtu"
        )
        if tcp.rto_min > tcp.rto_max:
            most = units.form(units.TIME, tcp.rto_max)
            yield ("tcp", key, "rto_min"), f"it is above rto_max; at most '{most}'"
    for key, udp in scenario.udp.items():
        parts = f"{udp.payload}-byte payloads + {headers.IP_UDP_BYTES} IP and UDP headers"
        cure = "write a smaller payload or a larger mtu"
        length = udp.payload + headers.IP_UDP_BYTES
        yield from _fits(scenario, ("udp", key, "payload"), length, parts, cure)
        if udp.stop is not None and udp.stop <= udp.start.last_ns:
            yield ("udp", key, "stop"), "it stops before it starts; write a later time"


def _windows(scenario: Scenario) -> Iterator[Flaw]:
    """A receiver's buffer holds at least one segment."""
    for key, tcp in scenario.tcp.items():
        places: list[tuple[Path, str]] = [(("tcp", key, "window"), tcp.window or AUTO)]
        if tcp.window is None:
            receivers = enumerate(scenario.sweep.receivers)
            places = [(("sweep", "receivers", index), text) for index, text in receivers]
        least = f"one segment of tcp.{key} has {tcp.segment}"
        for path, text in places:
            if text == AUTO and tcp.window_max < tcp.segment:
                yield ("tcp", key, "window_max"), f"{least} bytes; write at least '{tcp.segment}B'"
            elif text != AUTO and int(text) < tcp.segment:
                yield path, f"{text} is too small: {least} bytes; write at least '{tcp.segment}'"


def _recovery(scenario: Scenario) -> Iterator[Flaw]:
    """Recoveries that work on SACK's scoreboard alone."""
    for key, tcp in scenario.tcp.items():
        for option, on in (("prr", tcp.prr), ("rack", tcp.rack)):
            if on and not tcp.sack:
                yield ("tcp", key, option), "it needs SACK; write sack = true, or leave it out"


def _thresholds(scenario: Scenario) -> Iterator[Flaw]:
    """HyStart++ looks for the end of a slow start that has none."""
    for key, tcp in scenario.tcp.items():
        if tcp.hystart and tcp.initial_ssthresh:
            cure = "leave out one of both"
            yield ("tcp", key, "hystart"), f"initial_ssthresh ends the initial slow start; {cure}"


def flaws(scenario: Scenario) -> Iterator[Flaw]:
    """Flows between nodes that links join, past each gateway, in packets that links carry."""
    checks = (_traffic, users.sources, mobility.flaws, _ways, _segments, _windows)
    for check in (*checks, _recovery, _thresholds):
        yield from check(scenario)
