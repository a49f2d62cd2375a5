# SPDX-License-Identifier: GPL-2.0-only
"""A network as data: what every backend reads, and none adds to.

Nodes, links and flows are known by their place in the network's lists. A backend
refuses with a ValueError what it has no counterpart of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from penstock.scenario import options
from penstock.scenario.model import LAN, RADIO, WIRE, Traffic
from penstock.scenario.model import Mobility as Moves

Value = int | bool | float | str | dict[str, int]

_BITS_NS: Final = 8 * 10**9


@dataclass(frozen=True)
class Change:
    """A change of a link's direction from `at_ns` on; None: unchanged."""

    at_ns: int
    rate_bps: int | None
    delay_ns: int | None
    loss_ratio: float | None


class _OfRows:
    """With fields that are rows of core/tables/."""

    rows: ClassVar[Sequence[options.Option]]

    def fields(self) -> dict[str, Any]:
        """Those by name."""
        return {row.name: getattr(self, row.name) for row in self.rows}


def _with_fields(name: str, base: type, rows: Iterable[options.Option]) -> Any:
    """The dataclass `base` with the fields of rows of core/tables/."""
    values = {row.name: options.initial(row) for row in rows}
    fields = [(field_, type(value), value) for field_, value in values.items()]
    space = {"__module__": __name__, "__doc__": base.__doc__}
    return make_dataclass(name, fields, bases=(base,), namespace=space, frozen=True)


@dataclass(frozen=True)
class _Wire(_OfRows):
    """One direction of a link. Queue limits of 0: unlimited.

    `trace_ms` are opportunities to send 1,500 bytes, in place of the rate, repeated at their
    end. `drop_data_packets` numbers, from 0, the data packets that are lost, for scripted tests.
    """

    medium: ClassVar[str] = WIRE
    rows = options.LINK

    src: int
    dst: int
    changes: Sequence[Change] = field(default=(), kw_only=True)
    trace_ms: Sequence[int] = field(default=(), kw_only=True)
    drop_data_packets: Sequence[int] = field(default=(), kw_only=True)


if TYPE_CHECKING:

    class Wire(_Wire):
        """With the fields of core/tables/link_keys.h."""

        rate_bps: int
        delay_ns: int
        mtu_bytes: int
        overhead_bytes: int
        queue_bytes: int
        queue_packets: int
        device_packets: int
        phantom: bool
        cut_through: bool
        loss_ratio: float

        def __init__(self, src: int, dst: int, *fields: Value, **more: Any) -> None: ...
else:
    Wire = _with_fields("Wire", _Wire, options.LINK)


def crossing_ns(wire: Wire, packet_bytes: int) -> int:
    """From when an IP packet enters a wire to its arrival, at the first rate and delay."""
    wire_bytes = packet_bytes + wire.overhead_bytes
    return wire_bytes * _BITS_NS // wire.rate_bps + wire.delay_ns


@dataclass(frozen=True)
class Radio:
    """One direction between an access point and a station on 802.11g.

    The access point has one queue, whose limits, gateway and counters are those of its
    first link.
    """

    medium: ClassVar[str] = RADIO

    src: int
    dst: int
    distance_m: float
    mtu_bytes: int
    queue_bytes: int
    queue_packets: int


Link = Wire | Radio


@dataclass(frozen=True)
class Cable:
    """A cable with CSMA/CD; `links` are the wires that share it."""

    medium: ClassVar[str] = LAN

    links: Sequence[int]


@dataclass(frozen=True)
class Gateway:
    """A discipline and a law on a link's queue; `params` as core/ takes them."""

    link: int
    discipline: str  # of core/'s registry, or kernel:NAME
    law: str
    signal: str
    mode: str
    params: Mapping[str, int] = field(default_factory=dict)
    share_by: str = "flow"
    beyond: str = "none"
    rate: str = "link"  # or auto: as it measures it; or passive, upstream: of a queue elsewhere


@dataclass(frozen=True)
class _Sender:
    """Fields of SenderConfig (sim/tcp/config.h); `params` are those of its congestion control."""

    method: str
    params: dict[str, int] = field(default_factory=dict)
    sharing: str = ""

    def fields(self) -> dict[str, Value]:
        """By name."""
        return dict(vars(self))


@dataclass(frozen=True)
class _Receiver:
    """Fields of ReceiverConfig (sim/tcp/config.h)."""

    def fields(self) -> dict[str, Value]:
        """By name."""
        return dict(vars(self))


if TYPE_CHECKING:

    class Sender(_Sender):
        """With its options."""

        quic: bool
        mss_bytes: int
        initial_window_segments: int
        initial_ssthresh_segments: int
        hold_cwnd: bool
        initial_rto_ns: int
        linear_syns: int
        min_rto_ns: int
        rto_granularity_ns: int
        max_rto_ns: int
        dupack_threshold: int
        sack: bool
        timestamps: bool
        timestamp_tick_ns: int
        clock_skew_ppm: int
        window_scale: bool
        limited_transmit: bool
        ecn: bool
        accecn: bool
        accecn_option: bool
        nagle: bool
        minshall: bool
        restart_after_idle: bool
        hystart: bool
        prr: bool
        prr_safe_ack: bool
        ssthresh_of_cwnd: bool
        rack: bool
        pacing: bool
        pacing_burst_segments: int
        pacing_gain_percent_slow_start: int
        pacing_gain_percent: int
        growth: str
        recovery_timer: str
        window_option: bool
        count_feedback: bool

        def __init__(self, method: str, **fields: Value) -> None: ...

    class Receiver(_Receiver):
        """Likewise."""

        mss_bytes: int
        initial_rto_ns: int
        sack: bool
        dsack: bool
        timestamps: bool
        timestamp_tick_ns: int
        clock_skew_ppm: int
        window_scale: bool
        ecn: bool
        accecn: bool
        accecn_option: bool
        exact_ecn: bool
        feedback: bool
        forge_feedback: bool
        opens: bool
        repeat_syn_ack: bool
        delayed_ack_segments: int
        delayed_ack_ns: int
        lazy_fin_ack: bool
        buffer_bytes: int
        max_buffer_bytes: int
        autotune: bool
        scaling_ratio: int
        rcvbuf_slow_start: bool
        rcvbuf_low_rtt_ns: int
        retract_period_ns: int
        freeze: bool
        freeze_wake_rtts: int
        freeze_wakes: int

        def __init__(self, **fields: Value) -> None: ...
else:
    Sender = _with_fields("Sender", _Sender, (row for row in options.TCP if row.sender))
    Receiver = _with_fields(
        "Receiver", _Receiver, (row for row in (*options.TCP, *options.FREEZE) if row.receiver)
    )


@dataclass(frozen=True)
class Tcp:
    """A connection that carries `size_bytes` from `src` to `dst`; gateways may bypass it."""

    src: int
    dst: int
    start_ns: int
    size_bytes: int
    sender: Sender
    receiver: Receiver
    controlled: bool = True
    mark: int = 0


@dataclass(frozen=True)
class _Udp(_OfRows):
    """Constant bit rate, counted over payload bytes; stop_ns 0: until the last TCP is done."""

    rows = options.UDP

    src: int
    dst: int
    start_ns: int


if TYPE_CHECKING:

    class Udp(_Udp):
        """With the fields of core/tables/udp_keys.h."""

        rate_bps: int
        payload_bytes: int
        stop_ns: int
        frame_ns: int
        group_frames: int
        intra_times: int
        scene_ns: int
        peak_bps: int
        first_bps: int
        spared: bool
        unanswered: bool

        def __init__(self, src: int, dst: int, start_ns: int, *_: int, **fields: Any) -> None: ...
else:
    Udp = _with_fields("Udp", _Udp, options.UDP)


@dataclass(frozen=True)
class Users:
    """A group of users, one for each of `starts_ns`, that take `ends` (src, dst) in turn."""

    name: str
    ends: Sequence[tuple[int, int]]
    starts_ns: Sequence[int]
    source: Traffic
    sender: Sender
    receiver: Receiver
    mark: int = 0


Flow = Tcp | Udp


@dataclass(frozen=True)
class Mobility:
    """Receivers at any of `cells` (nodes) move between them."""

    cells: Sequence[int]
    moves: Moves


@dataclass(frozen=True)
class _Clock(_OfRows):
    """When a run ends, and from when on it counts."""

    rows = options.TIME


@dataclass(frozen=True)
class _Sample(_OfRows):
    """The series that a run keeps: of queues of links, and of windows of flows."""

    rows = options.SAMPLE

    links: Sequence[int]
    flows: Sequence[int]


if TYPE_CHECKING:

    class Clock(_Clock):
        """With the fields of core/tables/run_keys.h."""

        until_ns: int
        warm_up_ns: int

        def __init__(self, until_ns: int, **fields: Any) -> None: ...

    class Sample(_Sample):
        """Likewise."""

        interval_ns: int

        def __init__(self, links: Sequence[int], flows: Sequence[int], **fields: Any) -> None: ...
else:
    Clock = _with_fields("Clock", _Clock, options.TIME)
    Sample = _with_fields("Sample", _Sample, options.SAMPLE)


@dataclass(frozen=True)
class Capture:
    """A capture of the packets that leave on a link, as a pcap file."""

    link: int
    path: str


@dataclass(frozen=True)
class Network:
    """A whole network. Flows are numbered in their order within `traffic`, without users."""

    seed: int
    nodes: Sequence[str] = ()
    links: Sequence[Link] = ()
    cables: Sequence[Cable] = ()
    gateways: Sequence[Gateway] = ()
    traffic: Sequence[Flow | Users] = ()
    mobility: Mobility | None = None
    sample: Sample | None = None
    captures: Sequence[Capture] = ()
    # Links at whose queues delays are told apart, and the number of the group of each of `traffic`.
    delay_links: Sequence[int] = ()
    delay_groups: Sequence[int] = ()

    @property
    def flows(self) -> list[Flow]:
        """The flows by number."""
        return [each for each in self.traffic if not isinstance(each, Users)]
