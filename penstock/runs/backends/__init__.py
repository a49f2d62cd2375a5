# SPDX-License-Identifier: GPL-2.0-only
"""Backends, which run cells: one module each, loaded on demand."""

import importlib
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

from penstock.errors import Exit, UserError
from penstock.plan.cells import Cell
from penstock.results.row import Row
from penstock.scenario import options, params
from penstock.scenario.changes import varies
from penstock.scenario.locate import Path
from penstock.scenario.model import LAN, RADIO, Gateway, Scenario, Tcp, Traffic
from penstock.scenario.params import KERNEL
from penstock.scenario.variants import methods_of

_MODULES: Final = {
    "sim": "penstock.runs.backends.sim",
    "sim-aligned": "penstock.runs.backends.sim_aligned",
    "ns3": "penstock.runs.backends.ns3",
    "ns3-aligned": "penstock.runs.backends.ns3_aligned",
    "live": "penstock.runs.backends.live",
    "live6": "penstock.runs.backends.live6",
}

_NS3: Final = ("ns3", "ns3-aligned")
_WITH_RADIO: Final = _NS3
_NS3_SENDERS: Final = ("bbr", "dctcp")  # ns-3's own
_NS3_SCHEDULES: Final = "fq_codel"  # likewise
_LINUX: Final = ("live", "live6")
_SIMULATORS: Final = ("sim", "sim-aligned")
_WITHOUT_SENDER: Final = {
    "reno": (*_NS3, *_LINUX),  # Linux' "reno" is NewReno
    "fba_sender": _NS3,  # its receiver advertises what routers allow
    "quick_start_sender": _NS3,  # its header is the SYN's alone
    "log_westwood_plus": ("ns3", *_LINUX),
    "scalable_westwood": ("ns3", *_LINUX),
    "bbr": ("ns3-aligned",),  # core's needs rates of delivery
    "dctcp": ("ns3-aligned",),  # and the marks of each ACK
    "bbr3": _LINUX,
    "copa": _LINUX,
}


class Backend(Protocol):
    """A way to run cells. `engine` names it with its exact version.

    `most_workers`, where there is one, is how many cells may run at a time. `needs_process`,
    where it is true, keeps cells out of the main process: they start programs, which only the
    end of a worker process takes along.
    """

    engine: str

    def run(self, cell: Cell) -> Row:
        """Runs one cell; raises RuntimeError or ValueError if it cannot."""


def _congestion_lacks(name: str, congestion: str) -> Iterator[str]:
    if congestion.startswith(KERNEL) and name not in _LINUX:
        yield f"{congestion!r} is Linux' own; add --backend {_LINUX[0]}, or write 'cubic'"
    sender = params.senders().get(congestion)
    missing = False
    if sender is not None and not (name == "ns3" and congestion in _NS3_SENDERS):
        missing |= sender.header and name in _LINUX
        missing |= sender.exact_ecn and name not in _SIMULATORS
        missing |= sender.rate and name in _NS3
    if missing or name in _WITHOUT_SENDER.get(congestion, ()):
        yield f"the {name} backend has no congestion control like {congestion!r}; sim has it"


def _sharing_lacks(name: str, sharing: str) -> Iterator[str]:
    if sharing and name not in _SIMULATORS:
        yield f"the {name} backend shares nothing; add --backend {_SIMULATORS[0]}"


def _ns3_lacks(tcp: Tcp) -> Iterator[tuple[str, str]]:
    for option in options.TCP:
        if option.ns3_lacks and options.value(option, tcp) != options.initial(option):
            yield option.key, f"{option.ns3_lacks}; leave it out"
    if tcp.pacing:
        yield "pacing", "ns-3 paces at a rate of its own; leave it out"
    if tcp.opened_by == "receiver":
        yield (
            "opened_by",
            f"in ns-3 senders open; write 'sender', or add --backend {_SIMULATORS[0]}",
        )


def _users_lack(name: str, traffic: Traffic) -> Iterator[tuple[str, str]]:
    cure = f"add --backend {_SIMULATORS[0]}"
    if name not in _LINUX:
        yield "traffic.kind", f"the {name} backend has no users; {cure}"
        return
    if traffic.kind != "web":
        yield "traffic.kind", f"users of the {name} backend are of the web; {cure}"
    if traffic.persistent:
        yield "traffic.persistent", f"transfers there have connections of their own; {cure}"
    if traffic.company:
        yield "traffic.company", f"the {name} backend does not watch it; {cure}"


def _tcp_lacks(name: str, tcp: Tcp) -> Iterator[tuple[str, str]]:
    for message in _congestion_lacks(name, tcp.congestion):
        yield "congestion", message
    if tcp.traffic and name not in _SIMULATORS:
        yield from _users_lack(name, tcp.traffic)
    for message in _sharing_lacks(name, tcp.sharing or ""):
        yield "sharing", message
    if tcp.quic and name not in _SIMULATORS:
        yield "quic", f"the {name} backend has no QUIC; add --backend {_SIMULATORS[0]}"
    if not tcp.controlled and name in _NS3:
        yield "controlled", f"the {name} backend controls all TCP; add --backend {_SIMULATORS[0]}"
    if tcp.mark and name not in _SIMULATORS:
        yield "mark", f"the {name} backend marks no packets; add --backend {_SIMULATORS[0]}"
    if name in _NS3:
        yield from _ns3_lacks(tcp)


def _ns3_queues_lack(discipline: str, law: str) -> Iterator[str]:
    """What the ns-3 module, which has one FIFO, cannot take from ns-3 itself."""
    cure = f"add --backend {_SIMULATORS[0]}"
    if discipline != _NS3_SCHEDULES:
        yield f"{discipline} needs several queues, and ns-3 has none like it; {cure}"
    elif law != "none":
        yield f"ns-3's {discipline} tells the law {law} nothing of its queues; {cure}"


def differences(name: str, scenario: Scenario, methods: Iterable[str]) -> Iterator[str]:
    """What is another in the backend, and cannot be made the same: notes for the user."""
    if name not in _NS3 or not any(_in_ns3_alone(scenario, method) for method in methods):
        return
    for key, gateway in scenario.gateway.items():
        link = scenario.link[gateway.link]
        back = gateway.direction == "back"
        limit = (link.back.queue if back else None) or link.queue
        if limit and not link.queue_packets:
            yield (
                f"gateway.{key}: ns-3's FqCoDelQueueDisc limits packets; the {limit} bytes of "
                f"link.{gateway.link} are {max(limit // link.mtu, 1)} of {link.mtu} bytes there"
            )


def _in_ns3_alone(scenario: Scenario, method: str) -> bool:
    parts = methods_of(scenario).get(method)
    return parts is not None and parts.discipline == _NS3_SCHEDULES


def method_lacks(name: str, scenario: Scenario, method: str) -> Iterator[str]:
    """What the backend does not have of a method of the scenario's, each with a remedy."""
    if method.startswith(KERNEL):
        discipline, sender, sharing = method, "", ""
    else:
        parts = methods_of(scenario)[method]
        discipline, sender, sharing = parts.discipline, parts.sender, parts.sharing
    yield from _congestion_lacks(name, sender)
    yield from _sharing_lacks(name, sharing)
    if discipline.startswith(KERNEL):
        if name not in _LINUX:
            yield f"the {name} backend has no queues of Linux; add --backend {_LINUX[0]}"
        return
    if any(tcp.opened_by == "receiver" for tcp in scenario.tcp.values()):
        yield from filter(None, [params.only_opens(sender)])
    if name in _NS3 and params.disciplines()[discipline].schedules:
        yield from _ns3_queues_lack(discipline, parts.law)


def _gateway_lacks(name: str, scenario: Scenario, gateway: Gateway) -> Iterator[tuple[str, str]]:
    if gateway.method:
        for message in method_lacks(name, scenario, gateway.method):
            yield "method", message
    if gateway.source and name not in _SIMULATORS:
        cure = f"add --backend {_SIMULATORS[0]}"
        yield "source", f"gateways of the {name} backend see no queue further down; {cure}"
    if name not in _NS3:
        return
    for key, value, plain in (
        ("share_by", gateway.share_by, "flow"),
        ("beyond", gateway.beyond, "none"),
        ("rate", gateway.rate, None),
    ):
        if value not in (None, plain):
            cure = f"add --backend {_SIMULATORS[0]}"
            yield key, f"gateways of the {name} backend have no {key} = {value!r}; {cure}"


def _links(name: str, scenario: Scenario) -> Iterator[tuple[Path, str]]:
    cure = f"add --backend {_SIMULATORS[0]}"
    for link, spec in scenario.link.items():
        if spec.medium == RADIO and name not in _WITH_RADIO:
            yield (
                ("link", link, "medium"),
                f"the {name} backend has no {spec.medium}; add --backend {_WITH_RADIO[0]}",
            )
        if spec.medium == LAN and name not in _SIMULATORS:
            yield ("link", link, "medium"), f"the {name} backend has no {LAN}; {cure}"
        if spec.phantom and name not in _SIMULATORS:
            yield ("link", link, "phantom"), f"packets wait in queues of the {name} backend; {cure}"
        if spec.device_packets and name not in (*_SIMULATORS, *_NS3):
            text = f"devices of the {name} backend have queues of their own; {cure}"
            yield ("link", link, "device_packets"), text
        if spec.cut_through and name not in _SIMULATORS:
            text = f"links of the {name} backend deliver whole packets; {cure}"
            yield ("link", link, "cut_through"), text
        key = varies(spec)
        if not key or name in _SIMULATORS or (name in _LINUX and key != "trace"):
            continue
        how = "vary only by steps" if name in _LINUX else "do not vary"
        yield ("link", link, key), f"links of the {name} backend {how}; {cure}"


def lacks(name: str, scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """The keys of a scenario that the backend does not support, each with a remedy."""
    yield from _links(name, scenario)
    for key, tcp in scenario.tcp.items():
        for where, message in _tcp_lacks(name, tcp):
            yield ("tcp", key, *where.split(".")), message
    if name in _LINUX and scenario.tcp and all(tcp.traffic for tcp in scenario.tcp.values()):
        cure = f"add a group without traffic, or --backend {_SIMULATORS[0]}"
        yield (
            ("tcp", min(scenario.tcp), "traffic"),
            f"the {name} backend needs a TCP flow beside users; {cure}",
        )
    for key, gateway in scenario.gateway.items():
        for where, message in _gateway_lacks(name, scenario, gateway):
            yield ("gateway", key, where), message
    if scenario.mobility and name not in _SIMULATORS:
        cure = f"add --backend {_SIMULATORS[0]}"
        yield ("mobility",), f"hosts of the {name} backend do not move; {cure}"
    if scenario.topology.offloads and name not in _LINUX:
        yield ("topology", "offloads"), f"only Linux joins segments; add --backend {_LINUX[0]}"
    if scenario.time.warm_up and name in _NS3:
        yield ("time", "warm_up"), f"the {name} backend counts from the start; leave it out"


def check(name: str, scenario: Scenario) -> None:
    """Exit 78 if the scenario needs features that the backend lacks."""
    for path, message in lacks(name, scenario):
        raise UserError(f"{'.'.join(map(str, path))}: {message}", Exit.CONFIG)


def cure(scenario: Scenario, path: Path) -> str:
    """The option that takes a refused key of a group out of a run; '' if none does."""
    table, *names = path
    if table != "tcp" or len(names) != len(("group", "key")):
        return ""
    group, key = map(str, names)
    off = {option.key: options.initial(option) for option in options.TCP if option.ns3_lacks}
    off["pacing"] = False
    if key not in off or isinstance(off[key], str):
        return ""
    text = str(off[key]).lower() if isinstance(off[key], bool) else str(off[key])
    return f"--set tcp.{group}.{key}={text}"


def check_method(name: str, scenario: Scenario, method: str) -> None:
    """Exit 69 if the method needs features that the backend lacks."""
    for message in method_lacks(name, scenario, method):
        raise UserError(f"-m {method}: {message}", Exit.BACKEND_MISSING)


def is_simulator(name: str) -> bool:
    """Whether the backend is the simulator."""
    return name in _SIMULATORS


def is_linux(name: str) -> bool:
    """Whether hosts and queues there are Linux' own."""
    return name in _LINUX


def check_name(name: str) -> None:
    """Exit 69 if there is no backend of that name."""
    if name not in _MODULES:
        known = ", ".join(_MODULES)
        raise UserError(
            f"there is no backend {name!r} here; available: {known}", Exit.BACKEND_MISSING
        )


def get(name: str) -> Backend:
    """The backend of that name; exit 69 if there is none."""
    check_name(name)
    backend: Backend = importlib.import_module(_MODULES[name]).backend()
    return backend
