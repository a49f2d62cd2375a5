# SPDX-License-Identifier: GPL-2.0-only
"""Sets up hosts and wires: devices, addresses, neighbours, routes, settings."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from penstock import _native
from penstock.plan.network import Tcp
from penstock.runs.live import programs, queues, routes
from penstock.runs.live.plan import Direction, LabPlan, LiveFlow, Wire
from penstock.runs.live.session import Process, Session, inside
from penstock.scenario import headers, options

T = TypeVar("T")

_READY_S: Final = 5.0
_MOST_WIRES: Final = 250

# Settings that every host gets. A metric kept from an earlier connection would start the
# next one elsewhere; large send buffers leave the window to congestion control.
_SETTINGS: Final = {
    "net.ipv4.ip_forward": "1",
    "net.ipv4.conf.all.rp_filter": "0",
    "net.ipv4.conf.default.rp_filter": "0",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_wmem": "4096 65536 33554432",
}
_VERSION_SETTINGS: Final = {
    4: {"net.ipv6.conf.default.disable_ipv6": "1"},
    6: {
        "net.ipv6.conf.all.forwarding": "1",
        "net.ipv6.conf.default.accept_dad": "0",
        "net.ipv6.conf.default.accept_ra": "0",
    },
}
_NS_PER_MS: Final = 1_000_000


@dataclass(frozen=True)
class Device:
    """One end of a wire in its host, and the direction that leaves there."""

    space: str
    name: str
    way: Direction


@dataclass
class Network:
    """The running lab."""

    spaces: dict[str, str] = field(default_factory=dict)
    devices: dict[tuple[str, str], Device] = field(default_factory=dict)
    links: dict[str, Process] = field(default_factory=dict)  # by wire, where it is emulated


def address(host_number: int, version: int) -> str:
    """The address of a host, which does not depend on its wires."""
    return f"10.99.{host_number >> 8}.{host_number & 255}" if version == 4 else _six(host_number)


def _six(host_number: int) -> str:
    return f"fd99::{host_number:x}"


def _wire_address(wire: int, end: int, version: int) -> str:
    return f"10.98.{wire}.{end}" if version == 4 else f"fd98:0:0:{wire:x}::{end}"


def _hardware(wire: int, end: int) -> str:
    return f"02:00:00:00:{wire:02x}:{end:02x}"


def _link_options(wire: Wire, mtu_bytes: int) -> Iterator[str]:
    for suffix, way in (("", wire.forward), ("-back", wire.back)):
        yield from (f"--delay{suffix}", f"{way.delay_ns}ns")
        if way.loss_ratio:
            yield from (f"--loss{suffix}", f"{way.loss_ratio:.9f}")
    yield from ("--mtu", str(mtu_bytes), "--commands", "-j")


def _mtu_bytes(wire: Wire, version: int) -> int:
    plain = min(wire.forward.mtu_bytes, wire.back.mtu_bytes)
    return plain + headers.beyond_ipv4_bytes(version)  # the segment stays as the scenario has it


def _lay(
    session: Session,
    net: Network,
    number: int,
    plan: LabPlan,
    link_options: list[str],
    version: int,
) -> None:
    pid, wire = os.getpid(), plan.wires[number]
    ends = [
        Device(net.spaces[wire.start], f"p{pid}w{number}", wire.forward),
        Device(net.spaces[wire.end], f"q{pid}w{number}", wire.back),
    ]
    net.devices[wire.name, "forward"], net.devices[wire.name, "back"] = ends
    first, last = ends
    mtu = _mtu_bytes(wire, version)
    if wire.is_emulated:
        places = [f"{end.space}:{end.name}" for end in ends]
        command = [
            programs.find("penstock-link"),
            *places,
            *_link_options(wire, mtu),
            *link_options,
        ]
        told = inside(first.space, *command)
        link = session.spawn(f"the link {wire.name}", told, listens=True)
        link.wait_ready(_READY_S)
        net.links[wire.name] = link
    else:
        pair = ["type", "veth", "peer", "name", last.name, "netns", last.space]
        session.run(["ip", "link", "add", first.name, "netns", first.space, *pair])
    for own, end in enumerate(ends, start=1):
        lines = _device_lines(end, number, own, mtu, version)
        if not plan.offloads:
            lines = f"link set {end.name} gso_max_segs 1\n{lines}"
        elif not wire.is_emulated:  # a TAP device has no GRO, and a veth none by default
            session.run(inside(end.space, "ethtool", "-K", end.name, "gro", "on"))
        session.run(["ip", "-n", end.space, "-batch", "-"], lines)
        queues.put(session, end.space, end.name, end.way, version, plan.offloads)


def _device_lines(device: Device, wire: int, own: int, mtu: int, version: int) -> str:
    name, other = device.name, 3 - own
    bits, now = (24, "") if version == 4 else (64, " nodad")
    peer = _wire_address(wire, other, version)
    return (
        f"link set {name} address {_hardware(wire, own)}\n"
        f"link set {name} mtu {mtu}\n"
        f"link set {name} up\n"
        f"addr add {_wire_address(wire, own, version)}/{bits} dev {name}{now}\n"
        f"neigh replace {peer} lladdr {_hardware(wire, other)} dev {name} nud permanent\n"
    )


def _agreed(host: str, what: str, values: set[T]) -> T | None:
    if len(values) > 1:
        raise ValueError(f"{host!r}: its flows differ in {what}, which Linux has once for a host")
    return values.pop() if values else None


def _sysctl(key: str) -> str:
    return f"net.ipv4.{key}"


def _ends(option: _native.Option, specs: Iterable[Tcp]) -> set[int]:
    """The values of an option that senders have, or receivers if it is theirs alone."""
    ends = (spec.sender if option.sender else spec.receiver for spec in specs)
    return {getattr(end, option.name) for end in ends}


def _tcp_settings(host: str, flows: list[LiveFlow]) -> dict[str, str]:
    specs = [flow.spec for flow in flows if isinstance(flow.spec, Tcp)]
    settings = {}
    for option in options.TCP:
        wish = _agreed(host, option.key, _ends(option, specs)) if option.sysctl else None
        if wish is not None:
            settings[_sysctl(option.sysctl)] = str(int(wish))
    if _agreed(host, "accecn", {s.sender.accecn for s in specs}):
        settings[_sysctl("tcp_ecn")] = "3"  # asked for, and answered
    buffers = {s.receiver.max_buffer_bytes for s in specs if s.receiver.autotune}
    largest = _agreed(host, "window_max", buffers)
    if largest:
        settings[_sysctl("tcp_rmem")] = f"4096 {min(131072, largest)} {largest}"
    return settings


def _route_options(host: str, flows: list[LiveFlow]) -> str:
    """What differs from the table's initial values, which are Linux' own."""
    specs = [flow.spec for flow in flows if isinstance(flow.spec, Tcp)]
    text = ""
    for option in options.TCP:
        wish = _agreed(host, option.key, _ends(option, specs)) if option.route else None
        if wish and wish != option.initial:
            value = f"{max(1, wish // _NS_PER_MS)}ms" if option.unit == "ns" else int(wish)
            text += f" {option.route} {value}"
    return text


def _set(session: Session, space: str, settings: Mapping[str, str]) -> None:
    pairs = [f"{key}={value}" for key, value in settings.items()]
    session.run(inside(space, "sysctl", "-qw", *pairs))


def _add_hosts(session: Session, net: Network, plan: LabPlan, version: int) -> None:
    for host in plan.hosts:
        net.spaces[host] = session.add_host(host)
        flows = [flow for flow in plan.flows if host in (flow.source, flow.sink)]
        settings = _SETTINGS | _VERSION_SETTINGS[version] | _tcp_settings(host, flows)
        _set(session, net.spaces[host], settings)


def _add_routes(session: Session, net: Network, plan: LabPlan, version: int) -> None:
    bits, now = (32, "") if version == 4 else (128, " nodad")
    for number, host in enumerate(plan.hosts, start=1):
        own = address(number, version)
        lines = f"link set lo up\naddr add {own}/{bits} dev lo{now}\n"
        options = _route_options(host, [flow for flow in plan.flows if flow.source == host])
        for other, (wire, end) in routes.next_hops(plan, host).items():
            target = address(plan.hosts.index(other) + 1, version)
            via = _wire_address(wire, end, version)
            lines += f"route add {target}/{bits} via {via} src {own}{options}\n"
        session.run(["ip", "-n", net.spaces[host], "-batch", "-"], lines)


def build(session: Session, plan: LabPlan, seed: int, version: int) -> Network:
    """Sets the lab up; RuntimeError if this machine cannot."""
    if len(plan.wires) > _MOST_WIRES:
        raise ValueError(f"the live backend has at most {_MOST_WIRES} links")
    net = Network()
    _add_hosts(session, net, plan, version)
    options = ["--seed", str(seed), "--duration", f"{plan.last_ns}ns"]
    for number in range(len(plan.wires)):
        _lay(session, net, number, plan, options, version)
    _add_routes(session, net, plan, version)
    return net
