# SPDX-License-Identifier: GPL-2.0-only
"""The ways that packets take through the lab: the shortest ones."""

from collections.abc import Iterator

from penstock.plan.network import Tcp
from penstock.runs.live.plan import LabPlan

Way = tuple[str, str]  # a wire's name, and 'forward' or 'back'


def next_hops(plan: LabPlan, host: str) -> dict[str, tuple[int, int]]:
    """For every other host: the wire to leave by, and which end of it is the neighbour."""
    hops: dict[str, tuple[int, int]] = {}
    todo: list[tuple[str, tuple[int, int] | None]] = [(host, None)]
    while todo:
        following: list[tuple[str, tuple[int, int] | None]] = []
        for here, first in todo:
            for number, wire in enumerate(plan.wires):
                if here not in (wire.start, wire.end):
                    continue
                there, end = (wire.end, 2) if here == wire.start else (wire.start, 1)
                if there == host or there in hops:
                    continue
                hops[there] = first or (number, end)
                following.append((there, hops[there]))
        todo = following
    return hops


def _step(plan: LabPlan, here: str, there: str) -> tuple[Way, str]:
    """The way by which packets leave for `there`, and the host to which it leads."""
    number, end = next_hops(plan, here)[there]
    wire = plan.wires[number]
    return ((wire.name, "forward"), wire.end) if end == 2 else ((wire.name, "back"), wire.start)


def _ways(plan: LabPlan, source: str, sink: str) -> Iterator[Way]:
    here = source
    while here != sink:
        way, here = _step(plan, here, sink)
        yield way


def acks_leave_by(plan: LabPlan, way: Way) -> Way:
    """The way by which the host where `way` begins sends on the ACKs of the flows it controls.

    ValueError if there are several, or none.
    """
    wire = next(wire for wire in plan.wires if wire.name == way[0])
    host = wire.start if way[1] == "forward" else wire.end
    found = {
        _step(plan, host, flow.source)[0]
        for flow in plan.flows
        if isinstance(flow.spec, Tcp) and flow.spec.controlled and flow.source != host
        if way in _ways(plan, flow.source, flow.sink)
    }
    if len(found) != 1:
        raise ValueError(
            f"pace-acks holds ACKs on one device, and those of {way[0]!r} leave {host!r} by "
            f"{len(found)}"
        )
    return found.pop()
