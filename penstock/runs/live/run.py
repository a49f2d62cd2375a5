# SPDX-License-Identifier: GPL-2.0-only
"""One live run from its plan to its result."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.runs.live import (
    counters,
    gateway,
    network,
    programs,
    queues,
    result,
    samples,
    traffic,
)
from penstock.runs.live.busy import BusyError
from penstock.runs.live.changes import Timetable
from penstock.runs.live.counters import Counters
from penstock.runs.live.network import Device, Network
from penstock.runs.live.plan import LabPlan
from penstock.runs.live.result import LiveResult
from penstock.runs.live.session import Process, Session, inside
from penstock.runs.live.traffic import Traffic

_SET_UP_NS: Final = 1_500_000_000  # from the first process to the first packet, at most
_DRAIN_S: Final = 0.5
_POLL_S: Final = 0.01
_GRACE_S: Final = 20.0
_OF_GATEWAYS: Final = ("acks_rewritten", "acks_seen", "early_drops")
_LATE_P99_US: Final = 8191  # upper bound of a class of lateness: more is no link of that delay


@dataclass(frozen=True)
class Extra:
    """Values that only live runs have, by the names of columns.py."""

    columns: dict[str, int]


def _wait_for(processes: Sequence[Process], end_ns: int, timetable: Timetable) -> None:
    while any(process.popen.poll() is None for process in processes):
        now_ns = time.monotonic_ns()
        if now_ns > end_ns:
            raise RuntimeError("the load did not end in time")
        timetable.make_until(now_ns)
        time.sleep(_POLL_S)


def watch(session: Session, device: Device, epoch_ns: int, last_ns: int) -> Process:
    """Samples the queue of a device from now on."""
    command = [programs.find("penstock-load"), "watch", device.name, "--handle", queues.HANDLE]
    command += ["--every", f"{samples.EVERY_NS}ns", "--epoch", str(epoch_ns)]
    command += ["--until", f"{last_ns}ns"]
    return session.spawn("the sampler of the queue", inside(device.space, *command))


def _play(traffic_now: Traffic, timetable: Timetable, plan: LabPlan, epoch_ns: int) -> None:
    """Waits until the flows are done, and ends the endless ones."""
    limit_ns = epoch_ns + plan.limit_ns + int(_GRACE_S * 1e9)
    _wait_for(traffic_now.finite, limit_ns, timetable)
    for process in traffic_now.senders:
        process.end()
    if traffic_now.receivers:
        time.sleep(_DRAIN_S)
    for process in traffic_now.receivers:
        process.end()


def check_losses(net: Network, before: dict[str, int]) -> None:
    """BusyError for packets that were lost in a device or late in a link.

    They would be taken for the method's work.
    """
    now = counters.stray_losses(net)
    lost = {name: count - before.get(name, 0) for name, count in now.items()}
    lost = {name: count for name, count in lost.items() if count}
    for link in net.links.values():
        report = counters.link_report(link)
        for name, way in ((n, report[n]) for n in ("forward", "back")):
            if sum(way[key] for key in ("lost_ring", "lost_write", "offloaded")):
                lost[f"{link.name}, {name}"] = int(way["frames_in"] - way["frames_out"])
            if way["late_p99_us_at_most"] > _LATE_P99_US:
                raise BusyError(
                    f"{link.name}: packets left late by more than {_LATE_P99_US // 1000} ms"
                )
    if lost:
        where = ", ".join(f"{count} at {name}" for name, count in lost.items())
        raise BusyError(f"packets were lost outside of the queues: {where}")


def _difference(last: Counters, first: Counters) -> dict[str, int]:
    return {key: last[key] - first[key] for key in last}


def _measure(
    session: Session,
    net: Network,
    plan: LabPlan,
    running: Traffic,
    epoch_ns: int,
    gateways: Sequence[Device],
) -> dict[str, int]:
    """Runs the traffic; returns the counts of kernels and gateways after the warm-up.

    ACKs pass while counters are read. All that were seen are read earlier than those rewritten
    of them at the start and later at the end, so that they are never fewer.
    """

    def count() -> Counters:
        states = [gateway.status(device) for device in gateways]
        own = {key: sum(state[key] for state in states) for key in _OF_GATEWAYS}
        return {**counters.tcp(net), **own}

    timetable = Timetable(session, net, plan, epoch_ns)
    timetable.sleep_until(epoch_ns + plan.warm_up_ns)
    seen = count()["acks_seen"]
    first = {**count(), "acks_seen": seen}
    _play(running, timetable, plan, epoch_ns)
    return _difference(count(), first)


def play(plan: LabPlan, seed: int, version: int) -> tuple[LiveResult, Extra]:
    """Sets up the lab, runs it and tears it down; RuntimeError if the run is invalid."""
    with Session() as session:
        log = counters.KernelLog()
        net = network.build(session, plan, seed, version)
        device = net.devices[plan.measured]
        attached = gateway.attach(session, net, plan)
        lost_before = counters.stray_losses(net)
        epoch_ns = time.monotonic_ns() + _SET_UP_NS
        watching = watch(session, device, epoch_ns, plan.last_ns)
        running = traffic.start(session, net, plan, epoch_ns, version)
        watching.wait_ready(1.0)
        measured = [device] if device in attached else []
        tcp = _measure(session, net, plan, running, epoch_ns, measured)
        watching.end()
        reports = traffic.reports(running)
        check_losses(net, lost_before)
        extra = Extra(
            {
                "tcp_retrans_segs": tcp["TcpRetransSegs"],
                "tcp_timeouts": tcp["TcpExtTCPTimeouts"],
                "tcp_in_csum_errors": tcp["TcpInCsumErrors"],
                "shrunk_window_log_lines": log.count_shrunk_windows(),
            }
        )
        taken = samples.read(watching.output)
        return _result(plan, device.way.rates, reports, taken, tcp, extra), extra


def _result(
    plan: LabPlan,
    rates: samples.Rates,
    reports: Sequence[dict[str, Any]],
    taken: samples.Samples,
    counted: Counters,
    extra: Extra,
) -> LiveResult:
    flows = result.flow_table(plan, reports, extra.columns["tcp_timeouts"])
    tcp = flows["is_udp"] == 0
    done = flows["done_ns"][tcp]
    end_ns = int(done.max()) if (done >= 0).all() else plan.limit_ns
    begin_ns = max(plan.warm_up_ns, taken.busy_from_ns())
    udp = result.udp_losses(plan, reports)
    here = taken.between(begin_ns, end_ns)
    counts = result.queue_counts(here, rates, udp, counted)
    series = result.series(taken, reports, plan.sample_ns) if plan.sample_ns else {}
    groups = result.group_table(plan, reports)
    return LiveResult(
        end_ns, flows, counts, series, groups, delays_ns=here.delay_quantiles_ns(rates)
    )
