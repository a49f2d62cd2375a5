# SPDX-License-Identifier: GPL-2.0-only
"""A live run's numbers in the form of the simulator's, for the same column code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock.plan.network import Tcp, Udp
from penstock.runs.live.plan import LabPlan
from penstock.runs.live.samples import Rates, Samples

Ints = NDArray[np.int64]
Json = Mapping[str, Any]

_CLOSED: Final = (0, 0, -1)  # cwnd, send window and bytes sent of a flow without a sample


@dataclass(frozen=True)
class LiveResult:
    """The part of _native.Result that penstock.results.metrics reads."""

    end_ns: int
    flows: dict[str, Ints]
    counts: dict[str, float]
    series: dict[str, Ints] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)
    events: int = 0
    delays_ns: Sequence[float] = ()

    def queue(self, _link: int) -> dict[str, float]:
        """The measured queue, whatever the number of its link."""
        return self.counts

    def delay_quantiles_ns(self, _link: int) -> Sequence[float]:
        """Of the measured queue over time, likewise."""
        return self.delays_ns


def _opened_ns(spec: Tcp, send: Json, receive: Json) -> int:
    """When the end that opens the connection began to; -1 if it did not."""
    return int((receive if spec.receiver.opens else send)["started_ns"])


def _tcp_row(spec: Tcp, send: Json, receive: Json, mark_ns: int) -> dict[str, int]:
    """One connection, counted from the mark on."""
    now = send.get("tcp", {})
    before = send.get("tcp_at_mark", {})

    def gain(name: str) -> int:
        return int(now.get(name, 0)) - int(before.get(name, 0))

    opened_ns = _opened_ns(spec, send, receive)
    started = opened_ns if opened_ns >= 0 else spec.start_ns
    return {
        "is_udp": 0,
        "start_ns": max(started, mark_ns),
        "done_ns": receive["ended_ns"],
        "size_bytes": spec.size_bytes,
        "delivered_bytes": receive["bytes"] - receive["bytes_at_mark"],
        "bytes_sent": gain("bytes_sent"),
        "segments_sent": gain("segments_sent"),
        "retransmissions": gain("retransmissions"),
        "retransmitted_bytes": gain("bytes_retransmitted"),
        "timeouts": 0,
    }


def _udp_row(spec: Udp, send: Json, receive: Json, mark_ns: int) -> dict[str, int]:
    return {
        "is_udp": 1,
        "start_ns": max(spec.start_ns, mark_ns),
        "done_ns": -1,
        "size_bytes": 0,
        "delivered_bytes": receive["bytes"] - receive["bytes_at_mark"],
        "bytes_sent": send["bytes"] - send["bytes_at_mark"],
        "segments_sent": send["packets"] - send["packets_at_mark"],
        "retransmissions": 0,
        "retransmitted_bytes": 0,
        "timeouts": 0,
    }


def _ends(reports: Sequence[Json]) -> dict[tuple[int, str], Json]:
    return {(flow["id"], flow["role"]): flow for report in reports for flow in report["flows"]}


def flow_table(plan: LabPlan, reports: Sequence[Json], timeouts: int) -> dict[str, Ints]:
    """The flows as columns. The kernel counts time-outs of a host: the first flow has them."""
    ends, rows = _ends(reports), []
    for flow in plan.flows:
        if flow.users:
            continue
        send, receive = ends[flow.number, "send"], ends[flow.number, "receive"]
        if isinstance(flow.spec, Tcp):
            rows.append(_tcp_row(flow.spec, send, receive, plan.warm_up_ns))
        else:
            rows.append(_udp_row(flow.spec, send, receive, plan.warm_up_ns))
    next(row for row in rows if not row["is_udp"])["timeouts"] = timeouts
    return {key: np.array([row[key] for row in rows], dtype=np.int64) for key in rows[0]}


def _group(name: str, rows: Sequence[Mapping[str, int]], mark_ns: int) -> dict[str, Any]:
    """A group of users, as in the simulator's result, and which transfers ended after the mark."""
    ended = [row for row in rows if row["done_ns"] >= max(row["started_ns"], mark_ns)]
    table = {
        "start_ns": [row["started_ns"] for row in ended],
        "done_ns": [row["done_ns"] for row in ended],
        "size_bytes": [row["size_bytes"] for row in ended],
    }
    sums = ("delivered_bytes", "bytes_sent", "retransmitted_bytes", "retransmissions")
    return {
        "name": name,
        "start_ns": max(mark_ns, min(row["started_ns"] for row in rows)),
        "timeouts": 0,
        "unfinished": 0,
        "transfers": {key: np.array(values, np.int64) for key, values in table.items()},
        **{key: sum(row[key] for row in rows) for key in sums},
    }


def group_table(plan: LabPlan, reports: Sequence[Json]) -> list[dict[str, Any]]:
    """The groups of users."""
    ends = _ends(reports)
    found: dict[str, list[dict[str, int]]] = {}
    for flow in plan.flows:
        if not flow.users or not isinstance(flow.spec, Tcp):
            continue
        send, receive = ends[flow.number, "send"], ends[flow.number, "receive"]
        rows = found.setdefault(flow.users, [])
        opened_ns = _opened_ns(flow.spec, send, receive)
        if opened_ns >= 0:
            row = _tcp_row(flow.spec, send, receive, plan.warm_up_ns)
            rows.append(row | {"started_ns": opened_ns})
    return [_group(name, rows, plan.warm_up_ns) for name, rows in found.items() if rows]


def udp_losses(plan: LabPlan, reports: Sequence[Json]) -> tuple[int, int]:
    """UDP packets sent, and those that did not arrive, after the mark."""
    ends, sent, lost = _ends(reports), 0, 0
    for flow in plan.flows:
        if isinstance(flow.spec, Udp):
            counts = [
                end["packets"] - end["packets_at_mark"]
                for end in (ends[flow.number, "send"], ends[flow.number, "receive"])
            ]
            sent += counts[0]
            lost += max(0, counts[0] - counts[1])
    return sent, lost


def queue_counts(
    samples: Samples, rates: Rates, udp: tuple[int, int], gateway: Mapping[str, int]
) -> dict[str, float]:
    """The measured queue; which of its drops were UDP's is known from UDP's receivers.

    The gateway's discipline drops before the queue, which knows nothing of these packets.
    """
    counts = samples.queue(rates)
    counts |= {key: counts[key] + gateway["early_drops"] for key in ("arrivals", "drops")}
    sent = min(udp[0], int(counts["arrivals"]))  # others wait, or take another way
    lost = min(udp[1], int(counts["drops"]))
    counts |= {"udp_arrivals": sent, "udp_drops": lost}
    counts |= {
        "tcp_arrivals": counts["arrivals"] - sent,
        "tcp_drops": counts["drops"] - lost,
    }
    counts |= {key: gateway[key] for key in ("acks_rewritten", "acks_seen")}
    return counts | {"window_bytes_mean": 0.0}


def series(samples: Samples, reports: Sequence[Json], interval_ns: int) -> dict[str, Ints]:
    """The queue, and windows and bytes sent of the sampled flows at regular times.

    A connection that is not open has windows of 0, and -1 bytes sent.
    """
    by_flow: dict[int, dict[int, Sequence[int]]] = {}
    for report in reports:
        for time_ns, flow, *values in report["samples"]:
            by_flow.setdefault(flow, {})[time_ns] = values
    times = np.arange(0, samples.time_ns[-1] + 1, interval_ns, dtype=np.int64)
    at = np.clip(np.searchsorted(samples.time_ns, times, side="right") - 1, 0, None)
    windows = [
        [
            [by_flow[flow].get(int(time), _CLOSED)[which] for time in times]
            for flow in sorted(by_flow)
        ]
        for which in range(len(_CLOSED))
    ]
    return {
        "time_ns": times,
        "queue_bytes": samples.backlog_bytes[at][np.newaxis, :],
        "queue_packets": samples.backlog_packets[at][np.newaxis, :],
        "window_bytes": np.zeros((1, len(times)), dtype=np.int64),
        "cwnd_bytes": np.array(windows[0], dtype=np.int64),
        "send_window_bytes": np.array(windows[1], dtype=np.int64),
        "sent_bytes": np.array(windows[2], dtype=np.int64),
    }
