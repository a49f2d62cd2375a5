# SPDX-License-Identifier: GPL-2.0-only
"""The classes of penstock._native that drive one method by hand: for explain, and for tests.

A stub alone: at run time they are in penstock._native, whose stub imports them from here.
"""

from typing import Any

class Control:
    """One discipline and one law, driven by hand: for explain, and for tests.

    `params` maps field names (weight_q32) to internal integers; what is missing
    takes its default. A name that both parts have is written "PART.NAME", here and in
    what comes back. Queue arguments are those of struct pst_queue at the event
    (core/discipline/registry.h).
    """

    def __init__(
        self,
        discipline: str,
        law: str,
        *,
        signal: str = "drop",
        limit_bytes: int,
        params: dict[str, int] = {},
        limit_packets: int = 0,
        rate_bytes_per_s: int = 0,
        mss_bytes: int = 1448,
    ) -> None: ...
    @property
    def interval_ns(self) -> int: ...  # to the next tick, 0 for none
    @property
    def params(self) -> dict[str, int]: ...
    @property
    def state(self) -> dict[str, int]: ...
    def arrive(
        self,
        now_ns: int,
        queue_bytes: int,
        queue_packets: int,
        packet_bytes: int,
        *,
        flows: int = 1,
        random: int = 0,
        ecn_capable: bool = False,
    ) -> str:
        """The verdict: "pass", "drop", "mark" or "signal"."""
    def accepted(
        self,
        now_ns: int,
        queue_bytes: int,
        queue_packets: int,
        packet_bytes: int,
        *,
        flows: int = 1,
        controlled: bool = True,
    ) -> None: ...
    def overflow(
        self, now_ns: int, queue_bytes: int, queue_packets: int, packet_bytes: int
    ) -> None: ...
    def leave(
        self,
        now_ns: int,
        queue_bytes: int,
        queue_packets: int,
        packet_bytes: int,
        *,
        queued_ns: int = 0,
        random: int = 0,
        ecn_capable: bool = False,
    ) -> str:
        """The verdict on the head of the queue."""
    def left(
        self,
        now_ns: int,
        queue_bytes: int,
        queue_packets: int,
        packet_bytes: int,
        *,
        flows: int = 1,
    ) -> None: ...
    def tick(
        self,
        now_ns: int,
        queue_bytes: int,
        queue_packets: int,
        *,
        flows: int = 1,
        others_use_q15: int = 0,
        inferred: bool = False,
    ) -> None: ...
    def ack(
        self,
        now_ns: int,
        queue_bytes: int,
        queue_packets: int,
        window_bytes: int,
        *,
        flows: int = 1,
        random: int = 0,
        rtt_ns: int = 0,
        granule_bytes: int = 1,
        flight_bytes: int = 0,
        granted_bytes: int = 0,
        acked_bytes: int = 0,
        fills: bool = False,
        more: bool = True,
        opens: bool = False,
        opening: int = 0,
        silent_q15: int = 0,
    ) -> int:
        """Bytes that law and signal allow, at most `window_bytes`."""
    def next_flow(self) -> None:
        """ACKs from now on are of a flow that is new."""

class SenderControl:
    """One congestion-control method, driven by hand: for tests."""

    def __init__(
        self,
        method: str,
        *,
        cwnd_bytes: int,
        ssthresh_bytes: int,
        mss_bytes: int = 1448,
        params: dict[str, int] = {},
    ) -> None: ...
    cwnd_bytes: int
    ssthresh_bytes: int
    @property
    def una(self) -> int:
        """Offset in the stream of the first byte that is not acknowledged."""
    @property
    def state(self) -> dict[str, int]: ...
    def init(self, now_ns: int, *, sent: int = 0, window_bytes: int = 0, rtt_ns: int = 0) -> None:
        """The connection is established; `sent` bytes are already under way."""
    def ack(
        self,
        now_ns: int,
        acked_bytes: int,
        *,
        flight_bytes: int,
        rtt_ns: int = 0,
        srtt_ns: int = 0,
        min_rtt_ns: int = 0,
        cwnd_limited: bool = True,
        recovery: bool = False,
        window_bytes: int = 0,
        echoes: bool = False,
    ) -> None:
        """New data acknowledged, with ECE if it `echoes`.

        In a `recovery` the method only takes its sample.
        """
    def steer(
        self,
        now_ns: int,
        *,
        srtt_ns: int,
        delivery: dict[str, int],
        lost: list[dict[str, int]] = ...,
    ) -> None:
        """An ACK to a method with a rate, after the segments that it found lost.

        `delivery` and each of `lost` as in core/sender/sender.h.
        """
    def restart(self, now_ns: int) -> None:
        """Data leaves after a pause, of a method with a rate."""
    def recovered(self, now_ns: int) -> None:
        """The recovery is over."""
    def congestion(
        self, now_ns: int, why: str, *, flight_bytes: int, srtt_ns: int = 0, min_rtt_ns: int = 0
    ) -> int:
        """`why`: loss, ecn or timeout. Returns and stores the new ssthresh."""

class Window:
    """The window rules of core/rewrite for one flow, driven by hand."""

    def __init__(self, mode: str, *, mss_bytes: int = 1448) -> None: ...
    def syn(self, forward: bool, option: int) -> None:
        """`option`: the window scale shift, 255 without one."""
    def data(self, seq: int, payload_bytes: int) -> None: ...
    def ack(
        self, ack: int, field: int, allowed_bytes: int, *, syn: bool = False, pure: bool = True
    ) -> tuple[int, str]:
        """The field sent on, and the name in limits() of the rule that decided."""
    @property
    def scale(self) -> int: ...

class HostSegment:
    """A segment to or from a Host; an option that it does not carry is None or empty."""

    seq: int
    ack: int
    flags: int  # the header's octet
    ecn: int  # the codepoint of IP
    window: int  # the field
    payload_bytes: int
    mss_bytes: int | None
    scale: int | None
    sack_permitted: bool
    timestamps: tuple[int, int] | None  # value and echo
    sack: list[tuple[int, int]]
    accecn: tuple[int, list[int]] | None  # kind of accurate ECN's option, and its counters
    @property
    def at_ns(self) -> int: ...  # when it left

class HostInfo:
    """What a program may ask of its connection, as in Linux' struct tcp_info."""

    cwnd_segments: int
    ssthresh_segments: int
    unacked_segments: int
    sacked_segments: int
    retransmissions: int
    mss_bytes: int
    advertised_mss_bytes: int
    acked_bytes: int
    received_bytes: int
    unsent_bytes: int
    rto_ns: int
    srtt_ns: int
    rttvar_ns: int
    fast_recovery: bool
    timed_out: bool
    disorder: bool
    reducing: bool
    ce_packets: int  # that left, as accurate ECN says
    ce_bytes: int
    ect0_bytes: int
    ect1_bytes: int
    ce_received: int

class Host:
    """One end of a connection, both halves of it, driven by hand: for packetdrill's scripts.

    `sender` and `receiver` are fields of the endpoints' configuration, by name.
    """

    def __init__(
        self, sender: dict[str, Any], receiver: dict[str, Any], initial_seq: int = 0
    ) -> None: ...
    def open(self, now_ns: int) -> None:
        """Sends the first SYN."""
    def segment(self, segment: HostSegment, now_ns: int) -> None:
        """A segment arrives."""
    def timer(self, now_ns: int) -> None:
        """The time of `next_timer_ns` has come."""
    def write(self, size_bytes: int, now_ns: int) -> None: ...
    def close(self, now_ns: int) -> None:
        """No more data: the FIN follows what was written."""
    def set_nagle(self, on: bool, now_ns: int) -> None: ...
    def take(self) -> list[HostSegment]:
        """What has left since the last call."""
    def info(self) -> HostInfo: ...
    @property
    def next_timer_ns(self) -> int | None: ...
    @property
    def established(self) -> bool: ...
    @property
    def reset(self) -> bool: ...  # by the peer
    @property
    def peer_closed(self) -> bool: ...
    @property
    def done(self) -> bool: ...  # all data and the FIN are acknowledged
