# SPDX-License-Identifier: GPL-2.0-only
"""The lab of a case: two or three hosts, and two routers with the bottleneck between them."""

from typing import Final

from penstock.plan.network import Gateway
from penstock.runs.clients.cases import Case
from penstock.runs.live.plan import Direction, LabPlan, Wire
from penstock.scenario import params
from penstock.scenario.headers import ETHERNET_MTU_BYTES

BOTTLENECK: Final = "bottleneck"
_ACK_QUEUE_BYTES: Final = 1_000_000  # of ACKs alone: no limit that matters
_LONGEST_NS: Final = 120 * 10**9  # of downloads that have no other end


def _plain(delay_ns: int = 0) -> Direction:
    """As fast as this machine."""
    return Direction(0, delay_ns, ETHERNET_MTU_BYTES, 0, 0, 0, 0.0)


def _gateway(method: str) -> Gateway:
    """The method with its default parameters."""
    variant = params.methods()[method]
    return Gateway(0, variant.discipline, variant.law, variant.signal, mode="safe")


def _bottleneck(case: Case, method: str) -> Wire:
    """The narrow wire; its routers have what is behind a gateway."""

    def way(queue_bytes: int, gateway: Gateway | None) -> Direction:
        rate, delay_ns = case.rate_bps, case.rtt_ns // 2
        limits = (ETHERNET_MTU_BYTES, 0, queue_bytes, 0, 0.0)
        return Direction(
            rate, delay_ns, *limits, gateway=gateway, told_bps=case.told_bps, options=case.options
        )

    own = _gateway(method)
    back = way(case.buffer_bytes, own) if case.both_ways else way(_ACK_QUEUE_BYTES, None)
    return Wire(BOTTLENECK, "left", "right", way(case.buffer_bytes, own), back)


def plan(case: Case, method: str) -> LabPlan:
    """Hosts and wires of a case."""
    wires = [
        Wire("access", "senders", "left", _plain(), _plain()),
        _bottleneck(case, method),
        Wire("egress", "right", "receivers", _plain(), _plain()),
    ]
    hosts = ["senders", "left", "right", "receivers"]
    if case.far_rtt_ns:
        more_ns = (case.far_rtt_ns - case.rtt_ns) // 2
        wires.append(Wire("far-access", "far", "left", _plain(more_ns), _plain(more_ns)))
        hosts.append("far")
    return LabPlan(
        hosts=hosts,
        wires=wires,
        flows=[],
        measured=(BOTTLENECK, "forward"),
        limit_ns=case.end_s * 10**9 + _LONGEST_NS,
        warm_up_ns=case.warm_up_s * 10**9,
        sample_ns=0,
        sampled_flows=0,
        offloads=True,
    )
