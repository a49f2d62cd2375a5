# SPDX-License-Identifier: GPL-2.0-only
"""What a scenario is, once read: docs/scenario-format.md describes each key for users.

Sizes are bytes, rates bit/s, times ns. check.py checks tables and names against each other.
"""

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from penstock import _native
from penstock.scenario import options, traffic_keys
from penstock.scenario.files import TraceFile
from penstock.scenario.groups import Tcp as Tcp
from penstock.scenario.groups import Traffic as Traffic
from penstock.scenario.groups import Udp as Udp
from penstock.scenario.statements import Paper
from penstock.scenario.table import Flows, Name, Table, key
from penstock.scenario.types import (
    MAX_SEEDS,
    BackDelay,
    Colour,
    Count,
    Delay,
    Metres,
    Rate,
    Ratio,
    Span,
    Time,
    Window,
    one_of,
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
    *("rtt", "trace", "change", "back"),
)
_NOT_IN_DUMBBELLS: Final = "required, except in a dumbbell"
_SWEPT: Final = "the sweep's"
_UNCHANGED: Final = "unchanged"
_OF_BASE: Final = "that of `base`"
_MS: Final = 10**6


class About(Table):
    """[scenario]: what this is, for people."""

    title: Annotated[str, *key("shown by `penstock list` and the report")]
    about: Annotated[str, *key("likewise, in more words")] = ""
    source: Annotated[str, *key("where it is from, such as a section of a paper")] = ""
    reproduces: Annotated[str, *key("what of that it reproduces")] = ""


class Sweep(Table):
    """[sweep]: what is run when the command line does not say otherwise.

    Any other key has a dot and is one that --set takes, with the values to run.
    """

    model_config = ConfigDict(extra="allow", defer_build=True)
    __pydantic_extra__: dict[str, Annotated[list[Scalar], Field(min_length=1)]]

    methods: Annotated[
        list[Name], Field(min_length=1), *key("gateway methods, see `penstock methods`")
    ]
    flows: Annotated[list[Flows], Field(min_length=1), *key("numbers of flows")]
    receivers: Annotated[list[Window], Field(min_length=1), *key("receive windows")] = ["65535"]
    seeds: Annotated[
        int, whole(1, MAX_SEEDS), *key("runs of each combination; seeds count from 1")
    ] = 5
    mode: Annotated[
        Mode,
        *key(
            "how windows are written: safe, strict or literal "
            "(see [window-rules.md](methods/window-rules.md#modes))"
        ),
    ] = "safe"

    def axes(self) -> dict[str, list[Scalar]]:
        """The keys that are swept, with their values."""
        return dict(self.__pydantic_extra__ or {})


class Topology(Table):
    """[topology]: hosts and routers; a name stands for one node or for a row of them.

    With `offloads`, which Linux alone has, devices join segments (TSO, GSO, GRO).
    """

    shape: Annotated[
        Literal["dumbbell"] | None, *key('`"dumbbell"`: nodes and ends of links, see below')
    ] = None
    nodes: Annotated[
        dict[Name, Count], *key("`{ name = count, ... }`: each name stands for `count` nodes")
    ] = {}
    offloads: Annotated[
        bool | None,
        *key(
            "true: devices use TSO, GSO and GRO, as they do by default outside the lab; only with "
            "`--backend live`",
            "false",
        ),
    ] = None


class Change(Table):
    """[[link.NAME.change]]: what is another value from a time on, in both directions."""

    at: Annotated[Time, *key("from when on")]
    rate: Annotated[Rate | None, *key("bits per second", _UNCHANGED)] = None
    delay: Annotated[BackDelay | None, *key("one-way propagation delay", _UNCHANGED)] = None
    loss: Annotated[Ratio | None, *key("fraction of packets lost at random", _UNCHANGED)] = None


class BackTrace(Table):
    """[link.NAME.back]: what differs in the direction from `to` to `from`."""

    trace: Annotated[TraceFile | None, *key("a file of transmission opportunities", "none")] = None


if TYPE_CHECKING:

    class Back(BackTrace):
        """With the keys of core/tables/link_keys.h."""

        rate: int | None = None
        delay: int | None = None
        mtu: int | None = None
        overhead: int | None = None
        queue: int | None = None
        queue_packets: int | None = None
        device_packets: int | None = None
        phantom: bool | None = None
        cut_through: bool | None = None
        loss: float | None = None
else:
    Back = options.changed("Back", BackTrace, options.LINK)


class LinkEnds(Table):
    """[link.NAME]: a duplex link, or as many as the nodes at its ends ask for.

    A wire has a rate and a delay, each link of a row its own if the delay is drawn from a
    span. On 802.11g, `from` is the access point: its stations share one channel and its queue.
    On csma-cd, all nodes at both ends share one cable, and each has one queue. Links of the same
    `cable` share one.
    """

    start: Annotated[str, Field(alias="from"), *key("node names", _NOT_IN_DUMBBELLS)] = ""
    end: Annotated[str, Field(alias="to"), *key("likewise", _NOT_IN_DUMBBELLS)] = ""
    medium: Annotated[
        Literal["wire", "802.11g", "csma-cd"], *key('or `"802.11g"`, `"csma-cd"`, see below')
    ] = "wire"
    distance_m: Annotated[
        Metres | None,
        *key("from the access point to each station", 'required with `medium = "802.11g"`'),
    ] = None
    cable: Annotated[
        str | None,
        *key('with `medium = "csma-cd"`: a name; links of the same one share it', "one of its own"),
    ] = None
    rtt: Annotated[
        Delay | None,
        *key("in place of `delay`: this link's delay in both directions, half of it in each"),
        Field(exclude=True),  # `delay` says it
    ] = None
    trace: Annotated[
        TraceFile | None,
        *key("a file of transmission opportunities, in place of the rate; see below", "none"),
    ] = None
    change: list[Change] | None = None
    back: Back = Back.model_construct()

    @model_validator(mode="after")
    def _halve(self) -> Self:
        if self.rtt is None:
            return self
        if "delay" in self.model_fields_set or self.back.delay is not None:
            other = "back.delay" if self.back.delay is not None else "delay"
            raise ValueError(f"'rtt' and '{other}' say the same; leave one of them out")
        half = Span(self.rtt.first_ns // 2, self.rtt.last_ns // 2)
        self.__dict__["delay"] = half
        self.model_fields_set.add("delay")
        return self


if TYPE_CHECKING:

    class Link(LinkEnds):
        """Likewise."""

        rate: int | None = None
        delay: Span | None = None
        mtu: int
        overhead: int
        queue: int | None = None
        queue_packets: int | None = None
        device_packets: int
        phantom: bool
        cut_through: bool
        loss: float
else:
    Link = options.model("Link", LinkEnds, options.LINK)


class Gateway(Table):
    """[gateway.NAME]: where a method works; the swept one unless `method` fixes it."""

    link: Annotated[Name, *key("whose queue the method controls")]
    direction: Annotated[Literal["forward", "back"], *key('or `"back"`')] = "forward"
    method: Annotated[Name | None, *key("in place of the swept one", _SWEPT)] = None
    mode: Annotated[Mode | None, *key("how windows are written", _SWEPT)] = None
    share_by: Annotated[
        ShareBy | None,
        *key('or `"host"`, `"mark"`: among whom methods divide the link, see below', '`"flow"`'),
    ] = None
    beyond: Annotated[
        Beyond | None,
        *key('or `"pace-acks"`: ACKs wait while no flow has room for a segment', '`"none"`'),
    ] = None
    rate: Annotated[
        Literal["auto"] | None,
        *key('`"auto"`: measured from what leaves the queue, at first 1 Mbit/s', "the link's"),
    ] = None
    source: Annotated[
        Literal["passive", "upstream"] | None,
        *key(
            '`"passive"` or `"upstream"`, beside `rate = "auto"`: the bottleneck is another link, '
            "see below",
            "none",
        ),
    ] = None


class Measure(Table):
    """[measure]: the queue that the table is about; the first gateway's by default."""

    link: Annotated[Name, *key("whose queue the columns describe")]
    direction: Annotated[Literal["forward", "back"], *key('or `"back"`')] = "forward"


class Cells(Table):
    """[mobility]: receivers that move between cells, and what Freeze-TCP does about it."""

    cells: Annotated[
        list[Name],
        Field(min_length=1),
        *key("two or more single nodes; the next cell is any other one, with equal probability"),
    ]


if TYPE_CHECKING:

    class Mobility(Cells):
        """With the keys of core/tables/run_keys.h, and those of tcp_options.h for Freeze-TCP."""

        freeze: bool
        wake_rtts: int
        wakes: int
else:
    _Moves = traffic_keys.model("Moves", Cells, {"": traffic_keys.MOBILITY})
    Mobility = options.model("Mobility", _Moves, options.FREEZE)


class Limits(Table):
    """[time]: when a run is given up, and from when on its columns count."""


if TYPE_CHECKING:

    class Clock(Limits):
        """With the keys of core/tables/run_keys.h."""

        limit: int
        warm_up: int | None = None

    class SampleTimes(Table):
        """Likewise."""

        interval: int
else:
    Clock = options.model("Clock", Limits, options.TIME)
    SampleTimes = options.model("SampleTimes", Table, options.SAMPLE)


class Sample(SampleTimes):
    """[sample]: the series over time, taken in the first seed of each combination."""

    flows: Annotated[
        int,
        whole(1, 1000),
        *key("of how many TCP flows, the first ones, beside the measured queue"),
    ] = 1
    until: Annotated[Time | None, *key("when the recording ends", "the end")] = None


class OwnVariant(Table):
    """[variant.NAME]: a discipline, a law and a signal under a name of the scenario's own.

    What is not said is that of `base`; `params` are parameters of both parts.
    """

    base: Annotated[Name, *key("the variant that supplies the keys not given here")] = "droptail"
    discipline: Annotated[
        Annotated[str, Field(min_length=1)] | None, *key("the queue discipline", _OF_BASE)
    ] = None
    law: Annotated[
        Name | None, *key('the window law (`"none"`: windows pass unchanged)', _OF_BASE)
    ] = None
    signal: Annotated[
        Signal | None,
        *key(
            'an early event drops the packet (`"drop"`), marks it (`"ecn"`), or is carried by the '
            'next ACK (`"window"`)',
            _OF_BASE,
        ),
    ] = None
    sender: Annotated[
        Name | None,
        *key("the senders' congestion control; without one, that of `[tcp.NAME]`", _OF_BASE),
    ] = None
    sharing: Annotated[
        Name | None,
        *key(
            "how the senders' connections share state; without it, that of `[tcp.NAME]`", _OF_BASE
        ),
    ] = None
    ecn: Annotated[bool | None, *key("true: the end hosts use ECN", _OF_BASE)] = None
    label: Annotated[str, *key("in tables and plots", "the name")] = ""
    colour: Annotated[Colour, *key('likewise (`"#rrggbb"`)', "the next of a cycle")] = ""
    params: Annotated[
        dict[str, Scalar],
        *key(
            'parameters of both parts; a name that exists in both is written `"PART.NAME"`', "none"
        ),
    ] = {}


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
