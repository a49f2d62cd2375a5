# SPDX-License-Identifier: GPL-2.0-only
"""What arrived at the ends of flows, beside what had departed from a queue on their way."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import numpy as np

from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.plan.network import Link, Sender, Udp, Users, Wire
from penstock.results.metrics import Result
from penstock.scenario import headers, topology
from penstock.scenario.model import Tcp

_Ways = Sequence[tuple[str, str]]

_QUIC_BYTES: Final = headers.IP_UDP_BYTES + 1  # of a packet with payload, at least


@dataclass(frozen=True)
class _Share:
    """Of one group's flows: payload that arrived, its headers at least, packets under way."""

    payload_bytes: int
    header_bytes: int
    under_way: int | None  # when counting began; None: not known


def _packets(counted: Mapping[str, Any], payload: Any, most_bytes: int) -> int:
    """With payload that arrived; at least those that it takes, where nobody counted."""
    return int(np.sum(counted.get("segments_received", -(-payload // most_bytes))))


def _share(counted: Mapping[str, Any], header_bytes: int, most_bytes: int) -> _Share:
    """Of flows or users, at most `most_bytes` of payload to a packet."""
    payload = counted.get("received_bytes", counted["delivered_bytes"])
    packets, under_way = _packets(counted, payload, most_bytes), None
    if "packets_in_flight" in counted:
        ended = ("packets_delivered", "packets_dropped_queue", "packets_dropped_random")
        left = sum(counted[name] for name in (*ended, "packets_in_flight"))
        under_way = int(np.sum(left - counted["packets_sent"]))
    return _Share(int(np.sum(payload)), packets * header_bytes, under_way)


def _tcp_share(counted: Mapping[str, Any], sender: Sender) -> _Share:
    own = headers.IP_TCP_BYTES + headers.tcp_options_bytes(sender.timestamps)
    return _share(counted, _QUIC_BYTES if sender.quic else own, sender.mss_bytes)


def _shares(cell: Cell, built: Built, result: Result) -> Iterator[tuple[_Ways, _Share]]:
    """Of each group with its route; flows are numbered group by group, UDP last."""
    users = {str(group["name"]): group for group in result.groups}
    senders = {each.name: each.sender for each in built.network.traffic if isinstance(each, Users)}
    flows, first = built.network.flows, 0
    for name, group in chain(cell.scenario.tcp.items(), cell.scenario.udp.items()):
        ways = topology.route(cell.scenario, group.source, group.sink)
        if isinstance(group, Tcp) and group.traffic is not None:
            yield ways, _tcp_share(users[name], senders[name])
            continue
        last = first + group.members(cell.flows)
        counted = {key: values[first:last] for key, values in result.flows.items()}
        flow, first = flows[first], last
        if isinstance(flow, Udp):
            yield ways, _share(counted, headers.IP_UDP_BYTES, flow.payload_bytes)
        else:
            yield ways, _tcp_share(counted, flow.sender)


def _counted_still(link: Link) -> int:
    """What a phantom queue has let pass and counts as waiting, at most."""
    if not (isinstance(link, Wire) and link.phantom):
        return 0
    return link.queue_bytes or link.queue_packets * link.mtu_bytes


def _values(spec: Link, shares: Sequence[_Share], warm_up: bool) -> dict[str, int | None]:
    packets = [each.under_way for each in shares] if warm_up else []
    most_bytes = _counted_still(spec) + spec.mtu_bytes * sum(n or 0 for n in packets)
    return {
        "goodput_bytes": sum(each.payload_bytes for each in shares),
        "header_bytes": sum(each.header_bytes for each in shares),
        "under_way_bytes": None if None in packets else most_bytes,
    }


def values(cell: Cell, built: Built, result: Result) -> dict[int, dict[str, int | None]]:
    """By link: payload that came through its queue, its headers, and what may have left before.

    Not of links of which several have one name, and none where receivers move between routes. What
    was under way when a warm-up ended is all of these flows' packets, and of users not known.
    """
    if built.network.mobility:
        return {}
    shares = list(_shares(cell, built, result))
    warm_up = bool(cell.scenario.time.warm_up)
    return {
        links[0]: _values(
            built.network.links[links[0]], [share for ways, share in shares if way in ways], warm_up
        )
        for way, links in built.links.items()
        if len(links) == 1
    }
