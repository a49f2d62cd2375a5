# SPDX-License-Identifier: GPL-2.0-only
"""The delay of small datagrams over time, from captures of the simulator."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from penstock import _native
from penstock.plan.network import Network, Tcp, Udp, Wire, crossing_ns
from penstock.runs.captures import pcap, probes

_BITS_NS: Final = 8 * 10**9

Order = Sequence[tuple[int, Hashable | None]]  # of packets: times and marks


@dataclass(frozen=True)
class Probe:
    """A flow of UDP, and the links on which it leaves its source and reaches its sink."""

    flow: int
    udp: Udp
    leaving: int
    reaching: int


def _plain(network: Network, link: int) -> bool:
    """Whether all that leaves on a link arrives, at a time that its rate and delay tell."""
    wire = network.links[link]
    shared = any(link in cable.links for cable in network.cables)
    fixed = isinstance(wire, Wire) and not (wire.changes or wire.trace_ms or wire.loss_ratio)
    return fixed and not shared


def _overtakes(network: Network) -> bool:
    """Whether a packet may arrive before one of its flow that was sent earlier."""
    wires = (link for link in network.links if isinstance(link, Wire))
    delays_change = any(change.delay_ns is not None for wire in wires for change in wire.changes)
    return delays_change or network.mobility is not None


def probe(network: Network, flow: int) -> Probe | None:
    """The probe that a flow is, if it is one whose delay captures tell."""
    udp = network.traffic[flow]
    if not isinstance(udp, Udp) or _overtakes(network):
        return None
    links = list(enumerate(network.links))
    leaving = [index for index, link in links if link.src == udp.src]
    reaching = [index for index, link in links if link.dst == udp.dst]
    if len(leaving) != 1 or len(reaching) != 1 or not _plain(network, reaching[0]):
        return None
    return Probe(flow, udp, leaving[0], reaching[0])


def _companions(network: Network, udp: Udp) -> set[int]:
    """The ports of connections that send data from the same node to the same node."""
    return {
        pcap.FIRST_PORT + flow
        for flow, each in enumerate(network.traffic)
        if isinstance(each, Tcp) and (each.src, each.dst) == (udp.src, udp.dst)
    }


def _in_order(network: Network) -> bool:
    """Whether packets of different flows keep their order, as no gateway has several queues."""
    several = {each.name for each in _native.disciplines() if each.schedules}
    return not any(gateway.discipline in several for gateway in network.gateways)


def _order(file: str, port: int, beside: set[int]) -> Iterator[tuple[int, Hashable | None]]:
    """Times of the datagrams from a port and of the data beside them, each with its mark."""
    for time_ns, packet in pcap.packets(Path(file)):
        ports = pcap.datagram_ports(packet)
        if ports and ports[0] == port:
            yield time_ns, probes.PROBE
        elif beside and not ports:
            s = pcap.segment(time_ns, packet)
            if s and s.payload_bytes and s.ports[0] in beside:
                yield time_ns, pcap.mark(packet)


def _emitted(udp: Udp, end_ns: int) -> int:
    """How many datagrams the source has sent before the end."""
    stop_ns = min(end_ns, udp.stop_ns or end_ns)
    return -(-max(stop_ns - udp.start_ns, 0) * udp.rate_bps // (udp.payload_bytes * _BITS_NS))


def delays(
    network: Network, found: Probe, files: dict[int, str], result: _native.Result
) -> list[tuple[int, int]]:
    """Time of arrival and delay of each datagram of which it is certain when it was sent."""
    port = pcap.FIRST_PORT + found.flow
    beside = _companions(network, found.udp) if _in_order(network) else set[int]()
    sent = list(_order(files[found.leaving], port, beside))
    wire = network.links[found.reaching]
    assert isinstance(wire, Wire)
    last_ns = crossing_ns(wire, found.udp.payload_bytes + pcap.UDP_HEADERS_BYTES)
    arrived = [
        (time_ns + last_ns, mark)
        for time_ns, mark in _order(files[found.reaching], port, beside)
        if time_ns + last_ns <= result.end_ns
    ]
    return list(_matched(sent, arrived, _lost(found, sent, arrived, result)))


def _count(order: Order) -> int:
    return sum(1 for _, mark in order if mark is probes.PROBE)


def _lost(found: Probe, sent: Order, arrived: Order, result: _native.Result) -> int:
    """How many datagrams will not arrive any more."""
    flying = int(result.flows["packets_in_flight"][found.flow])
    emitted = max(_count(sent), _emitted(found.udp, result.end_ns))
    return max(emitted - _count(arrived) - flying, 0)


def _matched(sent: Order, arrived: Order, lost: int) -> Iterator[tuple[int, int]]:
    """Time of arrival and delay of each datagram that can be only one of those sent."""
    left_ns = [time_ns for time_ns, mark in sent if mark is probes.PROBE]
    reached_ns = [time_ns for time_ns, mark in arrived if mark is probes.PROBE]
    marks = [mark for _, mark in sent], [mark for _, mark in arrived]
    for time_ns, number in zip(reached_ns, probes.identified(*marks, lost), strict=True):
        if number is not None:
            yield time_ns, time_ns - left_ns[number]
