# SPDX-License-Identifier: GPL-2.0-only
"""One flow over one link that loses given data packets, in our TCP and in ns-3's."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.plan.network import Clock, Gateway, Network, Receiver, Sender, Tcp, Wire
from penstock.runs.backends import ns3
from penstock.scenario import params


@dataclass(frozen=True)
class Script:
    """What both are told. 8 Mbit/s: a byte takes one microsecond, so no time is rounded."""

    method: str = "newreno"
    drops: Sequence[int] = ()
    sack: bool = True
    law: str = "core"
    segments: int = 120
    mss_bytes: int = 1000
    initial_window_segments: int = 4
    delayed_ack_segments: int = 1
    limited_transmit: bool = True
    impatient: bool = False  # ns-3's retransmission timer in ours
    params: dict[str, int] = field(default_factory=dict)
    rate_bps: int = 8_000_000
    delay_ns: int = 50_000_000
    buffer_bytes: int = 64000

    @property
    def size_bytes(self) -> int:
        """All whole segments."""
        return self.segments * self.mss_bytes


@dataclass(frozen=True)
class Event:
    """Something at the sender: send, ack, cwnd, ssthresh, timeout."""

    time_ns: int
    what: str
    first: int
    second: int


_COMMON = {
    "min_rto_ns": 1_000_000_000,
    "rto_granularity_ns": 1_000_000,
    "delayed_ack_ns": 200_000_000,
}


def ours(program: Path, s: Script) -> list[Event]:
    """What our TCP does."""
    options = {
        "method": s.method,
        "drop_data_packets": ",".join(map(str, s.drops)),
        "sack": int(s.sack),
        "size_bytes": s.size_bytes,
        "mss_bytes": s.mss_bytes,
        "initial_window_segments": s.initial_window_segments,
        "delayed_ack_segments": s.delayed_ack_segments,
        "limited_transmit": int(s.limited_transmit),
        "impatient": int(s.impatient),
        "rate_bps": s.rate_bps,
        "delay_ns": s.delay_ns,
        "buffer_bytes": s.buffer_bytes,
        **s.params,
        **_COMMON,
    }
    command = [str(program), *(f"{key}={value}" for key, value in options.items())]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [_event(line.split()) for line in lines]


def _event(words: Sequence[str]) -> Event:
    return Event(int(words[0]), words[1], int(words[2]), int(words[3]))


def _sender(method: str, **fields: Any) -> Sender:
    plain: dict[str, Any] = {
        "initial_window_segments": 4,
        "initial_rto_ns": 1_000_000_000,
        "min_rto_ns": _COMMON["min_rto_ns"],
        "max_rto_ns": 60_000_000_000,
        "rto_granularity_ns": _COMMON["rto_granularity_ns"],
        "sack": True,
        "timestamps": False,
        "window_scale": True,
        "limited_transmit": True,
        "ecn": False,
        "nagle": False,
        "hystart": False,
        "prr": False,
        "pacing": False,
    }
    return Sender(method, **plain | fields)


def _receiver(buffer_bytes: int, **fields: Any) -> Receiver:
    plain: dict[str, Any] = {
        "buffer_bytes": buffer_bytes,
        "max_buffer_bytes": buffer_bytes,
        "autotune": False,
        "delayed_ack_ns": _COMMON["delayed_ack_ns"],
        "sack": True,
        "timestamps": False,
        "window_scale": True,
        "ecn": False,
    }
    return Receiver(**plain | fields)


def theirs(s: Script) -> list[Event]:
    """What ns-3's TCP does."""
    sender = _sender(
        s.method,
        params=s.params,
        mss_bytes=s.mss_bytes,
        initial_window_segments=s.initial_window_segments,
        sack=s.sack,
        limited_transmit=s.limited_transmit,
    )
    receiver = _receiver(
        s.buffer_bytes,
        mss_bytes=s.mss_bytes,
        delayed_ack_segments=s.delayed_ack_segments,
        sack=s.sack,
    )
    network = Network(
        1,
        nodes=["src", "dst"],
        links=[
            Wire(0, 1, s.rate_bps, s.delay_ns, drop_data_packets=s.drops),
            Wire(1, 0, s.rate_bps, s.delay_ns),
        ],
        traffic=[Tcp(0, 1, 0, s.size_bytes, sender, receiver)],
    )
    result = ns3.play(network, Clock(1_000_000_000_000), ns3.Options(s.law, traced_flows=[0]))
    return [Event(*event) for event in result.content["events_of"]["0"]]


def record(
    method: str, mode: str, mss_bytes: int, limit_bytes: int, rate_bytes_per_s: int
) -> list[str]:
    """Every event at ns-3's gateway while five flows share its queue."""
    rate_bps, parts = 8 * rate_bytes_per_s, params.methods()[method]
    network = Network(
        7,
        nodes=["near", "gateway", "far"],
        links=[
            Wire(0, 1, 80_000_000, 3_000_000),
            Wire(1, 0, 80_000_000, 3_000_000),
            Wire(1, 2, rate_bps, 20_000_000, queue_bytes=limit_bytes, loss_ratio=0.002),
            Wire(2, 1, 8_000_000, 20_000_000, loss_ratio=0.01),
        ],
        gateways=[Gateway(2, parts.discipline, parts.law, parts.signal, mode)],
        traffic=[
            Tcp(
                0,
                2,
                start_ns=index * 300_000_000,
                size_bytes=mss_bytes * 400,
                sender=_sender("cubic", mss_bytes=mss_bytes, ecn=parts.ecn),
                receiver=_receiver(
                    50_000 * (index + 1),
                    mss_bytes=mss_bytes,
                    delayed_ack_segments=2,
                    ecn=parts.ecn,
                ),
            )
            for index in range(5)
        ],
    )
    result = ns3.play(network, Clock(1_000_000_000_000), ns3.Options(traced_links=[2]))
    lines: list[str] = result.content["records_of"]["2"]
    return lines
