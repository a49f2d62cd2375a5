# SPDX-License-Identifier: GPL-2.0-only
"""Computes one row, as columns.py defines it, from the simulator's counters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from penstock.columns import (
    NAMES,
    QUEUE_COUNTERS,
    QUEUE_FIGURES,
    RECEIVER_COUNTERS,
    SENDER_COUNTERS,
)
from penstock.plan.cells import Cell
from penstock.results import completions

Value = str | int | float | None
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Groups = Sequence[Mapping[str, Any]]

_NS: Final = 1e9
_DIGITS: Final = 6


class Result(Protocol):
    """A backend's result: the part of _native.Result that columns need."""

    @property
    def end_ns(self) -> int:
        """When the run ended."""

    @property
    def events(self) -> int:
        """Events handled."""

    @property
    def flows(self) -> Mapping[str, Ints]:
        """One entry per flow, by name."""

    @property
    def groups(self) -> Groups:
        """One entry per traffic group of users."""

    @property
    def series(self) -> Mapping[str, Ints]:
        """Samples over time, by name."""

    def queue(self, link: int) -> Mapping[str, float]:
        """Counters of the queue of `link`."""


def percent(part: float, whole: float) -> float | None:
    """`part` over `whole` in percent; None if `whole` is 0."""
    return 100.0 * part / whole if whole else None


def jain(rates: Floats) -> float | None:
    """Jain's fairness index (ewt-2019 eq. 12); None without flows or when all are 0."""
    squares = float(np.sum(rates * rates))
    return float(np.sum(rates)) ** 2 / (len(rates) * squares) if squares else None


def tcp_flows(flows: Mapping[str, Ints]) -> dict[str, Ints]:
    """The single TCP flows among all flows."""
    chosen = flows["is_udp"] == 0
    return {name: values[chosen] for name, values in flows.items()}


def _counted(tcp: Mapping[str, Ints]) -> dict[str, Ints]:
    """All flows but those that finished during the warm-up."""
    chosen = completions.finished(tcp) | (tcp["done_ns"] < 0)
    return {name: values[chosen] for name, values in tcp.items()}


def counted_flows(tcp: Mapping[str, Ints]) -> int:
    """How many flows goodputs and fairness are of."""
    return len(_counted(tcp)["done_ns"])


def _ends_ns(tcp: Mapping[str, Ints], end_ns: int) -> Ints:
    """When each flow was done, or the end of the run."""
    return np.where(tcp["done_ns"] >= 0, tcp["done_ns"], end_ns)


def goodputs_mbps(tcp: Mapping[str, Ints], end_ns: int) -> Floats:
    """Goodput of each flow; 0 for one that never started."""
    time_ns = np.maximum(_ends_ns(tcp, end_ns) - tcp["start_ns"], 1)
    return np.asarray(tcp[_arrived(tcp)] * 8e3 / time_ns, dtype=np.float64)


def _arrived(tcp: Mapping[str, Ints]) -> str:
    """The counter of goodput: what arrived in the measured time, if the backend counts it."""
    return "received_bytes" if "received_bytes" in tcp else "delivered_bytes"


def _total(tcp: Mapping[str, Ints], groups: Groups, name: str) -> int:
    return int(np.sum(tcp[name])) + sum(int(group[name]) for group in groups)


def _totals(names: Iterable[str], tcp: Mapping[str, Ints], groups: Groups) -> dict[str, Value]:
    """The counters that are columns; empty where the backend does not count them."""
    return {name: _total(tcp, groups, name) if name in tcp else None for name in names}


def sender_columns(tcp: Mapping[str, Ints], groups: Groups) -> dict[str, Value]:
    """What senders counted, of single flows and of groups of users."""
    sent = np.append(tcp["bytes_sent"], [group["bytes_sent"] for group in groups])
    again = np.append(
        tcp["retransmitted_bytes"], [group["retransmitted_bytes"] for group in groups]
    )
    share = (sent - again)[sent > 0] / sent[sent > 0]
    return {
        "tcp_efficiency_percent": 100.0 * float(np.mean(share)) if len(share) else None,
        **_totals((each.name for each in SENDER_COUNTERS), tcp, groups),
    }


def receiver_columns(tcp: Mapping[str, Ints], groups: Groups, end_ns: int) -> dict[str, Value]:
    """What receivers counted, likewise."""
    counted = _counted(tcp)
    done = completions.finished(counted)
    transfers = (counted["done_ns"] - counted["start_ns"])[done] / _NS
    rates = goodputs_mbps(counted, end_ns)
    starts = [*counted["start_ns"].tolist(), *(int(group["start_ns"]) for group in groups)]
    ends = [*_ends_ns(counted, end_ns).tolist(), *(end_ns for _ in groups)]
    time_ns = max(ends, default=0) - min(starts, default=0)
    own = completions.of_flows(tcp)
    times = [completions.of_users(group) for group in groups]
    return {
        "transfer_s": float(np.mean(transfers)) if len(transfers) else None,
        "transfer_s_max": float(np.max(transfers)) if len(transfers) else None,
        "goodput_mbps": float(np.mean(rates)) if len(rates) else None,
        "goodput_mbps_total": _total(tcp, groups, _arrived(tcp)) * 8e3 / max(time_ns, 1),
        "jain": jain(rates),
        "unfinished": int(np.sum(~done)) + sum(int(group["unfinished"]) for group in groups),
        **_totals((each.name for each in RECEIVER_COUNTERS), tcp, groups),
        **completions.columns([completions.joined(each) for each in zip(own, *times, strict=True)]),
    }


def queue_columns(queue: Mapping[str, float]) -> dict[str, Value]:
    """What is counted at a queue."""
    figures = {each.column: (each.factor, queue.get(each.name)) for each in QUEUE_FIGURES}
    counted = {each.name: queue.get(each.name) for each in QUEUE_COUNTERS}
    return {
        "loss_percent": percent(queue["drops"], queue["arrivals"]),
        "tcp_loss_percent": percent(queue["tcp_drops"], queue["tcp_arrivals"]),
        "udp_loss_percent": percent(queue["udp_drops"], queue["udp_arrivals"]),
        "drops": int(queue["drops"]),
        **{name: None if n is None else factor * n for name, (factor, n) in figures.items()},
        **{name: None if n is None else int(n) for name, n in counted.items()},
        "rewritten_acks": int(queue["acks_rewritten"]),
        "receive_window_bytes": queue["window_bytes_mean"] if queue["acks_seen"] else None,
    }


def low_latency_columns(queue: Mapping[str, float]) -> dict[str, Value]:
    """Of the low-latency one of two queues; none, where there is one queue."""
    return {
        f"low_latency_delay_ms_{name}": queue[f"low_delay_ns_{name}"] * 1e-6
        for name in ("mean", "p99")
        if f"low_delay_ns_{name}" in queue
    }


def columns(cell: Cell, result: Result, measured: int, wall_s: float) -> dict[str, Value]:
    """The row of a run, in the order of columns.py, rounded to six decimals."""
    tcp = tcp_flows(result.flows)
    values: dict[str, Value] = {
        "method": cell.method,
        "mode": cell.mode,
        "parameters": cell.parameters,
        "receivers": cell.receivers,
        "flows": cell.flows,
        "seed": cell.seed,
        **queue_columns(result.queue(measured)),
        **sender_columns(tcp, result.groups),
        **receiver_columns(tcp, result.groups, result.end_ns),
        "events": int(result.events),
        "wall_s": wall_s,
    }
    return {name: rounded(values.get(name)) for name in NAMES}


def rounded(value: Value) -> Value:
    """A float with six decimals; anything else as it is."""
    return round(value, _DIGITS) if isinstance(value, float) else value


def series(result: Result, end_ns: int | None) -> dict[str, Any]:
    """The sampled series as plain lists: time, queue, gateway window, and windows of flows."""
    data = result.series
    keep = slice(None)
    if end_ns is not None:
        keep = slice(0, int(np.searchsorted(data["time_ns"], end_ns, side="right")))
    return {
        "time_s": np.round(data["time_ns"][keep] / _NS, _DIGITS).tolist(),
        "queue_bytes": data["queue_bytes"][0][keep].tolist(),
        "queue_packets": data["queue_packets"][0][keep].tolist(),
        "window_bytes": data["window_bytes"][0][keep].tolist(),
        "cwnd_bytes": [row[keep].tolist() for row in data["cwnd_bytes"]],
        "send_window_bytes": [row[keep].tolist() for row in data["send_window_bytes"]],
    }
