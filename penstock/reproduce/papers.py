# SPDX-License-Identifier: GPL-2.0-only
"""The papers: their scenarios, the methods they compare, and unspecified settings.

What the papers state stands in the scenario files ([paper] tables); here stands which
of them belong together, and the guesses at unsaid settings that are tried.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Part:
    """One scenario of a paper.

    `served`: the number of flows at each level is searched too, with the methods `searched`
    if the paper leaves out some there. `slow`: with --quick, one seed with these receivers
    and no search.
    """

    name: str
    scenario: str
    methods: Sequence[str] = ()  # () means: as the scenario says
    receivers: Sequence[str] = ()  # likewise
    served: bool = False
    searched: Sequence[str] = ()
    backend: str = "sim"
    slow: Sequence[str] = ()


@dataclass(frozen=True)
class Guess:
    """A setting that the paper may have used without stating it: --set values, and windows."""

    what: str
    sets: Sequence[str]
    receivers: Sequence[str]
    levels: Sequence[float]  # percent of the data packets that stand for the paper's levels


@dataclass(frozen=True)
class Calibration:
    """The flows at which the paper's drop-tail came to 0.1, 0.5 and 1 % loss (RFC 7928)."""

    part: str
    flows: Sequence[int]
    guesses: Sequence[Guess]


@dataclass(frozen=True)
class Paper:
    """A paper that can be reproduced."""

    name: str
    title: str
    parts: Sequence[Part]
    calibrations: Sequence[Calibration] = ()
    model: bool = False  # Zhang's model belongs to it
    senders: bool = False  # it compares senders, not gateway methods
    radio: bool = False  # its tables are of groups of web users
    linux: bool = False  # its results are of Linux itself
    end_system: bool = False  # its tables are of connections beside each other
    quick_seeds: int = 3
    page: str = ""  # the name of the document on it, if that is another
    gains_source: str = ""
    settings: str = ""  # the scenario that names what the paper leaves open
    published: bool = True

    @property
    def document(self) -> str:
        """The page that explains differences."""
        return f"docs/papers/{self.page or self.name}.md"


LEVELS: Final = (0.1, 0.5, 1.0)
# One ACK for two data packets, counted with them: 1 % of all packets is 1.5 % of the data.
_WITH_ACKS: Final = (0.15, 0.75, 1.5)
_WINDOWS: Final = ("131072", "65535", "49152", "32768", "16384")
_NEWRENO: Final = "tcp.file.congestion=newreno"
_DEVICE: Final = "link.bottleneck.queue=247kB"

_GUESSES: Final = (
    Guess("as printed", (), _WINDOWS, LEVELS),
    Guess("NewReno", (_NEWRENO,), _WINDOWS[1:3], LEVELS),
    Guess("100 packets in the device too", (_DEVICE,), _WINDOWS[1:3], LEVELS),
    Guess("device, NewReno", (_DEVICE, _NEWRENO), _WINDOWS[1:3], LEVELS),
    Guess("device, NewReno, ACKs counted", (_DEVICE, _NEWRENO), _WINDOWS[1:3], _WITH_ACKS),
)
_EWT_2019: Final = ("droptail", "red", "ared", "ewa", "awm", "ewt")
_BESIDE: Final = ("sap_law", "voap", "smart_red", "pink", "fewa")  # not in the paper's figures
_PEERS: Final = ("droptail", "ewt", "integral")
_RED: Final = ("red", "red_ecn", "red_rwm", *_PEERS)
_ARED: Final = ("ared", "ared_ecn", "ared_rwm", *_PEERS)
_BLUE: Final = ("blue", "blue_ecn", "blue_rwm", *_PEERS)
_EWT_IOT: Final = ("droptail", "red", "ared", "ewa", "ewt", "ewt_iot")

_LAW_SCENARIOS: Final = (
    *("served", "long-path", "small-queue", "arrivals", "udp", "mixed-rtt", "target-5ms"),
    *("downloads", "pages", "two-rtts", "late-opener", "both-ways", "rate-half", "rate-double"),
    *("capacity-halved", "capacity-doubled", "rtt-tripled", "flows-times-4", "flows-by-4"),
    *("quiet", "chats", "few-chats", "beyond-served", "beyond-grid", "web"),
    *("uncontrolled", "uncontrolled-delay", "hosts", "hosts-fq", "subscribers"),
    *("lte", "satellite", "buffer-quarter", "buffer-4", "rate-1mbit", "rate-1gbit", "rate-10gbit"),
    *("mtu-576", "mtu-9000", "reno", "newreno", "bic", "bbr", "no-sack"),
    *("downloads-opened", "pages-opened", "beyond-arrivals", "beyond-pages"),
)
# Each with its round trip behind the gateway, on both sides of it, and in front of it.
_PLACED: Final = (
    *("long-fat", "long-thin", "shallow", "tiny", "steady", "halves", "halves-bbr", "lone-bbr"),
    *("halves-long", "flood", "stream", "pages-beside", "pages-beside-bbr"),
)
_EVERYWHERE: Final = tuple(f"{name}{at}" for name in _PLACED for at in ("", "-middle", "-far"))


def _ewt_2019(name: str) -> Part:
    """A scenario with the paper's methods and others beside, which its gains are not over."""
    methods = (*_EWT_2019, *_BESIDE)
    return Part(name, f"ewt-2019/{name}", methods, served=True, searched=_EWT_2019)


_PAPERS: Final = (
    Paper(
        name="ewt-2019",
        title="Early Window Tailoring: A New Approach to Increase the Number of TCP "
        "Connections Served (2019)",
        parts=(
            Part("motivation", "ewt-2019/motivation", ("droptail",)),
            Part("gateway-memory", "ewt-2019/gateway-memory", ("droptail", "ewt")),
            _ewt_2019("scenario-1"),
            _ewt_2019("scenario-2"),
        ),
        calibrations=(
            Calibration("scenario-1", (8, 17, 24), _GUESSES),
            Calibration("scenario-2", (13, 24, 31), _GUESSES),
        ),
    ),
    Paper(
        name="ewt-iot-2023",
        title="Improving TCP performance over a common IoT scenario using the Early Window "
        "Tailoring method (2023)",
        parts=(
            Part(
                "home-wifi",
                "ewt-iot-2023/home-wifi",
                (*_EWT_IOT, *_BESIDE),
                served=True,
                searched=("droptail", "red", "ared", "ewa", "ewt_iot"),  # Fig. 18
                backend="ns3",
                slow=("131072",),
            ),
        ),
        model=True,
    ),
    Paper(
        name="log-westwood-2006",
        title="TCP Westwood+ Enhancement in High-Speed Long-Distance Networks (2006)",
        parts=(),
        senders=True,
        settings="log-westwood-2006/errors",
    ),
    Paper(
        name="nis-2004-part-1",
        title="Improving Congestion Control in IP-based Networks by Information Sharing, "
        "Part I (2004)",
        parts=(),
        end_system=True,
        quick_seeds=6,
        settings="nis-2004/part-1/end-system",
    ),
    Paper(
        name="nis-2004-chapter-10",
        title="Improving Congestion Control in IP-based Networks by Information Sharing, "
        "Chapter 10 on this machine's Linux (2004)",
        parts=(),
        linux=True,
    ),
    Paper(
        name="nis-2004-part-2",
        title="Improving Congestion Control in IP-based Networks by Information Sharing, "
        "Part II (2004)",
        parts=(),
        radio=True,
    ),
    Paper(
        name="rwm-2006",
        title="Analyzing the Receiver Window Modification Scheme of TCP Queues (2006)",
        settings="rwm-2006/scenario-1",
        parts=(
            Part("scenario-1", "rwm-2006/scenario-1", _RED),
            Part("sources-1", "rwm-2006/sources-1", _RED),
            Part("scenario-2", "rwm-2006/scenario-2", _ARED),
            Part("sources-2", "rwm-2006/sources-2", _ARED),
            Part("scenario-3", "rwm-2006/scenario-3", _BLUE),
            Part("sources-3", "rwm-2006/sources-3", _BLUE),
        ),
    ),
    Paper(
        name="law",
        title="Penstock's law: what it aims at and what it reaches",
        parts=tuple(Part(name, f"law/{name}") for name in (*_LAW_SCENARIOS, *_EVERYWHERE)),
        page="penstock",
        published=False,
    ),
)

PAPERS: Final[Mapping[str, Paper]] = {paper.name: paper for paper in _PAPERS}
