# SPDX-License-Identifier: GPL-2.0-only
"""One live run of a case with one method, and what was measured."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from penstock.results import metrics
from penstock.runs.clients import network as lab_of
from penstock.runs.clients.cases import Case
from penstock.runs.clients.lab import Client, Lab, Report
from penstock.runs.live import controls, counters, gateway, network, samples
from penstock.runs.live import run as live
from penstock.runs.live.counters import Counters
from penstock.runs.live.network import Device
from penstock.runs.live.session import Process, Session

_SET_UP_NS: Final = 1_000_000_000
_POLL_S: Final = 0.02
_NS: Final = 1e9


@dataclass(frozen=True)
class Rates:
    """The connections of one client: Mbit/s together, and Jain's index where there are several."""

    mbps: float
    jain: float | None


@dataclass(frozen=True)
class Times:
    """Echoes or whole transfers of one client, in ms."""

    p50: float
    p90: float
    p99: float


@dataclass(frozen=True)
class Outcome:
    """A run. Rates and times are by client, TCP's retransmissions by host.

    Queue and drops are those of all gateways.
    """

    case: str
    method: str
    version: int
    rates: dict[str, Rates]
    times_ms: dict[str, Times]
    drops: int
    timeouts: int
    retransmissions: dict[str, int]
    queue_delay_ms_mean: float
    queue_delay_ms_p99: float


@dataclass
class _Watched:
    """The queue of a device, as it is sampled."""

    device: Device
    process: Process


def _rates(report: Report) -> Rates | None:
    """None for a client that has no rate."""
    if not report.mbps:
        return None
    rates = np.array(report.mbps)
    jain = metrics.jain(rates) if len(rates) > 1 else None
    return Rates(round(float(rates.sum()), 3), None if jain is None else round(jain, 4))


def _times(times_ms: Sequence[float]) -> Times | None:
    """None for a client that waits for nothing."""
    if not times_ms:
        return None
    p50, p90, p99 = np.quantile(np.array(times_ms), (0.50, 0.90, 0.99))
    return Times(*(round(float(each), 2) for each in (p50, p90, p99)))


def _since(first: Mapping[str, Counters], last: Mapping[str, Counters]) -> dict[str, Counters]:
    """What each host counted meanwhile."""
    return {
        host: {key: count - first[host][key] for key, count in found.items()}
        for host, found in last.items()
    }


def _wait(processes: Sequence[Process], end_ns: int) -> None:
    while any(process.popen.poll() is None for process in processes):
        if time.monotonic_ns() > end_ns:
            late = next(each.name for each in processes if each.popen.poll() is None)
            raise RuntimeError(f"{late} did not end in time")
        time.sleep(_POLL_S)


def _play(
    case: Case, lab: Lab, limit_ns: int
) -> tuple[dict[str, list[Process]], dict[str, Counters]]:
    """Starts each client at its time and waits for all; their processes, and what TCP counted."""
    started: dict[str, list[Process]] = {}
    first: list[Mapping[str, Counters]] = []

    def starts(client: Client) -> Callable[[], None]:
        return lambda: started.update({client.name: client.start(lab)})

    events = [(client.start_s, starts(client)) for client in case.clients]
    events.append((float(case.warm_up_s), lambda: first.append(counters.by_host(lab.net))))
    for at_s, event in sorted(events, key=lambda each: each[0]):
        lab.session.sleep_until(lab.at_ns(at_s))
        event()
    _wait([process for found in started.values() for process in found], limit_ns)
    return started, _since(first[0], counters.by_host(lab.net))


def _queues(case: Case, watched: Sequence[_Watched], lab: Lab) -> list[dict[str, float]]:
    """The counts of each queue after the warm-up."""
    end_ns = time.monotonic_ns() - lab.epoch_ns
    found = []
    for each in watched:
        each.process.end()
        taken = samples.read(each.process.output)
        begin_ns = max(int(case.warm_up_s * _NS), taken.busy_from_ns())
        found.append(taken.between(begin_ns, end_ns).queue(each.device.way.rates))
    return found


def play(name: str, case: Case, method: str, version: int = 4) -> Outcome:
    """Plays a case; RuntimeError if the run is not valid."""
    plan = lab_of.plan(case, method)
    with controls.loaded(case.controls), Session() as session:
        net = network.build(session, plan, 1, version)
        gateway.attach(session, net, plan)
        lost_before = counters.stray_losses(net)
        lab = Lab(session, net, plan.hosts, version, 0, case.warm_up_s, case.end_s)
        for client in case.clients:
            client.serve(lab)
        epoch_ns = time.monotonic_ns() + _SET_UP_NS
        lab = Lab(session, net, plan.hosts, version, epoch_ns, case.warm_up_s, case.end_s)
        ways = ("forward", "back") if case.both_ways else ("forward",)
        watched = []
        for way in ways:
            device = net.devices[lab_of.BOTTLENECK, way]
            process = live.watch(session, device, epoch_ns, plan.last_ns)
            watched.append(_Watched(device, process))
        started, tcp = _play(case, lab, epoch_ns + plan.limit_ns)
        queues = _queues(case, watched, lab)
        reports = {client.name: client.report(lab, started[client.name]) for client in case.clients}
        live.check_losses(net, lost_before)
    return _outcome((name, method, version), reports, queues, tcp)


def _outcome(
    run: tuple[str, str, int],
    reports: dict[str, Report],
    queues: Sequence[dict[str, float]],
    tcp: Mapping[str, Counters],
) -> Outcome:
    times = {name: _times(report.times_ms) for name, report in reports.items()}
    rates = {name: _rates(report) for name, report in reports.items()}
    retransmissions = {host: found["TcpRetransSegs"] for host, found in tcp.items()}
    return Outcome(
        *run,
        rates={name: found for name, found in rates.items() if found},
        times_ms={name: found for name, found in times.items() if found},
        drops=sum(int(queue["drops"]) for queue in queues),
        timeouts=sum(found["TcpExtTCPTimeouts"] for found in tcp.values()),
        retransmissions={host: count for host, count in retransmissions.items() if count},
        queue_delay_ms_mean=round(max(queue["delay_ns_mean"] for queue in queues) * 1e-6, 2),
        queue_delay_ms_p99=round(max(queue["delay_ns_p99"] for queue in queues) * 1e-6, 2),
    )
