# SPDX-License-Identifier: GPL-2.0-only
"""A network as the text that the ns-3 runner reads (ns3/lab), one item per line.

The assertions are on what backends.lacks() refuses first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.plan.network import Clock, Gateway, Link, Network, Radio, Tcp, Udp, Users
from penstock.scenario import options, params

_SENDER_FIELDS: Final = ("method", *(o.name for o in options.TCP if o.ns3 and o.sender))
_RECEIVER_FIELDS: Final = tuple(o.name for o in options.TCP if o.ns3 and o.receiver)
_WIRE_FIELDS: Final = (
    *("src", "dst"),
    *(o.name for o in options.LINK if o.ns3),
    "drop_data_packets",
)
_TIME_FIELDS: Final = tuple(o.name for o in options.TIME if o.ns3)
_SAMPLE_FIELDS: Final = (*(o.name for o in options.SAMPLE if o.ns3), "links", "flows")
_UDP_FIELDS: Final = ("src", "dst", "start_ns", *(o.name for o in options.UDP if o.ns3))


@dataclass(frozen=True)
class Options:
    """Settings of the runner that are no part of the network.

    `law` says whose congestion control the senders have: ns-3's own ("ns3"), or core's within
    ns-3's TCP ("core"). `checksums` makes ns-3 compute and verify them. Of the flows and links
    that are traced, every event at the sender or at the gateway is kept.
    """

    law: str = "ns3"
    checksums: bool = False
    traced_flows: Sequence[int] = ()
    traced_links: Sequence[int] = ()


def _text(value: object) -> str:
    """A value in the runner's format."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(str(each) for each in value)
    return str(value)


def _line(what: str, **fields: object) -> str:
    return " ".join([what, *(f"{name}={_text(value)}" for name, value in fields.items())])


def _picked(thing: object, names: Sequence[str], prefix: str = "") -> dict[str, object]:
    return {f"{prefix}{name}": getattr(thing, name) for name in names}


def _link(link: Link) -> str:
    if isinstance(link, Radio):
        ends = {"src": link.src, "dst": link.dst, "medium": link.medium}
        limits = _picked(link, ("mtu_bytes", "queue_bytes", "queue_packets"))
        return _line("radio", **ends, distance_mm=round(1000 * link.distance_m), **limits)
    assert not link.changes
    assert not link.trace_ms
    return _line("link", **_picked(link, _WIRE_FIELDS))


def _gateway(gateway: Gateway) -> str:
    discipline = params.disciplines()[gateway.discipline]
    assert gateway.discipline == "fq_codel" or not discipline.schedules
    assert (gateway.share_by, gateway.beyond, gateway.rate) == ("flow", "none", "link")
    parts = _picked(gateway, ("link", "discipline", "law", "signal", "mode"))
    return _line("gateway", **parts, **{f"param.{k}": v for k, v in gateway.params.items()})


def _tcp(tcp: Tcp, law: str) -> str:
    assert not tcp.receiver.opens
    return _line(
        "tcp",
        **_picked(tcp, ("src", "dst", "start_ns", "size_bytes")),
        law=law,
        **_picked(tcp.sender, _SENDER_FIELDS, "sender."),
        **{f"param.{name}": value for name, value in tcp.sender.params.items()},
        **_picked(tcp.receiver, _RECEIVER_FIELDS, "receiver."),
    )


def _traffic(one: Tcp | Udp | Users, law: str) -> str:
    if isinstance(one, Tcp):
        return _tcp(one, law)
    assert isinstance(one, Udp)
    return _line("udp", **_picked(one, _UDP_FIELDS))


def _lines(network: Network, clock: Clock, options: Options) -> Iterator[str]:
    times, checksums = _picked(clock, _TIME_FIELDS), options.checksums
    yield _line("run", seed=network.seed, **times, checksums=checksums)
    for name in network.nodes:
        yield _line("node", name=name)
    yield from map(_link, network.links)
    assert not network.cables
    assert not network.mobility
    yield from map(_gateway, network.gateways)
    for one in network.traffic:
        yield _traffic(one, options.law)
    if network.sample:
        yield _line("sample", **_picked(network.sample, _SAMPLE_FIELDS))
    if options.traced_flows or options.traced_links:
        yield _line("trace", flows=options.traced_flows, links=options.traced_links)
    for capture in network.captures:
        yield f"pcap {capture.link} {capture.path}"


def description(network: Network, clock: Clock, options: Options) -> str:
    """The text. ValueError for features that ns-3 or the runner lacks."""
    return "\n".join(_lines(network, clock, options)) + "\n"
