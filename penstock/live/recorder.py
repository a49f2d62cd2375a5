# SPDX-License-Identifier: GPL-2.0-only
"""Stands in for the simulator's network, and only writes down what it is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class LinkSpec:
    """One direction of a link, as Network.link() takes it."""

    src: int
    dst: int
    settings: dict[str, Any]


@dataclass(frozen=True)
class GatewaySpec:
    """A discipline and a law on a link's queue."""

    link: int
    discipline: str  # of core/'s registry, or kernel:NAME
    law: str
    signal: str
    mode: str
    params: dict[str, int]


@dataclass(frozen=True)
class TcpSpec:
    """A connection; `sender` and `receiver` hold the fields of sim/tcp/config.h."""

    src: int
    dst: int
    start_ns: int
    size_bytes: int
    sender: dict[str, Any]
    receiver: dict[str, Any]


@dataclass(frozen=True)
class UdpSpec:
    """Constant bit rate."""

    src: int
    dst: int
    start_ns: int
    stop_ns: int
    rate_bps: int
    payload_bytes: int


@dataclass
class Recorder:
    """The methods of _native.Network that a scenario is built with."""

    seed: int
    nodes: list[str] = field(default_factory=list)
    links: list[LinkSpec] = field(default_factory=list)
    gateways: list[GatewaySpec] = field(default_factory=list)
    flows: list[TcpSpec | UdpSpec] = field(default_factory=list)

    def node(self, name: str) -> int:
        """Notes a node."""
        self.nodes.append(name)
        return len(self.nodes) - 1

    def link(self, src: int, dst: int, **settings: Any) -> int:
        """Notes one direction of a link."""
        self.links.append(LinkSpec(src, dst, settings))
        return len(self.links) - 1

    def gateway(
        self,
        link: int,
        *,
        discipline: str,
        law: str,
        signal: str,
        mode: str,
        params: dict[str, int],
    ) -> None:
        """Notes a gateway."""
        self.gateways.append(GatewaySpec(link, discipline, law, signal, mode, params))

    def tcp(self, src: int, dst: int, **settings: Any) -> int:
        """Notes a connection."""
        self.flows.append(TcpSpec(src, dst, **settings))
        return len(self.flows) - 1

    def udp(self, src: int, dst: int, **settings: Any) -> int:
        """Notes a UDP flow."""
        self.flows.append(UdpSpec(src, dst, **settings))
        return len(self.flows) - 1

    def sample(self, interval_ns: int, links: Sequence[int], flows: Sequence[int]) -> None:
        """Nothing to note: the live lab samples the measured queue anyway."""

    def pcap(self, link: int, path: str) -> None:
        """Refuses: the devices are there for tcpdump."""
        raise ValueError("--pcap: the live backend writes none; run tcpdump in a namespace")
