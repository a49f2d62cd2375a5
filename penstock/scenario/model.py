# SPDX-License-Identifier: GPL-2.0-only
"""What a scenario is, once read: docs/scenario-format.md describes each key for users.

Sizes are bytes, rates bit/s, times ns. check.py checks tables and names against each other.
"""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from penstock import _native
from penstock.scenario import options, traffic_keys
from penstock.scenario.distributions import Distribution, TimeDistribution
from penstock.scenario.files import TraceFile, TransferFile
from penstock.scenario.statements import Paper
from penstock.scenario.table import Flows, Name, Table
from penstock.scenario.types import (
    CONGESTION,
    FLOWS,
    MAX_SEEDS,
    BackDelay,
    Colour,
    Count,
    Metres,
    Rate,
    Ratio,
    Size,
    Span,
    Start,
    Time,
    Window,
    number,
    one_of,
    size,
    whole,
)

MODES: Final = tuple(name for name, _ in _native.modes())
Mode = Annotated[str, one_of(MODES)]
ShareBy = Annotated[str, one_of([name for name, _ in _native.share_bys()])]
Beyond = Annotated[str, one_of([name for name, _ in _native.beyonds()])]
Signal = Annotated[str, one_of([name for name, _ in _native.signals()])]
Scalar = str | int | float | bool

WIRE: Final = "wire"
RADIO: Final = "802.11g"
LAN: Final = "csma-cd"
_RADIO_KEYS: Final = ("mtu", "queue", "queue_packets")
# Which no other medium has.
WIRE_KEYS: Final = (
    *(option.key for option in options.LINK if option.key not in _RADIO_KEYS),
    *("trace", "change", "back"),
)
_SECOND: Final = 10**9
_MS: Final = 10**6

# What sim/net and ns-3 take.
Payload = Annotated[int, *size(1, 65000)]


class About(Table):
    """[scenario]: what this is, for people."""

    title: str
    about: str = ""
    source: str = ""
    reproduces: str = ""


class Sweep(Table):
    """[sweep]: what is run when the command line does not say otherwise.

    Any other key has a dot and is one that --set takes, with the values to run.
    """

    model_config = ConfigDict(extra="allow", defer_build=True)
    __pydantic_extra__: dict[str, Annotated[list[Scalar], Field(min_length=1)]]

    methods: Annotated[list[Name], Field(min_length=1)]
    flows: Annotated[list[Flows], Field(min_length=1)]
    receivers: Annotated[list[Window], Field(min_length=1)] = ["65535"]
    seeds: Annotated[int, whole(1, MAX_SEEDS)] = 5
    mode: Mode = "safe"

    def axes(self) -> dict[str, list[Scalar]]:
        """The keys that are swept, with their values."""
        return dict(self.__pydantic_extra__ or {})


class Topology(Table):
    """[topology]: hosts and routers; a name stands for one node or for a row of them.

    With `offloads`, which Linux alone has, devices join segments (TSO, GSO, GRO).
    """

    shape: Literal["dumbbell"] | None = None
    nodes: dict[Name, Count] = {}
    offloads: bool | None = None


class Change(Table):
    """[[link.NAME.change]]: what is another value from a time on, in both directions."""

    at: Time
    rate: Rate | None = None
    delay: BackDelay | None = None
    loss: Ratio | None = None


class BackTrace(Table):
    """[link.NAME.back]: what differs in the direction from `to` to `from`."""

    trace: TraceFile | None = None


if TYPE_CHECKING:

    class Back(BackTrace):
        """With the keys of core/tables/link_keys.h; here are those read by their names."""

        rate: int | None = None
        delay: int | None = None
        mtu: int | None = None
        queue: int | None = None
        queue_packets: int | None = None
else:
    Back = options.changed("Back", BackTrace, options.LINK)


class LinkEnds(Table):
    """[link.NAME]: a duplex link, or as many as the nodes at its ends ask for.

    A wire has a rate and a delay, each link of a row its own if the delay is drawn from a
    span. On 802.11g, `from` is the access point: its stations share one channel and its queue.
    On csma-cd, all nodes at both ends share one cable, and each has one queue. Links of the same
    `cable` share one.
    """

    start: Annotated[str, Field(alias="from")] = ""
    end: Annotated[str, Field(alias="to")] = ""
    medium: Literal["wire", "802.11g", "csma-cd"] = "wire"
    distance_m: Metres | None = None
    cable: str | None = None
    trace: TraceFile | None = None
    change: list[Change] | None = None
    back: Back = Back.model_construct()


if TYPE_CHECKING:

    class Link(LinkEnds):
        """Likewise."""

        rate: int | None
        delay: Span | None
        mtu: int
        queue: int | None
        queue_packets: int | None
        phantom: bool
        loss: float
else:
    Link = options.model("Link", LinkEnds, options.LINK)


class Gateway(Table):
    """[gateway.NAME]: where a method works; the swept one unless `method` fixes it."""

    link: Name
    direction: Literal["forward", "back"] = "forward"
    method: Name | None = None
    mode: Mode | None = None
    share_by: ShareBy | None = None
    beyond: Beyond | None = None
    rate: Literal["auto"] | None = None
    source: Literal["passive"] | None = None


class Measure(Table):
    """[measure]: the queue that the table is about; the first gateway's by default."""

    link: Name
    direction: Literal["forward", "back"] = "forward"


class TrafficKind(Table):
    """[tcp.NAME.traffic]: what each user of the group sends, and when."""

    kind: Literal["web", "on-off", "trace"]
    transfers: Annotated[int, whole(1, 1_000_000_000)] | None = None
    persistent: bool | None = None
    company: bool = False
    rate: Rate | None = None
    file: TransferFile | None = None


if TYPE_CHECKING:

    class Traffic(TrafficKind):
        """With the keys of core/tables/traffic_keys.h; here are those read by their names."""

        session: Distribution
        pages: Distribution
        reading: Distribution
        objects: Distribution
        size: Distribution
        on: Distribution | None
        off: Distribution
        interval: int
        write: int | None
else:
    Traffic = traffic_keys.model("Traffic", TrafficKind)


class Group(Table):
    """What groups of flows have in common."""

    source: Annotated[Name, Field(alias="from")]
    sink: Annotated[Name, Field(alias="to")]
    count: Count

    def members(self, flows: int) -> int:
        """How many flows the group has in a run of `flows` flows."""
        return number(self.count, flows)


class TcpGroup(Group):
    """[tcp.NAME]: a group of TCP connections of one kind."""

    count: Count = FLOWS
    size: Size | None = None
    traffic: Traffic | None = None
    start: Start = Span(0, 0)
    opened_by: Literal["sender", "receiver"] = "sender"
    congestion: Annotated[str, Field(pattern=CONGESTION)] = "cubic"
    window: Window | None = None
    pacing_gain: Annotated[float, Field(ge=0.01, le=100, allow_inf_nan=False)] | None = None
    sharing: Name | None = None
    controlled: bool = True
    mark: Annotated[int, whole(0, 2**32 - 1)] = 0
    growth: Literal["bytes", "acks"] = "bytes"


if TYPE_CHECKING:

    class Tcp(TcpGroup):
        """With the options of core/tables/tcp_options.h; here are those read by their names."""

        quic: bool
        segment: int
        window_max: int
        sack: bool
        timestamps: bool
        ecn: bool
        hystart: bool
        prr: bool
        rack: bool
        pacing: bool
        initial_ssthresh: int | None
        rto_min: int
        rto_max: int
else:
    Tcp = options.model("Tcp", TcpGroup, options.TCP)


class Udp(Group):
    """[udp.NAME]: constant-rate UDP; the rate counts payload bytes."""

    count: Count = 1
    rate: Rate
    payload: Payload
    start: Start = Span(0, 0)
    stop: Time | None = None


class Mobility(Table):
    """[mobility]: receivers that move between cells, and what Freeze-TCP does about it."""

    cells: Annotated[list[Name], Field(min_length=1)]
    dwell: TimeDistribution
    outage: TimeDistribution
    freeze: bool = False
    wake_rtts: Annotated[int, whole(1, 1000)] = 2
    wakes: Annotated[int, whole(1, 10_000)] = 64


class Clock(Table):
    """[time]: when a run is given up, and from when on its columns count."""

    limit: Time = 100_000 * _SECOND
    warm_up: Time | None = None


class Sample(Table):
    """[sample]: the series over time, taken in the first seed of each combination."""

    interval: Time
    flows: Annotated[int, whole(1, 1000)] = 1
    until: Time | None = None


class OwnVariant(Table):
    """[variant.NAME]: a discipline, a law and a signal under a name of the scenario's own.

    What is not said is that of `base`; `params` are parameters of both parts.
    """

    base: Name = "droptail"
    discipline: Annotated[str, Field(min_length=1)] | None = None
    law: Name | None = None
    signal: Signal | None = None
    sender: Name | None = None
    sharing: Name | None = None
    ecn: bool | None = None
    label: str = ""
    colour: Colour = ""
    params: dict[str, Scalar] = {}


class Scenario(Table):
    """A whole scenario file."""

    scenario: About
    sweep: Sweep
    topology: Topology
    link: Annotated[dict[Name, Link], Field(min_length=1)]
    gateway: Annotated[dict[Name, Gateway], Field(min_length=1)]
    measure: Measure | None = None
    tcp: Annotated[dict[Name, Tcp], Field(min_length=1)]
    udp: dict[Name, Udp] = {}
    mobility: Mobility | None = None
    time: Clock = Clock.model_construct()
    sample: Sample | None = None
    method: dict[Name, dict[str, Scalar]] = {}
    variant: dict[Name, OwnVariant] = {}
    sender: dict[Name, dict[str, Scalar]] = {}
    paper: Paper | None = None

    def setup(self) -> dict[str, Any]:
        """What determines a run's result, canonically: no titles, no sweep, no paper."""
        return self.model_dump(
            mode="json", by_alias=True, exclude={"scenario", "sweep", "paper"}, exclude_none=True
        )
