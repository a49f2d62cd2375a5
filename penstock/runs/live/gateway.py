# SPDX-License-Identifier: GPL-2.0-only
"""penstock-gw on the lab's routers."""

import functools
import json
import re
from pathlib import Path
from typing import Any, Final

from penstock.plan.network import Gateway, Tcp
from penstock.runs.live import programs, queues, routes, traffic
from penstock.runs.live.network import Device, Network
from penstock.runs.live.plan import LabPlan
from penstock.runs.live.session import Session, run
from penstock.scenario import params

_FAIR: Final = "fair"
_AT_ARRIVAL: Final = {_FAIR, "red", "ared", "blue", "pie", "csfq", "red_band"}  # penstock-gw's own
PINS: Final = Path("/sys/fs/bpf/penstock")


def _text(unit: str, value: int) -> str:
    """A parameter for penstock-gw: a whole number in the unit of its name, or a decimal ratio."""
    return params.show(unit, value) if unit in params.RATIO_ONE else str(value)


def _method(spec: Gateway) -> params.Variant:
    """What penstock-gw calls it: the kernel's own queue below is none of its concern."""
    own = not (spec.discipline.startswith(params.KERNEL) or queues.is_below_law(spec))
    wanted = (spec.discipline if own else params.PLAIN, spec.law, spec.signal)
    for method in params.methods().values():
        if (method.discipline, method.law, method.signal) == wanted:
            return method
    raise ValueError(f"penstock-gw has no method for {spec.law} over {spec.discipline}")


def _options(spec: Gateway, device: Device) -> list[str]:
    way, method = device.way, _method(spec)
    if not way.queue_limit_bytes or not way.rate_bps:
        raise ValueError("a gateway's link needs a rate and a queue limit")
    units = {param.name: param.unit for param in method.params}
    rate = "auto" if spec.rate == "auto" else f"{way.told_bps or way.rate_bps}bit"
    options = ["--rate", rate, "--buffer", f"{way.queue_limit_bytes}B"]
    options += ["--method", method.name, "--mode", spec.mode, "--queue", "existing", *way.options]
    options += ["--fair", "on" if spec.discipline == _FAIR else "off"]
    if spec.share_by != "flow":
        options += ["--share-by", spec.share_by]
    for name, value in spec.params.items():
        own = name.removeprefix(f"{spec.law}.")
        if own in units:  # the rest is the queue's below
            options += ["--param", f"{own}={_text(units[own], value)}"]
    return options


def exemptions(plan: LabPlan) -> list[str]:
    """Options of penstock-gw for the flows that no gateway is to control, by their ports."""
    return [
        word
        for flow in plan.flows
        if isinstance(flow.spec, Tcp) and not flow.spec.controlled
        for word in ("--exempt", f"port {traffic.port(flow)}")
    ]


def _holds_acks(spec: Gateway) -> bool:
    """Whether ACKs may wait: for other laws it says nothing, as in the simulators."""
    return spec.beyond != "none" and params.laws()[spec.law].paces


def _hold_acks(session: Session, net: Network, plan: LabPlan, way: routes.Way) -> list[str]:
    """Puts fq where the ACKs of a gateway's flows leave; what penstock-gw is told of it."""
    device = net.devices[routes.acks_leave_by(plan, way)]
    queues.put_fq(session, device.space, device.name, device.way)
    return ["--acks", device.name]


def _is_queue(spec: Gateway) -> bool:
    """Whether the queue itself does it all."""
    own = spec.discipline == params.PLAIN or spec.discipline.startswith(params.KERNEL)
    return own and spec.law == params.NO_LAW


def attach(session: Session, net: Network, plan: LabPlan) -> list[Device]:
    """Attaches the methods; returns the devices with a method."""
    attached = []
    for wire in plan.wires:
        for name, way in (("forward", wire.forward), ("back", wire.back)):
            if way.gateway is None or _is_queue(way.gateway):
                continue
            queue = way.gateway.discipline
            if not _method(way.gateway).rewrites and queue not in _AT_ARRIVAL:
                raise ValueError(
                    f"{queue} works in the queue itself: on Linux that is the kernel's; "
                    f"write -m kernel:{queue}, where the kernel has it"
                )
            device = net.devices[wire.name, name]
            tool = [programs.find("penstock-gw"), "--netns", device.space]
            session.on_close(functools.partial(run, [*tool, "detach", "--now", device.name]))
            options = [*_options(way.gateway, device), *exemptions(plan)]
            if _holds_acks(way.gateway):
                options += ["--beyond", way.gateway.beyond]
                options += _hold_acks(session, net, plan, (wire.name, name))
            session.run([*tool, "attach", device.name, *options])
            attached.append(device)
    return attached


def status(device: Device) -> dict[str, Any]:
    """The status of a device, from penstock-gw."""
    tool = programs.find("penstock-gw")
    text = run([tool, "--netns", device.space, "-j", "status", device.name])
    found: dict[str, Any] = json.loads(text)
    return found


def remove_pins(pid: int) -> list[str]:
    """Removes the pins of a dead process' gateways; returns the names."""
    removed = []
    for folder in PINS.iterdir() if PINS.is_dir() else ():
        if re.match(rf"[pq]{pid}w\d+@", folder.name):
            for pin in folder.iterdir():
                pin.unlink()
            folder.rmdir()
            removed.append(str(folder))
    return removed
