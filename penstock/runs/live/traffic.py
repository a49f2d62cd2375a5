# SPDX-License-Identifier: GPL-2.0-only
"""The plans of penstock-load for a lab's flows, and the processes that run them."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from penstock.plan.network import Tcp, Udp
from penstock.runs.live import network, programs
from penstock.runs.live.busy import BusyError
from penstock.runs.live.network import Network
from penstock.runs.live.plan import LabPlan, LiveFlow
from penstock.runs.live.session import Process, Session, inside
from penstock.scenario import headers, params

_FIRST_PORT: Final = 5001
_MOST_FLOWS: Final = 10_000
_READY_S: Final = 10.0
_KERNEL_NAME: Final = {"newreno": "reno", "westwood_plus": "westwood"}


@dataclass
class Traffic:
    """The processes by what they do: those that end by themselves, and those that do not."""

    finite: list[Process] = field(default_factory=list)
    senders: list[Process] = field(default_factory=list)  # UDP without an end
    receivers: list[Process] = field(default_factory=list)  # UDP


def kernel_name(congestion: str) -> str:
    """The Linux name of a congestion control."""
    name = congestion.removeprefix(params.KERNEL)
    return _KERNEL_NAME.get(name, name)


def port(flow: LiveFlow) -> int:
    """The port at which the flow's receiver listens, which no other flow uses."""
    return _FIRST_PORT + flow.number


def _tcp(flow: LiveFlow, spec: Tcp, ends: tuple[str, str]) -> tuple[str, str]:
    source, sink = ends
    options = headers.tcp_options_bytes(spec.sender.timestamps)
    common = (
        f"tcp id={flow.number} port={port(flow)} size={spec.size_bytes}B "
        f"segment={spec.sender.mss_bytes + options}"
    )
    window = "" if spec.receiver.autotune else f" window={spec.receiver.buffer_bytes}B"
    control = f"congestion={kernel_name(spec.sender.method)} nagle={int(spec.sender.nagle)}"
    start = f"start={spec.start_ns}ns"
    if flow.after is not None:
        start = f"after={flow.after} pause={flow.pause_ns}ns"
    send, receive = f"to={sink} from={source} {start}", f"at={sink}"
    if spec.receiver.opens:
        send, receive = f"at={source}", f"to={source} from={sink} {start}"
    return f"send {common} {send} {control}", f"receive {common} {receive}{window}"


def _udp(flow: LiveFlow, spec: Udp, ends: tuple[str, str]) -> tuple[str, str]:
    source, sink = ends
    common = f"udp id={flow.number} port={port(flow)} payload={spec.payload_bytes}"
    stop = f" stop={spec.stop_ns}ns" if spec.stop_ns else ""
    send = f"send {common} to={sink} from={source} start={spec.start_ns}ns rate={spec.rate_bps}bit"
    return send + stop, f"receive {common} at={sink}"


def _lines(plan: LabPlan, version: int) -> Iterator[tuple[LiveFlow, str, str]]:
    """Each flow with the line of its sender and that of its receiver."""
    addresses = {
        host: network.address(number, version) for number, host in enumerate(plan.hosts, start=1)
    }
    for flow in plan.flows:
        ends = addresses[flow.source], addresses[flow.sink]
        if isinstance(flow.spec, Tcp):
            yield flow, *_tcp(flow, flow.spec, ends)
        else:
            yield flow, *_udp(flow, flow.spec, ends)


def _groups(plan: LabPlan, version: int) -> dict[tuple[str, str], list[str]]:
    """Lines by (host, sort of process)."""
    groups: dict[tuple[str, str], list[str]] = {}
    for flow, send, receive in _lines(plan, version):
        if isinstance(flow.spec, Tcp):
            kinds = "finite", "finite"
        else:
            kinds = ("finite" if flow.spec.stop_ns else "senders"), "receivers"
        groups.setdefault((flow.source, kinds[0]), []).append(send)
        groups.setdefault((flow.sink, kinds[1]), []).append(receive)
    return groups


def start(session: Session, net: Network, plan: LabPlan, epoch_ns: int, version: int) -> Traffic:
    """Starts all load processes and waits until all of them listen."""
    if len(plan.flows) > _MOST_FLOWS:
        raise ValueError(f"the live backend has at most {_MOST_FLOWS} flows")
    traffic, options = Traffic(), ["-j", "--epoch", str(epoch_ns)]
    options += ["--until", f"{plan.limit_ns}ns"]
    if plan.warm_up_ns:
        options += ["--mark", f"{plan.warm_up_ns}ns"]
    if plan.sample_ns:
        options += ["--sample", f"{plan.sample_ns}ns", "--sample-flows", str(plan.sampled_flows)]
    for (host, kind), lines in _groups(plan, version).items():
        path = session.folder / f"{host}-{kind}.plan"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [programs.find("penstock-load"), "run", str(path), *options]
        process = session.spawn(f"the load of {host}", inside(net.spaces[host], *command))
        getattr(traffic, kind).append(process)
    for process in [*traffic.finite, *traffic.senders, *traffic.receivers]:
        process.wait_ready(_READY_S)
    if time.monotonic_ns() > epoch_ns:
        raise BusyError("the hosts were not ready in time")
    return traffic


def reports(traffic: Traffic) -> list[dict[str, Any]]:
    """The reports of the processes; RuntimeError if a flow failed or was corrupted."""
    found = []
    for process in [*traffic.finite, *traffic.senders, *traffic.receivers]:
        try:
            report = json.loads(process.text())
        except ValueError:
            raise RuntimeError(f"{process.name}: {process.complaint()}") from None
        for flow in report["flows"]:
            if flow["error"]:
                raise RuntimeError(f"flow {flow['id']} ({flow['role']}): {flow['error']}")
            if not flow["intact"]:
                raise RuntimeError(f"flow {flow['id']}: its content changed on the way")
        found.append(report)
    return found
