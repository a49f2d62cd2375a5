# SPDX-License-Identifier: GPL-2.0-only
"""From a cell to the hosts and wires that the live lab sets up.

A node name is one host, however many nodes it stands for: its flows share the
host, and the links of a row are one wire with the rate of them all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from penstock import _native
from penstock.plan import network
from penstock.plan.build import Built, build
from penstock.plan.cells import Cell
from penstock.plan.network import Flow, Gateway
from penstock.runs.live import users
from penstock.scenario import topology

_GRACE_NS: Final = 60 * 10**9
FAST_BPS: Final = 10**9  # from here on a wire has no rate: this machine is the limit


@dataclass(frozen=True)
class Direction:
    """One direction of a wire. Rate 0: as fast as the machine; queue 0: no limit wanted."""

    rate_bps: int
    delay_ns: int
    mtu_bytes: int
    overhead_bytes: int
    queue_bytes: int
    queue_packets: int
    loss_ratio: float
    gateway: Gateway | None = None
    told_bps: int = 0  # what the gateway takes for the rate; 0: the rate
    later_rates: tuple[tuple[int, int], ...] = ()  # at_ns after the epoch, and rate_bps from then
    later_shapes: tuple[network.Change, ...] = ()  # of the delay or the loss, in order
    options: tuple[str, ...] = ()  # of `penstock-gw attach`, beside those of the gateway

    @property
    def is_shaped(self) -> bool:
        """Whether the sending device needs a rate and a queue."""
        return self.rate_bps > 0

    @property
    def rates(self) -> tuple[tuple[int, int], ...]:
        """Each rate with the time from which it holds, in order."""
        return ((0, self.rate_bps), *sorted(self.later_rates))

    def shape_at(self, at_ns: int) -> tuple[int, float]:
        """Delay in ns and loss ratio from a time after the epoch on."""
        delay_ns, loss_ratio = self.delay_ns, self.loss_ratio
        for change in self.later_shapes:
            if change.at_ns > at_ns:
                break
            delay_ns = delay_ns if change.delay_ns is None else change.delay_ns
            loss_ratio = loss_ratio if change.loss_ratio is None else change.loss_ratio
        return delay_ns, loss_ratio

    @property
    def queue_limit_bytes(self) -> int:
        """The limit of the queue, one in packets as bytes; 0: unlimited."""
        return _native.queue_limit_bytes(self.queue_bytes, self.queue_packets, self.mtu_bytes)


@dataclass(frozen=True)
class Wire:
    """A duplex link between two hosts; `forward` goes from `start` to `end`."""

    name: str
    start: str
    end: str
    forward: Direction
    back: Direction

    @property
    def is_emulated(self) -> bool:
        """Whether penstock-link is needed; otherwise a veth pair suffices."""
        return any(
            way.delay_ns or way.loss_ratio or way.later_shapes for way in (self.forward, self.back)
        )


@dataclass(frozen=True)
class LiveFlow:
    """A flow between hosts; its number is its place in the results."""

    number: int
    source: str
    sink: str
    spec: Flow
    after: int | None = None  # the flow after whose end it starts,
    pause_ns: int = 0  # and how long after
    users: str = ""  # the group of users that it is a transfer of; "": a flow by itself


@dataclass(frozen=True)
class LabPlan:
    """The plan of a run."""

    hosts: list[str]
    wires: list[Wire]
    flows: list[LiveFlow]
    measured: tuple[str, str]  # wire and 'forward' or 'back'
    limit_ns: int
    warm_up_ns: int
    sample_ns: int  # 0: no series wanted
    sampled_flows: int
    offloads: bool = False  # devices take joined segments (TSO, GSO and GRO)
    groups: Mapping[str, Sequence[int]] = field(default_factory=dict)  # those without users

    @property
    def measured_direction(self) -> Direction:
        """That of the measured queue."""
        name, way = self.measured
        wire = next(wire for wire in self.wires if wire.name == name)
        return wire.forward if way == "forward" else wire.back

    @property
    def last_ns(self) -> int:
        """A time after the epoch by which all programs end, even if nobody ends them."""
        return self.limit_ns + _GRACE_NS


def _direction(link: network.Wire, count: int, gateway: Gateway | None) -> Direction:
    assert not link.trace_ms
    if link.drop_data_packets:
        raise ValueError("the live backend cannot lose packets by their number")
    rate = link.rate_bps * count
    limited = link.queue_bytes or link.queue_packets
    return Direction(
        rate_bps=rate if limited or rate < FAST_BPS else 0,
        delay_ns=link.delay_ns,
        mtu_bytes=link.mtu_bytes,
        overhead_bytes=link.overhead_bytes,
        queue_bytes=link.queue_bytes,
        queue_packets=link.queue_packets,
        loss_ratio=link.loss_ratio,
        gateway=gateway,
        later_rates=tuple(
            (change.at_ns, change.rate_bps * count) for change in link.changes if change.rate_bps
        ),
        later_shapes=tuple(
            sorted(
                (c for c in link.changes if (c.delay_ns, c.loss_ratio) != (None, None)),
                key=lambda change: change.at_ns,
            )
        ),
    )


def _wire(cell: Cell, built: Built, name: str) -> Wire:
    gateways = {gateway.link: gateway for gateway in built.network.gateways}
    ways = []
    for direction in ("forward", "back"):
        ids = built.links[name, direction]
        gateway = gateways.get(ids[0])
        link = built.network.links[ids[0]]
        assert isinstance(link, network.Wire)
        if gateway and len(ids) > 1:
            raise ValueError(f"link {name!r} stands for {len(ids)}: the live backend has one")
        ways.append(_direction(link, len(ids), gateway))
    start, end = topology.ends(cell.scenario, name)
    return Wire(name, start, end, *ways)


def _refuse(built: Built) -> None:
    """The assertions of this module are on what backends.lacks() refuses first."""
    assert not built.network.cables
    assert not built.network.mobility
    if built.network.captures:
        raise ValueError("--pcap: the live backend writes none; run tcpdump in a namespace")


def _transfers(
    name: str, drawn: Iterable[users.Transfer], first: int, host_of: dict[int, str]
) -> Iterator[LiveFlow]:
    """The transfers of users as flows, of which one waits for another of the same user."""
    for number, one in enumerate(drawn, start=first):
        after = number - 1 if one.waits else None
        ends = host_of[one.tcp.src], host_of[one.tcp.dst]
        yield LiveFlow(number, *ends, one.tcp, after, one.pause_ns, name)


def plan(cell: Cell) -> LabPlan:
    """The lab of a cell; ValueError for features that live runs lack."""
    built = build(cell)
    _refuse(built)
    host_of = {node: name for name, ids in built.nodes.items() for node in ids}
    flows = [
        LiveFlow(number, host_of[flow.src], host_of[flow.dst], flow)
        for number, flow in enumerate(built.network.flows)
    ]
    sample, clock = cell.scenario.sample, cell.scenario.time
    for group, each in enumerate(built.network.traffic):
        if isinstance(each, network.Users):
            drawn = users.transfers(each, cell.seed, group, clock.limit)
            flows += _transfers(each.name, drawn, len(flows), host_of)
    wants_series = sample is not None and cell.sampled
    return LabPlan(
        hosts=list(built.nodes),
        wires=[_wire(cell, built, name) for name in cell.scenario.link],
        flows=flows,
        measured=topology.measured(cell.scenario),
        limit_ns=clock.limit,
        warm_up_ns=clock.warm_up or 0,
        sample_ns=sample.interval if sample and wants_series else 0,
        sampled_flows=sample.flows if sample else 0,
        offloads=bool(cell.scenario.topology.offloads),
        groups=built.groups,
    )
