# SPDX-License-Identifier: GPL-2.0-only
"""[tcp.NAME] and [udp.NAME]: groups of flows, and of users."""

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field

from penstock.scenario import options, params, traffic_keys
from penstock.scenario.distributions import Distribution
from penstock.scenario.files import TransferFile
from penstock.scenario.table import Name, Table, key
from penstock.scenario.types import (
    CONGESTION,
    FLOWS,
    Count,
    Rate,
    Size,
    Span,
    Start,
    Window,
    number,
    whole,
)

_AT_ONCE: Final = '`"0s"`'
_SHARINGS: Final = ", ".join(f"`{name}`" for name in params.sharings())


class TrafficKind(Table):
    """The sort of users."""

    kind: Annotated[Literal["web", "on-off", "trace"], *key('`"web"`, `"on-off"` or `"trace"`')]


if TYPE_CHECKING:

    class TrafficUsers(TrafficKind):
        """With the keys of core/tables/traffic_keys.h that several kinds have."""

        transfers: int | None = None
        persistent: bool | None = None
        company: bool
else:
    TrafficUsers = options.model("TrafficUsers", TrafficKind, options.USERS)


class TrafficSource(TrafficUsers):
    """[tcp.NAME.traffic]: what each user of the group sends, and when."""

    rate: Annotated[
        Rate | None,
        *key("the rate at which the application writes", "required without `write`", ("on-off",)),
    ] = None
    file: Annotated[
        TransferFile | None,
        *key(
            "text file, relative to the scenario: on each line a time in seconds after the user's "
            "start and a size in bytes; `#` starts a comment",
            "required",
            ("trace",),
        ),
    ] = None


if TYPE_CHECKING:

    class Traffic(TrafficSource):
        """With the keys there of a kind."""

        session: Distribution
        pages: Distribution
        reading: Distribution
        objects: Distribution
        size: Distribution
        on: Distribution | None = None
        off: Distribution
        interval: int
        write: int | None = None
else:
    Traffic = traffic_keys.model("Traffic", TrafficSource, traffic_keys.KINDS)


class Group(Table):
    """What groups of flows have in common."""

    source: Annotated[
        Name, Field(alias="from"), *key("node names; flows take the nodes of a row in turn")
    ]
    sink: Annotated[Name, Field(alias="to"), *key("likewise")]
    count: Count

    def members(self, flows: int) -> int:
        """How many flows the group has in a run of `flows` flows."""
        return number(self.count, flows)


class TcpGroup(Group):
    """[tcp.NAME]: a group of TCP connections of one kind."""

    count: Annotated[Count, *key("connections, or users")] = FLOWS
    size: Annotated[
        Size | None, *key("bytes that each flow transfers", "required, except for users")
    ] = None
    traffic: Traffic | None = None
    start: Annotated[Start, *key("when they start", _AT_ONCE)] = Span(0, 0)
    opened_by: Annotated[
        Literal["sender", "receiver"],
        *key(
            'or `"receiver"`, as downloads are: it sends the SYN at `start`, the sender answers, '
            "and the ACK of that stands for the request. Not with senders whose header begins on "
            "their own SYN (`xcp_sender`, `fba_sender`, `quick_start_sender`, `antiecn_sender`), "
            "and not with ns-3"
        ),
    ] = "sender"
    congestion: Annotated[
        str,
        Field(pattern=CONGESTION),
        *key(
            'see `penstock methods`; `"kernel:NAME"` is a congestion control of Linux, for '
            "`--backend live`"
        ),
    ] = "cubic"
    window: Annotated[Window | None, *key("receive window of this group", "the sweep's")] = None
    sharing: Annotated[
        Name | None,
        *key(
            f"how the group's connections between two hosts share state: {_SHARINGS} (`spand` also "
            "with the other hosts of the LAN)",
            "none",
        ),
    ] = None
    controlled: Annotated[
        bool, *key("false: gateways bypass the connections, as they do QUIC's; not for users")
    ] = True
    mark: Annotated[
        int,
        whole(0, 2**32 - 1),
        *key(
            'of the group\'s packets, for gateways with `share_by = "mark"`; only in the simulator'
        ),
    ] = 0


if TYPE_CHECKING:

    class Tcp(TcpGroup):
        """With the options of core/tables/tcp_options.h."""

        quic: bool
        segment: int
        initial_window: int
        initial_ssthresh: int | None = None
        hold_cwnd: bool
        rto_initial: int
        rto_min: int
        rto_max: int
        sack: bool
        timestamps: bool
        timestamp_tick: int
        clock_skew: int
        window_scale: bool
        limited_transmit: bool
        ecn: bool
        accecn: bool
        nagle: bool
        hystart: bool
        prr: bool
        rack: bool
        pacing: bool
        pacing_burst: int
        pacing_gain: float | None = None
        growth: str
        window_option: bool
        count_feedback: bool
        feedback: bool
        forge_feedback: bool
        repeat_syn_ack: bool
        delayed_ack: int
        delayed_ack_timeout: int
        window_max: int
        scaling_ratio: int
        rcvbuf_slow_start: bool
        rcvbuf_low_rtt: int
        retract_period: int | None = None
else:
    Tcp = options.model("Tcp", TcpGroup, options.TCP)


class UdpGroup(Group):
    """[udp.NAME]: UDP at a constant rate or as of video; the rate counts payload bytes."""

    count: Annotated[Count, *key("sources")] = 1
    start: Annotated[Start, *key("when they start", _AT_ONCE)] = Span(0, 0)


if TYPE_CHECKING:

    class Udp(UdpGroup):
        """With the keys of core/tables/udp_keys.h."""

        rate: int
        payload: int
        stop: int | None = None
        frame: int | None = None
        group: int
        intra: int
        scene: int | None = None
        peak: int | None = None
        first: int | None = None
        spared: bool
        unanswered: bool
else:
    Udp = options.model("Udp", UdpGroup, options.UDP)
