# SPDX-License-Identifier: GPL-2.0-only
"""Builds the simulator's network from a network as data."""

from collections.abc import Sequence
from typing import Any, Final

from penstock import _native
from penstock.plan import hosts
from penstock.plan.network import Network, Receiver, Sender, Tcp, Udp, Users, Value, Wire
from penstock.scenario import options, traffic_keys
from penstock.scenario.distributions import Distribution
from penstock.scenario.model import Mobility, Traffic

_ALWAYS_NS: Final = float(1 << 60)
_BITS_NS: Final = 8 * 10**9


def _distribution(given: Distribution) -> _native.Distribution:
    """The simulator's own of that name."""
    make = getattr(_native.Distribution, given.name)
    made: _native.Distribution = make(*given.values)
    return made


def _write_bytes(traffic: Traffic) -> int:
    """What an on-off source writes at a time: given, or by its rate, at least a byte."""
    if traffic.write is not None:
        return traffic.write
    assert traffic.rate is not None, "checked when the scenario was read"
    return max(traffic.rate * traffic.interval // _BITS_NS, 1)


def _fields(rows: Sequence[_native.TrafficKey], table: Traffic | Mobility) -> dict[str, Any]:
    """The fields of these rows by the table's keys; None where a key says nothing."""
    given = ((row.name, getattr(table, row.key)) for row in rows)
    return {
        name: _distribution(value) if isinstance(value, Distribution) else value
        for name, value in given
    }


def _source(traffic: Traffic) -> _native.Source:
    """The source of each user of a group."""
    fields = options.values(options.USERS, traffic) | {"persistent": hosts.persistent(traffic)}
    fields |= _fields(traffic_keys.KINDS[traffic.kind], traffic)
    if traffic.kind == "web":
        return _native.Source.web(**fields)
    if traffic.kind == "on-off":
        fields["write_bytes"] = _write_bytes(traffic)
        if traffic.on is None:
            fields["on_ns"] = _native.Distribution.constant(_ALWAYS_NS)
        return _native.Source.on_off(**fields)
    assert traffic.file is not None, "checked when the scenario was read"
    return _native.Source.trace(traffic.file.entries, **fields)


def _link(made: _native.Network, link: Wire) -> None:
    made.link(
        link.src,
        link.dst,
        drop_data_packets=link.drop_data_packets,
        changes=[(c.at_ns, c.rate_bps, c.delay_ns, c.loss_ratio) for c in link.changes],
        trace_ms=link.trace_ms,
        **link.fields(),
    )


def _add_links(made: _native.Network, network: Network) -> None:
    for link in network.links:
        assert isinstance(link, Wire)  # backends.lacks() refuses others first
        _link(made, link)
    for cable in network.cables:
        made.csma_cd(cable.links)
    for gateway in network.gateways:
        made.gateway(
            gateway.link,
            discipline=gateway.discipline,
            law=gateway.law,
            signal=gateway.signal,
            mode=gateway.mode,
            share_by=gateway.share_by,
            beyond=gateway.beyond,
            rate=gateway.rate,
            params=dict(gateway.params),
        )


def _ends(
    sender: Sender, receiver: Receiver, recovery_timer: str
) -> tuple[dict[str, Value], dict[str, Value]]:
    return sender.fields() | {"recovery_timer": recovery_timer}, receiver.fields()


def _add_traffic(made: _native.Network, one: Tcp | Udp | Users, recovery_timer: str) -> None:
    if isinstance(one, Udp):
        made.udp(one.src, one.dst, start_ns=one.start_ns, **one.fields())
        return
    sender, receiver = _ends(one.sender, one.receiver, recovery_timer)
    if isinstance(one, Tcp):
        made.tcp(
            one.src,
            one.dst,
            start_ns=one.start_ns,
            size_bytes=one.size_bytes,
            sender=sender,
            receiver=receiver,
            controlled=one.controlled,
            mark=one.mark,
        )
    else:
        made.traffic(
            one.name,
            ends=one.ends,
            starts_ns=one.starts_ns,
            source=_source(one.source),
            sender=sender,
            receiver=receiver,
            mark=one.mark,
        )


def make(network: Network, recovery_timer: str = "standard") -> _native.Network:
    """The simulator's network, ready to run. ValueError for features that it lacks."""
    made = _native.Network(network.seed)
    for name in network.nodes:
        made.node(name)
    _add_links(made, network)
    for one in network.traffic:
        _add_traffic(made, one, recovery_timer)
    if network.delay_links:
        owned = list(zip(network.traffic, network.delay_groups, strict=True))
        flows = [group for one, group in owned if not isinstance(one, Users)]
        users = [group for one, group in owned if isinstance(one, Users)]
        made.delay_groups(network.delay_links, flows, users)
    if network.mobility:
        times = _fields(traffic_keys.MOBILITY, network.mobility.moves)
        made.mobility(network.mobility.cells, **times)
    if network.sample:
        made.sample(network.sample.links, network.sample.flows, **network.sample.fields())
    for capture in network.captures:
        made.pcap(capture.link, capture.path)
    return made
