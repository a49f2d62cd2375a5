# SPDX-License-Identifier: GPL-2.0-only
"""A day of a home in ten minutes: when what runs, and what is measured of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

BASE_MS: Final = 20.0  # of the path, one way
ALWAYS: Final = ("voice", "video", "game", "ssh")
MOSTLY: Final = ("pages", "television")
LOADS: Final = ("download", "upload")


@dataclass(frozen=True)
class Phase:
    """A part of the day, and what runs beside what always does."""

    name: str
    seconds: float
    downs: int = 0
    ups: int = 0
    quic: bool = False
    mostly: bool = True
    line: str = ""  # what changes at its beginning, as penstock-link takes it
    rate_mbps: float = 20.0  # of the line, down; 0: that of a trace
    path_ms: float = BASE_MS  # one way


@dataclass(frozen=True)
class Scene:
    """What is played."""

    phases: tuple[Phase, ...]
    radio: tuple[str, ...] = ()  # of the way to client one, for penstock-link
    neighbour_downs: int = 0
    ways: tuple[str, ...] = ("none", "auto", "shaper")

    @property
    def seconds(self) -> float:
        """As it is meant."""
        return sum(phase.seconds for phase in self.phases)


DAY: Final = Scene(
    (
        Phase("idle", 40, mostly=False),
        Phase("pages, television", 40),
        Phase("4 downloads", 130, downs=4),
        Phase("pause", 20),
        Phase("4 downloads, 2 uploads", 150, downs=4, ups=2),
        Phase("2 uploads", 60, ups=2),
        Phase("2 downloads, HTTP/3", 60, downs=2, quic=True),
        Phase("all", 100, downs=4, ups=2, quic=True),
    )
)

SHORT: Final = Scene(
    (
        Phase("idle", 8, mostly=False),
        Phase("4 downloads", 40, downs=4, mostly=False),
        Phase("4 downloads, 2 uploads", 60, downs=4, ups=2, mostly=False),
    )
)


def _four(
    name: str, seconds: float, line: str = "", rate_mbps: float = 20, path_ms: float = BASE_MS
) -> Phase:
    return Phase(name, seconds, 4, mostly=False, line=line, rate_mbps=rate_mbps, path_ms=path_ms)


CHANGES: Final = Scene(
    (
        _four("20/5 Mbit/s", 50),
        _four("rate x 4", 20, "rate 80mbit rate-back 20mbit", 80),
        _four("rate / 4", 20, "rate 20mbit rate-back 5mbit"),
        _four("path + 14 ms", 15, "delay 27ms", 20, 27),
        _four("path + 30 ms", 15, "delay 35ms", 20, 35),
        _four("path - 30 ms", 15, "delay 20ms"),
        _four("LTE", 40, rate_mbps=0),
    ),
    ways=("none", "auto"),
)

NEIGHBOUR: Final = Scene((_four("4 beside a neighbour's 4", 90),), (), 4, ("none", "auto"))

RADIO: Final = Scene(
    (_four("4 by Wi-Fi of 8 Mbit/s", 60),),
    ("--rate", "8mbit", "--queue", "150kB", "--delay", "1ms"),
    ways=("none", "auto"),
)


@dataclass(frozen=True)
class Span:
    """A phase as it is played."""

    phase: Phase
    begin_s: float
    end_s: float

    def holds(self, at_s: float) -> bool:
        """Whether the time is in it."""
        return self.begin_s <= at_s < self.end_s

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.end_s - self.begin_s

    def last_half(self) -> "Span":
        """Once all has settled."""
        return Span(self.phase, (self.begin_s + self.end_s) / 2, self.end_s)


def spans_of(scene: Scene, seconds: float) -> list[Span]:
    """All of them, stretched to that time."""
    stretch, at_s, spans = seconds / scene.seconds, 0.0, []
    for phase in scene.phases:
        spans.append(Span(phase, at_s, at_s + phase.seconds * stretch))
        at_s = spans[-1].end_s
    return spans


def _loads(spans: Sequence[Span], what: str, counts: Sequence[int]) -> Iterator[dict[str, Any]]:
    """A row for each; one goes on while the next phase has as many."""
    for number in range(max(counts)):
        row: dict[str, Any] = {}
        for span, count in zip(spans, counts, strict=True):
            if count > number:
                row = {**(row or {"from": span.begin_s}), "to": span.end_s}
            elif row:
                yield {"what": what, "number": number, **row}
                row = {}
        if row:
            yield {"what": what, "number": number, **row}


def plans_of(scene: Scene, spans: Sequence[Span]) -> dict[str, list[dict[str, Any]]]:
    """What each process of the clients plays: what measures, and what loads."""
    day_s = spans[-1].end_s
    rows: list[dict[str, Any]] = [
        {"what": what, "number": 0, "from": 0.0, "to": day_s} for what in ALWAYS
    ]
    mostly = [span.begin_s for span in spans if span.phase.mostly]
    for what in MOSTLY if mostly else ():
        rows.append({"what": what, "number": 1, "from": mostly[0], "to": day_s})
    rows += _loads(spans, "download", [span.phase.downs for span in spans])
    rows += _loads(spans, "upload", [span.phase.ups for span in spans])
    plans: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        where = ("one",) if scene.radio else ("one", "two")
        who = where[row["number"] % len(where)]
        kind = "load" if row["what"] in LOADS else "use"
        plans.setdefault(f"{who} {kind}", []).append(row)
    beside = [{"what": "download", "from": 0.0, "to": day_s}] * scene.neighbour_downs
    return {**plans, "neighbour load": beside} if beside else plans


def late(values: Sequence[float], part: float = 0.99) -> float:
    """A percentile; 0 of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


@dataclass
class Seen:
    """What all hosts saw in a day."""

    spans: list[Span]
    bytes: dict[str, list[tuple[float, int]]] = field(default_factory=dict)
    datagrams: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)
    took: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    quic_bytes: dict[str, int] = field(default_factory=dict)  # by phase
    decisions: list[dict[str, Any]] = field(default_factory=list)  # of auto, with "at_s"
    reasons: dict[str, str] = field(default_factory=dict)  # of auto, at the end
    processor_s: float = 0.0  # of auto

    def add(self, said: dict[str, Any]) -> None:
        """What one host printed."""
        for name in ("bytes", "datagrams", "took"):
            for what, rows in said[name].items():
                getattr(self, name).setdefault(what, []).extend(rows)

    def goodput_mbps(self, way: str, span: Span) -> float:
        """Of all TCP and QUIC in a direction."""
        kinds = ("upload",) if way == "up" else ("download", "pages", "television")
        count = sum(
            size for kind in kinds for at_s, size in self.bytes.get(kind, []) if span.holds(at_s)
        )
        whole_s = sum(one.seconds for one in self.spans if one.phase == span.phase)
        quic = self.quic_bytes.get(span.phase.name, 0) / whole_s if way == "down" else 0.0
        return (count / span.seconds + quic) * 8e-6

    def waits(self, what: str, span: Span) -> list[tuple[float, float]]:
        """One-way times of datagrams, or times of ssh, above the path's: when, and ms."""
        path_ms = span.phase.path_ms
        if what == "ssh":
            rows = self.took.get("ssh", [])
            return [(at_s, ms - 2 * path_ms) for at_s, ms in rows if span.holds(at_s)]
        return [
            (at_s, ms - path_ms)
            for name, each in self.datagrams.items()
            if name.startswith(what)
            for _, at_s, ms in each
            if span.holds(at_s)
        ]

    def waits_ms(self, what: str, span: Span) -> list[float]:
        """Likewise, without when."""
        return [ms for _, ms in self.waits(what, span)]

    def losses(self, what: str, span: Span) -> tuple[int, int]:
        """Datagrams of a kind that were lost, and all of them."""
        lost = came = 0
        for name, rows in self.datagrams.items():
            if not name.startswith(what):
                continue
            inside = sorted({number for number, at_s, _ in rows if span.holds(at_s)})
            if inside:
                came += len(inside)
                lost += inside[-1] - inside[0] + 1 - len(inside)
        return lost, lost + came

    def call_loss_percent(self, span: Span) -> float:
        """Of a call's voice and video, both ways."""
        lost, sent = map(sum, zip(*(self.losses(w, span) for w in ("voice", "video")), strict=True))
        return 100 * lost / sent if sent else 100.0

    def of(self, what: str, span: Span) -> list[float]:
        """Times of pages or segments that began in it, in seconds."""
        return [ms / 1e3 for at_s, ms in self.took.get(what, []) if span.holds(at_s)]

    def live_after_s(self, way: str, begin_s: float) -> float | None:
        """When auto held a direction for good, from a time on; None: never."""
        for row in self.decisions:
            if row["way"] == way and row["to"] == "live" and row["at_s"] >= begin_s:
                return float(row["at_s"]) - begin_s
        return None
