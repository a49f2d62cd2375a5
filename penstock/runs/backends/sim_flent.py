# SPDX-License-Identifier: GPL-2.0-only
"""Captures of the simulator that become a data file of flent: goodput and delay over time."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

from penstock import _native
from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.plan.network import Network, Tcp
from penstock.results import sealed
from penstock.runs.backends import sim_probes
from penstock.runs.backends.sim_probes import Probe
from penstock.runs.captures import flent, pcap
from penstock.runs.captures.flent import STEP_NS
from penstock.scenario import topology
from penstock.scenario.model import Scenario

_PORTS: Final = 1 << 15
_WORD: Final = 1 << 32
_NS_PER_MS: Final = 1e6
_BITS_NS_PER_MBIT: Final = 8e3  # bytes per ns to Mbit/s
_DOWN, _UP = "download", "upload"


def _way(scenario: Scenario, source: str, sink: str) -> str:
    """Down or up, as it crosses the measured link forward or back; '' if it does not."""
    name, _ = topology.measured(scenario)
    for link, direction in topology.route(scenario, source, sink):
        if link == name:
            return _DOWN if direction == "forward" else _UP
    return ""


def refusal(scenario: Scenario) -> str:
    """Why no test of flent can show a scenario; '' if one can."""
    name, _ = topology.measured(scenario)
    for key, tcp in scenario.tcp.items():
        if tcp.traffic is not None:
            return f"flent's tests are of single connections, and tcp.{key} is of users"
        if not _way(scenario, tcp.source, tcp.sink):
            return f"flent's tests are of one link, and tcp.{key} does not cross {name}"
    return ""


def _probes(cell: Cell, built: Built) -> tuple[Probe, Probe] | None:
    """The first of each way, if there are both."""
    names = {node: name for name, nodes in built.nodes.items() for node in nodes}
    first: dict[str, Probe] = {}
    for flow in range(len(built.network.traffic)):
        if found := sim_probes.probe(built.network, flow):
            way = _way(cell.scenario, names[found.udp.src], names[found.udp.dst])
            first.setdefault(way, found)
    return (first[_DOWN], first[_UP]) if {_DOWN, _UP} <= first.keys() else None


def links(cell: Cell, built: Built) -> set[int]:
    """The links whose captures a file is made of."""
    network = built.network
    if len(network.traffic) > _PORTS:
        raise ValueError(f"--flent: more than {_PORTS:,} flows, some of which share a port")
    sinks = {each.dst for each in network.traffic if isinstance(each, Tcp)}
    found = {index for index, link in enumerate(network.links) if link.src in sinks}
    for each in _probes(cell, built) or ():
        found |= {each.leaving, each.reaching}
    return found


def _acks(network: Network, files: dict[int, str]) -> Iterator[tuple[int, int, int]]:
    """Times, flows and numbers of the acknowledgements that receivers send."""
    sinks = {
        pcap.FIRST_PORT + flow: each.dst
        for flow, each in enumerate(network.traffic)
        if isinstance(each, Tcp)
    }
    for link, file in files.items():
        node = network.links[link].src
        for time_ns, packet in pcap.packets(Path(file)) if node in sinks.values() else ():
            s = pcap.segment(time_ns, packet)
            if s and s.has_ack and sinks.get(s.ports[1]) == node:
                yield time_ns, s.ports[1] - pcap.FIRST_PORT, s.ack


def _delivered(network: Network, files: dict[int, str], steps: int) -> dict[int, list[int]]:
    """By flow, the bytes of data that its receiver had acknowledged at the end of each step."""
    first: dict[int, int] = {}
    most: dict[int, int] = {}
    found = {
        flow: [0] * steps for flow, each in enumerate(network.traffic) if isinstance(each, Tcp)
    }
    for time_ns, flow, ack in _acks(network, files):
        begin, before = first.setdefault(flow, ack), most.get(flow, 0)
        most[flow] = before + max(pcap.ahead(ack, (begin + before) % _WORD), 0)
        step = max(time_ns - 1, 0) // STEP_NS
        tcp = network.traffic[flow]
        assert isinstance(tcp, Tcp)
        if step < steps:
            found[flow][step] = min(most[flow], tcp.size_bytes)  # its FIN counts as a byte
    return {flow: list(accumulate(each, max)) for flow, each in found.items()}


def _mbps(delivered: Iterable[int]) -> list[float]:
    return [
        (after - before) * _BITS_NS_PER_MBIT / STEP_NS
        for before, after in pairwise((0, *delivered))
    ]


def _means_ms(delays: Iterable[tuple[int, int]], steps: int) -> list[float | None]:
    """By step, the mean delay of what arrived in it."""
    found: list[list[int]] = [[] for _ in range(steps)]
    for time_ns, delay_ns in delays:
        if (step := (time_ns - 1) // STEP_NS) < steps:
            found[step].append(delay_ns)
    return [sum(each) / len(each) / _NS_PER_MS if each else None for each in found]


def _ping(
    cell: Cell, built: Built, files: dict[int, str], result: _native.Result, steps: int
) -> list[float | None] | None:
    """By step, the sum of the mean delays of both ways."""
    pair = _probes(cell, built)
    if pair is None:
        return None
    there, back = (
        _means_ms(sim_probes.delays(built.network, each, files, result), steps) for each in pair
    )
    return [
        None if one is None or other is None else one + other
        for one, other in zip(there, back, strict=True)
    ]


def write(cell: Cell, built: Built, files: dict[int, str], result: _native.Result) -> None:
    """The file of a run."""
    steps = result.end_ns // STEP_NS
    if not steps:
        raise ValueError(f"--flent: the run ends within one step of {STEP_NS / 1e9:g} s")
    delivered = _delivered(built.network, files, steps)
    ways: dict[str, list[list[float]]] = {_DOWN: [], _UP: []}
    for name, flows in built.groups.items():
        tcp = cell.scenario.tcp[name]
        way = _way(cell.scenario, tcp.source, tcp.sink)
        ways[way] += [_mbps(delivered[flow]) for flow in flows]
    run = flent.Run(
        title=cell.label,
        note=cell.scenario.scenario.title,
        end_ns=result.end_ns,
        download=ways[_DOWN],
        upload=ways[_UP],
        ping=_ping(cell, built, files, result, steps),
    )
    assert cell.flent_dir
    target = Path(cell.flent_dir) / f"{cell.label}.flent.gz"
    with sealed.replacing(target) as partial:
        flent.write(partial, run, target.name)
