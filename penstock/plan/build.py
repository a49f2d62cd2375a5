# SPDX-License-Identifier: GPL-2.0-only
"""From a cell to the simulator's network: nodes, links, gateways, traffic, samples."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from penstock import _native
from penstock.plan import sources
from penstock.plan.cells import Cell
from penstock.plan.streams import delays_ns, start_times_ns
from penstock.scenario import params, topology, variants
from penstock.scenario.model import LAN, RADIO, Back, Gateway, Link, Scenario, Tcp, Udp
from penstock.scenario.types import AUTO

_FIRST_AUTO_BYTES = 65535  # Linux: tcp_rmem[1] = 131072, of which half is window


_CHANGING: Final = ("rate", "delay", "loss")  # keys of a change, as Network.link takes them

Pairs = list[tuple[int, int]]
Ids = tuple[list[int], list[int]]  # links forward and back


@dataclass
class Built:
    """A network ready to run, and where in it the things are that results ask for."""

    network: Any  # a _native.Network, or what another backend takes for one
    nodes: dict[str, list[int]] = field(default_factory=dict)
    links: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    sampled_flows: list[int] = field(default_factory=list)
    measured: int = 0
    groups: dict[str, list[int]] = field(default_factory=dict)  # flows of those without users


def _pairs(first: list[int], last: list[int]) -> Iterator[tuple[int, int]]:
    """Which nodes are joined: one to each, or each to its counterpart."""
    count = max(len(first), len(last))
    for index in range(count):
        yield first[index % len(first)], last[index % len(last)]


def _direction(link: Link, back: Back | None) -> dict[str, Any]:
    """Keyword arguments of Network.link for one direction of a wire, without its delay."""

    def pick(name: str) -> Any:
        own = getattr(back, name) if back else None
        return getattr(link, name) if own is None else own

    return {
        "rate_bps": pick("rate"),
        "mtu_bytes": pick("mtu"),
        "overhead_bytes": pick("overhead"),
        "queue_bytes": pick("queue") or 0,
        "queue_packets": pick("queue_packets") or 0,
        "loss_ratio": pick("loss"),
        **_varying(link, back),
    }


def _varying(link: Link, back: Back | None) -> dict[str, Any]:
    """What Network.link is told of a direction that changes; what `back` sets itself stays."""
    trace = back.trace if back else link.trace
    own = back.model_fields_set if back else set[str]()
    changes = [
        (change.at, *(None if key in own else getattr(change, key) for key in _CHANGING))
        for change in link.change or ()
    ]
    found: dict[str, Any] = {"trace_ms": trace.ms} if trace else {}
    changes = [change for change in changes if any(value is not None for value in change[1:])]
    return found | {"changes": changes} if changes else found


def _add_wires(built: Built, cell: Cell, number: int, link: Link, pairs: Pairs) -> Ids:
    forward, back = _direction(link, None), _direction(link, link.back)
    assert link.delay is not None, "checked when the scenario was read"
    ids: Ids = ([], [])
    delays = delays_ns(cell.seed, number, link.delay, len(pairs))
    for (a, b), delay_ns in zip(pairs, delays, strict=True):
        back_ns = delay_ns if link.back.delay is None else link.back.delay
        ids[0].append(built.network.link(a, b, delay_ns=delay_ns, **forward))
        ids[1].append(built.network.link(b, a, delay_ns=back_ns, **back))
    return ids


def _add_radio(built: Built, link: Link, pairs: Pairs) -> Ids:
    """Both directions of each pair; the access point's queue is that of all."""
    ids: Ids = ([], [])
    for access_point, station in pairs:
        forward, back = built.network.radio(
            access_point,
            station,
            medium=link.medium,
            distance_m=link.distance_m,
            mtu_bytes=link.mtu,
            queue_bytes=link.queue or 0,
            queue_packets=link.queue_packets or 0,
        )
        ids[0].append(forward)
        ids[1].append(back)
    return ids


def _add_links(built: Built, cell: Cell) -> None:
    for number, (name, link) in enumerate(cell.scenario.link.items()):
        start, end = topology.ends(cell.scenario, name)
        pairs = list(_pairs(built.nodes[start], built.nodes[end]))
        if link.medium != RADIO:
            ids = _add_wires(built, cell, number, link, pairs)
            if link.medium == LAN:
                built.network.csma_cd(ids[0] + ids[1])
        else:
            ids = _add_radio(built, link, pairs)
        built.links[name, "forward"], built.links[name, "back"] = ids


def _gateway_of(cell: Cell, gateway: Gateway) -> tuple[str, dict[str, int]]:
    if gateway.method is None or gateway.method == cell.method:
        return cell.method, dict(cell.params)
    method = variants.methods_of(cell.scenario)[gateway.method]
    return method.name, params.resolve(method, variants.given(cell.scenario, method.name))


def _parts(scenario: Scenario, method: str) -> dict[str, str]:
    """Discipline, law and signal of a variant; of a queue of the kernel's, that alone."""
    if method.startswith(params.KERNEL):
        return {"discipline": method, "law": params.NO_LAW, "signal": "drop"}
    variant = variants.methods_of(scenario)[method]
    return {"discipline": variant.discipline, "law": variant.law, "signal": variant.signal}


def _add_gateways(built: Built, cell: Cell) -> None:
    for gateway in cell.scenario.gateway.values():
        method, fields = _gateway_of(cell, gateway)
        for link in built.links[gateway.link, gateway.direction]:
            built.network.gateway(
                link, **_parts(cell.scenario, method), mode=gateway.mode or cell.mode, params=fields
            )


def _sender_params(cell: Cell, congestion: str) -> dict[str, int]:
    if congestion.startswith(params.KERNEL):
        return {}
    return params.resolve(params.senders()[congestion], cell.scenario.sender.get(congestion, {}))


def _variant(cell: Cell) -> params.Variant | None:
    """What the cell's method asks of the end hosts; queues of the kernel's ask nothing."""
    return variants.methods_of(cell.scenario).get(cell.method)


def _ecn(cell: Cell, tcp: Tcp) -> bool:
    variant = _variant(cell)
    return tcp.ecn or bool(variant and variant.ecn)


def _sender(cell: Cell, tcp: Tcp) -> dict[str, Any]:
    variant = _variant(cell)
    congestion = variant.sender if variant and variant.sender else tcp.congestion
    return {
        "method": congestion,
        "params": _sender_params(cell, congestion),
        "mss_bytes": tcp.segment,
        "initial_window_segments": tcp.initial_window,
        "initial_rto_ns": tcp.rto_initial,
        "min_rto_ns": tcp.rto_min,
        "max_rto_ns": tcp.rto_max,
        "sack": tcp.sack,
        "timestamps": tcp.timestamps,
        "window_scale": tcp.window_scale,
        "limited_transmit": tcp.limited_transmit,
        "ecn": _ecn(cell, tcp),
        "nagle": tcp.nagle,
        "hystart": tcp.hystart,
        "prr": tcp.prr,
        "pacing": tcp.pacing,
    }


def _receiver(cell: Cell, tcp: Tcp) -> dict[str, Any]:
    window = tcp.window or cell.receivers
    auto = window == AUTO
    return {
        "buffer_bytes": min(_FIRST_AUTO_BYTES, tcp.window_max) if auto else int(window),
        "max_buffer_bytes": tcp.window_max if auto else int(window),
        "autotune": auto,
        "mss_bytes": tcp.segment,
        "delayed_ack_segments": tcp.delayed_ack,
        "delayed_ack_ns": tcp.delayed_ack_timeout,
        "sack": tcp.sack,
        "timestamps": tcp.timestamps,
        "window_scale": tcp.window_scale,
        "ecn": _ecn(cell, tcp),
    }


def _ends(built: Built, group: Tcp | Udp, index: int) -> tuple[int, int]:
    """Source and sink of the index-th flow of a group: its nodes in turn."""
    sources, sinks = built.nodes[group.source], built.nodes[group.sink]
    return sources[index % len(sources)], sinks[index % len(sinks)]


def _count(cell: Cell, group: Tcp | Udp) -> int:
    return cell.flows if isinstance(group.count, str) else group.count


def _add_tcp(built: Built, cell: Cell, number: int, tcp: Tcp) -> list[int]:
    count = _count(cell, tcp)
    starts = start_times_ns(cell.seed, number, tcp.start, count)
    sender, receiver = _sender(cell, tcp), _receiver(cell, tcp)
    flows = []
    for index, start_ns in enumerate(starts):
        source, sink = _ends(built, tcp, index)
        flow = built.network.tcp(
            source,
            sink,
            start_ns=start_ns,
            size_bytes=tcp.size,
            sender=sender,
            receiver=receiver,
        )
        flows.append(flow)
    return flows


def _add_users(built: Built, cell: Cell, number: int, name: str, tcp: Tcp) -> None:
    """The users of a group; they take its ends in turn."""
    assert tcp.traffic is not None
    count = _count(cell, tcp)
    pairs = math.lcm(len(built.nodes[tcp.source]), len(built.nodes[tcp.sink]))
    built.network.traffic(
        name,
        ends=[_ends(built, tcp, index) for index in range(min(count, pairs))],
        starts_ns=start_times_ns(cell.seed, number, tcp.start, count),
        source=sources.source(tcp.traffic),
        persistent=sources.persistent(tcp.traffic),
        sender=_sender(cell, tcp),
        receiver=_receiver(cell, tcp),
    )


def _add_udp(built: Built, cell: Cell, number: int, udp: Udp) -> None:
    count = _count(cell, udp)
    for index, start_ns in enumerate(start_times_ns(cell.seed, number, udp.start, count)):
        source, sink = _ends(built, udp, index)
        built.network.udp(
            source,
            sink,
            start_ns=start_ns,
            stop_ns=udp.stop or 0,
            rate_bps=udp.rate,
            payload_bytes=udp.payload,
        )


def _add_traffic(built: Built, cell: Cell) -> None:
    scenario, flows, number = cell.scenario, [], 0
    for number, (name, tcp) in enumerate(scenario.tcp.items()):
        if tcp.traffic is None:
            built.groups[name] = _add_tcp(built, cell, number, tcp)
            flows += built.groups[name]
        else:
            _add_users(built, cell, number, name, tcp)
    for more, udp in enumerate(scenario.udp.values(), start=number + 1):
        _add_udp(built, cell, more, udp)
    if scenario.sample and cell.sampled:
        built.sampled_flows = flows[: scenario.sample.flows]
        built.network.sample(scenario.sample.interval, [built.measured], built.sampled_flows)


def _add_captures(built: Built, cell: Cell) -> None:
    if cell.pcap_dir is None:
        return
    link, _ = topology.measured(cell.scenario)
    folder = Path(cell.pcap_dir)
    for direction in ("forward", "back"):
        path = folder / f"{cell.label}-{link}-{direction}.pcap"
        built.network.pcap(built.links[link, direction][0], str(path))


def network(cell: Cell, make: Callable[[int], Any] = _native.Network) -> Built:
    """The network of a cell, complete but not yet run; `make` takes the seed."""
    built = Built(make(cell.seed))
    for name in topology.nodes(cell.scenario):
        count = topology.size(cell.scenario, name, cell.flows)
        names = [name] if count == 1 else [f"{name}{index}" for index in range(1, count + 1)]
        built.nodes[name] = [built.network.node(each) for each in names]
    _add_links(built, cell)
    _add_gateways(built, cell)
    built.measured = built.links[topology.measured(cell.scenario)][0]
    _add_traffic(built, cell)
    _add_captures(built, cell)
    return built
