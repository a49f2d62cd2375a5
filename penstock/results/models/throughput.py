# SPDX-License-Identifier: GPL-2.0-only
"""The long-term throughput of one TCP connection over a path that loses segments at random.

The inverse square-root p law (Mathis, Semke, Mahdavi, Ott: The Macroscopic Behavior of the
TCP Congestion Avoidance Algorithm, 1997) and the formula of Padhye, Firoiu, Towsley, Kurose
(Modeling TCP Throughput: A Simple Model and its Empirical Validation, 1998, eq. 32), which
nis-2004 prints as eqs. (2.21) and (2.22) for a receiver that acknowledges every segment,
b = 1. Rates are segments per second; beside them what the simulator's sender reaches.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Final

from penstock import _native

TITLES: Final = {
    "sqrt-p": "Inverse square-root p law (nis-2004 eq. 2.21)",
    "pftk": "PFTK formula (nis-2004 eq. 2.22)",
}
_NS: Final = 10**9
_RATE_BPS: Final = 10**11  # no queue ever forms
_MSS_BYTES: Final = 1448
_MOST_SEGMENTS: Final = 20_000_000  # a run of some seconds


@dataclass(frozen=True)
class Path:
    """Round trip and retransmission timeout in seconds, window in segments."""

    rtt_s: float
    rto_s: float
    window_segments: float = inf
    segments_per_ack: int = 1


def inverse_sqrt(loss: float, path: Path) -> float:
    """Eq. (2.21), b segments per ACK: sqrt(3 / (2 b p)) / RTT."""
    return sqrt(3 / (2 * path.segments_per_ack * loss)) / path.rtt_s


def pftk(loss: float, path: Path) -> float:
    """Eq. (2.22), b segments per ACK."""
    b = path.segments_per_ack
    fast = path.rtt_s * sqrt(2 * b * loss / 3)
    timeouts = min(1.0, 3 * sqrt(3 * b * loss / 8)) * loss * (1 + 32 * loss**2)
    limit = path.window_segments / path.rtt_s
    return min(limit, 1 / (fast + path.rto_s * timeouts))


@dataclass(frozen=True)
class Measured:
    """The result of the simulator's connection."""

    sent_per_s: float  # segments, retransmissions included
    delivered_per_s: float
    timeouts: int
    fast_recoveries: int


def measure(loss: float, path: Path, seconds: float, sender: str = "newreno") -> Measured:
    """Simulates one connection over such a path, with SACK and timestamps."""
    network = _native.Network(1)
    source, sink = network.node("source"), network.node("sink")
    delay_ns = round(path.rtt_s * _NS / 2)
    for ends, ratio in (((source, sink), loss), ((sink, source), 0.0)):
        network.link(*ends, rate_bps=_RATE_BPS, delay_ns=delay_ns, loss_ratio=ratio)
    window = path.window_segments * _MSS_BYTES
    network.tcp(
        source,
        sink,
        start_ns=0,
        size_bytes=1 << 50,
        sender={
            "method": sender,
            "mss_bytes": _MSS_BYTES,
            "min_rto_ns": 1,
            "rto_granularity_ns": round(max(path.rto_s - path.rtt_s, 0) * _NS),
        },
        receiver={
            "buffer_bytes": round(min(window, 1 << 30)),
            "max_buffer_bytes": round(min(window, 1 << 30)),
            "mss_bytes": _MSS_BYTES,
            "delayed_ack_segments": path.segments_per_ack,
        },
    )
    flow = network.run(round(seconds * _NS)).flows
    return Measured(
        float(flow["segments_sent"][0]) / seconds,
        float(flow["delivered_bytes"][0]) / _MSS_BYTES / seconds,
        int(flow["timeouts"][0]),
        int(flow["fast_recoveries"][0]),
    )


@dataclass(frozen=True)
class Compared:
    """A formula's throughput at a loss rate from 0 to 1, and the simulator's if it was run.

    Throughputs are segments per second; `simulated_s` is the simulated time.
    """

    loss: float
    path: Path
    formula_per_s: float
    sender: str
    simulated_s: float = 0.0
    measured: Measured | None = None

    def describe(self) -> dict[str, Any]:
        """The keys of `penstock model pftk -j`."""
        found: dict[str, Any] = {
            "loss": self.loss,
            "rtt_s": self.path.rtt_s,
            "rto_s": self.path.rto_s,
            "segments_per_ack": self.path.segments_per_ack,
            "throughput_segments_per_s": self.formula_per_s,
        }
        if self.measured:
            found |= {
                "sender": self.sender,
                "simulated_s": self.simulated_s,
                "sent_segments_per_s": self.measured.sent_per_s,
                "delivered_segments_per_s": self.measured.delivered_per_s,
                "timeouts": self.measured.timeouts,
                "fast_recoveries": self.measured.fast_recoveries,
            }
        return found


def compare(
    formula: Callable[[float, Path], float], loss: float, path: Path, sender: str, losses: int
) -> Compared:
    """The formula beside a run of about so many losses; with 0 the formula alone."""
    rate = formula(loss, path)
    if not losses:
        return Compared(loss, path, rate, sender)
    seconds = min(losses / loss, _MOST_SEGMENTS) / pftk(loss, path)
    return Compared(loss, path, rate, sender, seconds, measure(loss, path, seconds, sender))
