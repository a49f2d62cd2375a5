# SPDX-License-Identifier: GPL-2.0-only
"""From a cell to its network: nodes, links, gateways, traffic, samples."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar

from penstock.plan import hosts
from penstock.plan.cells import Cell
from penstock.plan.network import (
    Cable,
    Capture,
    Change,
    Clock,
    Flow,
    Gateway,
    Link,
    Mobility,
    Network,
    Radio,
    Sample,
    Tcp,
    Udp,
    Users,
    Wire,
)
from penstock.plan.queues import Queue
from penstock.plan.queues import queues as queues_of
from penstock.plan.streams import delays_ns, start_times_ns
from penstock.scenario import bounds, model, options, params, topology, variants

Pairs = list[tuple[int, int]]
T = TypeVar("T")


@dataclass(frozen=True)
class Built:
    """A cell's network, with the indices that results need."""

    network: Network
    nodes: Mapping[str, Sequence[int]]  # by the scenario's names
    links: Mapping[tuple[str, str], Sequence[int]]  # likewise, forward and back
    measured: int  # a link
    groups: Mapping[str, Sequence[int]]  # flows of those without users
    queues: Sequence[Queue]
    delay_groups: Sequence[str] = ()  # the names of those whose delays are told apart


@dataclass
class _Draft:
    """What is there so far."""

    nodes: list[str] = field(default_factory=list)
    rows: dict[str, list[int]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    ways: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    cables: list[Cable] = field(default_factory=list)

    def add(self, link: Link) -> int:
        self.links.append(link)
        return len(self.links) - 1


def _add_nodes(draft: _Draft, cell: Cell) -> None:
    for name in topology.nodes(cell.scenario):
        size = topology.size(cell.scenario, name, cell.flows)
        names = [name] if size == 1 else [f"{name}{index}" for index in range(1, size + 1)]
        first = len(draft.nodes)
        draft.nodes += names
        draft.rows[name] = list(range(first, first + size))


def _pairs(first: Sequence[int], last: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The connected pairs of nodes: one to each, or each to its counterpart."""
    for index in range(max(len(first), len(last))):
        yield first[index % len(first)], last[index % len(last)]


def _given(own: T | None, shared: T) -> T:
    return shared if own is None else own


def _changes(link: model.Link, fixed: set[str]) -> list[Change]:
    """The changes of a direction, except for the keys in `fixed`."""
    found = []
    for change in link.change or ():
        rate_bps = None if "rate" in fixed else change.rate
        delay_ns = None if "delay" in fixed else change.delay
        loss_ratio = None if "loss" in fixed else change.loss
        if (rate_bps, delay_ns, loss_ratio) != (None, None, None):
            found.append(Change(change.at, rate_bps, delay_ns, loss_ratio))
    return found


def _wire(src: int, dst: int, link: model.Link, back: model.Back | None, delay_ns: int) -> Wire:
    """One direction; `back` has its own settings."""
    own, trace = back or model.Back(), back.trace if back else link.trace
    assert link.rate is not None, "checked when the scenario was read"
    fields = options.values(options.LINK, own, link)
    fields["delay_ns"] = _given(own.delay, delay_ns)
    return Wire(
        src,
        dst,
        changes=_changes(link, own.model_fields_set),
        trace_ms=trace.ms if trace else (),
        **fields,
    )


def _wires(cell: Cell, number: int, link: model.Link, pairs: Pairs) -> Iterator[tuple[Link, Link]]:
    assert link.delay is not None, "checked when the scenario was read"
    delays = delays_ns(cell.seed, number, link.delay, len(pairs))
    for (a, b), delay_ns in zip(pairs, delays, strict=True):
        yield _wire(a, b, link, None, delay_ns), _wire(b, a, link, link.back, delay_ns)


def _radios(link: model.Link, pairs: Pairs) -> Iterator[tuple[Link, Link]]:
    assert link.distance_m is not None, "checked when the scenario was read"
    queue = link.queue or 0, link.queue_packets or 0
    for point, station in pairs:
        yield (
            Radio(point, station, link.distance_m, link.mtu, *queue),
            Radio(station, point, link.distance_m, link.mtu, 0, 0),
        )


def _add_links(draft: _Draft, cell: Cell) -> None:
    cables: dict[tuple[str, str], list[int]] = {}
    for number, (name, link) in enumerate(cell.scenario.link.items()):
        start, end = topology.ends(cell.scenario, name)
        pairs = list(_pairs(draft.rows[start], draft.rows[end]))
        radio = link.medium == model.RADIO
        both = _radios(link, pairs) if radio else _wires(cell, number, link, pairs)
        ids = [(draft.add(forward), draft.add(back)) for forward, back in both]
        forward, back = [way for way, _ in ids], [way for _, way in ids]
        draft.ways[name, "forward"], draft.ways[name, "back"] = forward, back
        if link.medium == model.LAN:
            own = ("cable", link.cable) if link.cable else ("link", name)
            cables.setdefault(own, []).extend(forward + back)
    draft.cables.extend(map(Cable, cables.values()))


def _method_of(cell: Cell, gateway: model.Gateway) -> tuple[str, dict[str, int]]:
    if gateway.method is None or gateway.method == cell.method:
        return cell.method, dict(cell.params)
    method = variants.methods_of(cell.scenario)[gateway.method]
    return method.name, params.resolve(method, variants.given(cell.scenario, method.name))


def _parts(scenario: model.Scenario, method: str) -> tuple[str, str, str]:
    """Discipline, law and signal of a variant; for a kernel qdisc, only that."""
    if method.startswith(params.KERNEL):
        return method, params.NO_LAW, "drop"
    variant = variants.methods_of(scenario)[method]
    return variant.discipline, variant.law, variant.signal


def _gateways(draft: _Draft, cell: Cell) -> Iterator[Gateway]:
    for gateway in cell.scenario.gateway.values():
        method, fields = _method_of(cell, gateway)
        parts = _parts(cell.scenario, method)
        for link in draft.ways[gateway.link, gateway.direction]:
            rate = gateway.source or gateway.rate or "link"
            more = gateway.share_by or "flow", gateway.beyond or "none", rate
            yield Gateway(link, *parts, gateway.mode or cell.mode, fields, *more)


def _ends(draft: _Draft, group: model.Tcp | model.Udp, index: int) -> tuple[int, int]:
    """Source and sink of the index-th flow of a group: its nodes in turn."""
    sources, sinks = draft.rows[group.source], draft.rows[group.sink]
    return sources[index % len(sources)], sinks[index % len(sinks)]


def _tcp(draft: _Draft, cell: Cell, number: int, tcp: model.Tcp) -> Iterator[Tcp]:
    assert tcp.size is not None, "checked when the scenario was read"
    sender, receiver = hosts.sender(cell, tcp), hosts.receiver(cell, tcp)
    starts = start_times_ns(cell.seed, number, tcp.start, tcp.members(cell.flows))
    for index, start_ns in enumerate(starts):
        ends, kind = _ends(draft, tcp, index), (tcp.controlled, tcp.mark)
        yield Tcp(*ends, start_ns, tcp.size, sender, receiver, *kind)


def _users(draft: _Draft, cell: Cell, number: int, name: str, tcp: model.Tcp) -> Users:
    """The users of a group; they take its ends in turn."""
    assert tcp.traffic is not None
    size = tcp.members(cell.flows)
    pairs = math.lcm(len(draft.rows[tcp.source]), len(draft.rows[tcp.sink]))
    return Users(
        name,
        ends=[_ends(draft, tcp, index) for index in range(min(size, pairs))],
        starts_ns=start_times_ns(cell.seed, number, tcp.start, size),
        source=tcp.traffic,
        sender=hosts.sender(cell, tcp),
        receiver=hosts.receiver(cell, tcp),
        mark=tcp.mark,
    )


def _udp(draft: _Draft, cell: Cell, number: int, udp: model.Udp) -> Iterator[Udp]:
    fields = options.values(options.UDP, udp)
    starts = start_times_ns(cell.seed, number, udp.start, udp.members(cell.flows))
    for index, start_ns in enumerate(starts):
        yield Udp(*_ends(draft, udp, index), start_ns, **fields)


def _traffic(
    draft: _Draft, cell: Cell
) -> tuple[list[Flow | Users], dict[str, list[int]], list[int]]:
    """All traffic, the numbers of the flows of each TCP group that has no users, and the number
    of each one's group.
    """
    numbers, flows = count(), 0
    traffic: list[Flow | Users] = []
    groups: dict[str, list[int]] = {}
    owners: list[int] = []
    for name, tcp in cell.scenario.tcp.items():
        number = next(numbers)
        if tcp.traffic is not None:
            traffic.append(_users(draft, cell, number, name, tcp))
            owners.append(number)
            continue
        found = list(_tcp(draft, cell, number, tcp))
        owners += [number] * len(found)
        groups[name] = list(range(flows, flows + len(found)))
        flows += len(found)
        traffic += found
    for udp in cell.scenario.udp.values():
        datagrams = list(_udp(draft, cell, number := next(numbers), udp))
        traffic += datagrams
        owners += [number] * len(datagrams)
    return traffic, groups, owners


def _mobility(draft: _Draft, cell: Cell) -> Mobility | None:
    table = cell.scenario.mobility
    if table is None:
        return None
    return Mobility([draft.rows[name][0] for name in table.cells], table)


def _sample(
    cell: Cell, measured: int, queues: Sequence[Queue], groups: Mapping[str, list[int]]
) -> Sample | None:
    wanted = cell.scenario.sample
    if wanted is None or not cell.sampled:
        return None
    flows = [flow for group in groups.values() for flow in group]
    others = [queue.index for queue in queues if queue.index != measured]
    links = [measured, *others[: bounds.sampled_queues(cell.scenario)]]
    return Sample(links, flows[: wanted.flows], **options.values(options.SAMPLE, wanted))


def _captures(draft: _Draft, cell: Cell) -> Iterator[Capture]:
    if cell.pcap_dir is None:
        return
    link, _ = topology.measured(cell.scenario)
    for direction in ("forward", "back"):
        path = Path(cell.pcap_dir) / f"{cell.label}-{link}-{direction}.pcap"
        yield Capture(draft.ways[link, direction][0], str(path))


def clock(cell: Cell) -> Clock:
    """When a run of the cell ends, and from when on it counts."""
    return Clock(**options.values(options.TIME, cell.scenario.time))


def build(cell: Cell) -> Built:
    """The network of a cell."""
    draft = _Draft()
    _add_nodes(draft, cell)
    _add_links(draft, cell)
    measured = draft.ways[topology.measured(cell.scenario)][0]
    traffic, groups, owners = _traffic(draft, cell)
    queues = queues_of(cell.scenario, draft.links, draft.cables, draft.ways)
    names = [*cell.scenario.tcp, *cell.scenario.udp]
    told = [each.index for each in queues if each.gateway or each.index == measured]
    apart = len(names) > 1 and bool(told)
    network = Network(
        cell.seed,
        nodes=draft.nodes,
        links=draft.links,
        cables=draft.cables,
        gateways=list(_gateways(draft, cell)),
        traffic=traffic,
        mobility=_mobility(draft, cell),
        sample=_sample(cell, measured, queues, groups),
        captures=list(_captures(draft, cell)),
        delay_links=told if apart else (),
        delay_groups=owners if apart else (),
    )
    kept = names if apart else ()
    return Built(network, draft.rows, draft.ways, measured, groups, queues, kept)
