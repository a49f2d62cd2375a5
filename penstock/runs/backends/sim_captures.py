# SPDX-License-Identifier: GPL-2.0-only
"""Captures of the simulator that become pcapng, qlog and data files of flent."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from penstock import _native
from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.plan.network import Capture, Network, Tcp, Wire, crossing_ns
from penstock.results import sealed
from penstock.runs.backends import sim_flent
from penstock.runs.captures import pcap, pcapng, qlog, qlog_quic
from penstock.runs.captures.pcap import Datagram, Segment
from penstock.scenario import topology
from penstock.version import version

MOST_TRACES: Final = 16  # connections of a run that qlog has
_PORTS: Final = 1 << 15
_Packet = TypeVar("_Packet", Segment, Datagram)


def _senders(built: Built) -> list[tuple[int, Tcp]]:
    """The first single connections, by their numbers."""
    tcps = [one for one in built.network.traffic if isinstance(one, Tcp)]
    return list(enumerate(tcps))[:MOST_TRACES]


def _port(flow: int) -> int:
    return pcap.FIRST_PORT + flow % _PORTS


def _at(network: Network, node: int) -> tuple[list[int], list[int]]:
    """The links that begin at a node, and those that end there."""
    links = list(enumerate(network.links))
    return (
        [index for index, link in links if link.src == node],
        [index for index, link in links if link.dst == node],
    )


def _measured(cell: Cell, built: Built) -> dict[str, int]:
    """Both directions of the measured link, by the names of a file's interfaces."""
    name, _ = topology.measured(cell.scenario)
    return {f"{name} {way}": built.links[name, way][0] for way in ("forward", "back")}


def added(cell: Cell, built: Built, folder: Path) -> Built:
    """The network with all captures that the formats need; new ones in `folder`."""
    wanted = set(_measured(cell, built).values()) if cell.pcapng_dir else set()
    if cell.qlog_dir:
        senders = _senders(built)
        if not senders:
            raise ValueError("--qlog: it is of single connections, and all traffic is of users")
        for _, tcp in senders:
            wanted.update(*_at(built.network, tcp.src))
    if cell.flent_dir:
        wanted |= sim_flent.links(cell, built)
    held = {capture.link for capture in built.network.captures}
    more = [Capture(link, str(folder / f"{link}.pcap")) for link in sorted(wanted - held)]
    captures = [*built.network.captures, *more]
    return dataclasses.replace(built, network=dataclasses.replace(built.network, captures=captures))


def _arrivals(seen: Iterable[_Packet], wire: Wire) -> Iterator[_Packet]:
    """With the times when they reach the end of the link, not when they enter it."""
    for s in seen:
        yield dataclasses.replace(s, time_ns=s.time_ns + crossing_ns(wire, s.packet_bytes))


def _read(file: str, port: int, parse: Callable[[int, bytes], _Packet | None]) -> Iterator[_Packet]:
    for time_ns, data in pcap.packets(Path(file)):
        found = parse(time_ns, data)
        if found and port in found.ports:
            yield found


def _seen(
    built: Built, files: dict[int, str], flow: int, parse: Callable[[int, bytes], _Packet | None]
) -> list[_Packet]:
    """What leaves a sender and what reaches it."""
    port = _port(flow)
    leaving, reaching = _at(built.network, dict(_senders(built))[flow].src)
    found = [s for link in leaving for s in _read(files[link], port, parse)]
    for link in reaching:
        wire = built.network.links[link]
        assert isinstance(wire, Wire)
        found += _arrivals(_read(files[link], port, parse), wire)
    return sorted(found, key=lambda s: s.time_ns)


def _events(built: Built, files: dict[int, str], flow: int, tcp: Tcp) -> list[qlog.Event]:
    if tcp.sender.quic:
        return qlog_quic.events(_seen(built, files, flow, pcap.datagram), _port(flow))
    return qlog.events(_seen(built, files, flow, pcap.segment), _port(flow))


def _cwnd(built: Built, result: _native.Result, flow: int) -> list[qlog.Event]:
    sample = built.network.sample
    if sample is None or flow not in sample.flows:
        return []
    series = result.series
    cwnd = series["cwnd_bytes"][list(sample.flows).index(flow)]
    return qlog.windows((series["time_ns"] / 1e9).tolist(), cwnd.tolist())


def convert(cell: Cell, built: Built, result: _native.Result) -> None:
    """Writes a file of each format that the cell asks for."""
    files = {capture.link: capture.path for capture in built.network.captures}
    if cell.pcapng_dir:
        ways = {name: Path(files[link]) for name, link in _measured(cell, built).items()}
        target = Path(cell.pcapng_dir) / f"{cell.label}.pcapng"
        with sealed.replacing(target) as partial:
            pcapng.write(partial, ways, f"penstock {version()}")
    if cell.flent_dir:
        sim_flent.write(cell, built, files, result)
    if cell.qlog_dir:
        traces = {
            f"flow {flow + 1}": _events(built, files, flow, tcp) + _cwnd(built, result, flow)
            for flow, tcp in _senders(built)
        }
        with sealed.replacing(Path(cell.qlog_dir) / f"{cell.label}.qlog") as partial:
            qlog.write(partial, cell.label, traces)
