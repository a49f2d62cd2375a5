# SPDX-License-Identifier: GPL-2.0-only
"""What a day showed, as tables, and beside what it aims at."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from day_plan import Seen, Span, late

SECOND_S: Final = 1.0
LIVE_S: Final = 30.0
WORSE_S: Final = 2.0
FOLLOWED_S: Final = 2.0
GOODPUT_PART: Final = 0.98
# Of a second that is no worse: the noise of two runs.
SLACK_PART: Final = 0.9
SLACK_MS: Final = 10.0
FOLLOWED_PART: Final = 0.85
FOLLOWED_MS: Final = 20.0


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """As Markdown has it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cells(seen: Seen, span: Span) -> list[str]:
    """A phase in one way."""
    ssh, game = seen.waits_ms("ssh", span), seen.waits_ms("game", span)
    pages, segments = seen.of("page", span), seen.of("television", span)
    return [
        f"{seen.goodput_mbps('down', span):.2f} / {seen.goodput_mbps('up', span):.2f}",
        f"{late(ssh, 0.5):.0f} / {late(ssh):.0f}",
        f"{seen.call_loss_percent(span):.2f}",
        f"{late(seen.waits_ms('voice', span)):.0f}",
        f"{late(game):.0f}",
        f"{late(pages, 0.5):.2f}" if pages else "",
        f"{sum(s > 2 for s in segments)} of {len(segments)}" if segments else "",
    ]


HEAD: Final = (
    "while",
    "way",
    "Mbit/s down / up",
    "ssh, median / p99 ms",
    "call lost %",
    "voice p99 ms",
    "game p99 ms",
    "page s",
    "television late",
)


def seconds_of(span: Span) -> Iterator[Span]:
    """Each whole second of it."""
    at_s = span.begin_s
    while at_s + SECOND_S <= span.end_s:
        yield Span(span.phase, at_s, at_s + SECOND_S)
        at_s += SECOND_S


@dataclass(frozen=True)
class Second:
    """What counts of a second."""

    down_mbps: float
    up_mbps: float
    ssh_ms: float
    lost: int


def second(seen: Seen, span: Span) -> Second:
    """One of them; an HTTP/3 download's bytes are known for its phase alone."""
    lost = sum(seen.losses(what, span)[0] for what in ("voice", "video"))
    goodputs = [seen.goodput_mbps(way, span) for way in ("down", "up")]
    return Second(*goodputs, max(seen.waits_ms("ssh", span), default=0.0), lost)


def longest_worse_s(seen: Seen, none: Seen, span: Span, there: Span) -> float:
    """The longest time in which each second is worse than all of nothing's in that phase."""
    usual = [second(none, one) for one in seconds_of(there)]
    down, up = (min(getattr(one, name) for one in usual) for name in ("down_mbps", "up_mbps"))
    ssh_ms, lost = max(one.ssh_ms for one in usual), max(one.lost for one in usual)
    longest = run = 0.0
    for one in (second(seen, each) for each in seconds_of(span)):
        quic = span.phase.quic
        worse = (
            (not quic and one.down_mbps < SLACK_PART * down)
            or one.up_mbps < SLACK_PART * up
            or one.ssh_ms > ssh_ms + SLACK_MS
            or one.lost > lost + 1
        )
        run = run + SECOND_S if worse else 0.0
        longest = max(longest, run)
    return longest


def aim(what: str, found: str, wanted: str, met: bool) -> list[str]:
    """A row of the aims."""
    return [what, wanted, found, "met" if met else "**missed**"]


def live_rows(auto: Seen) -> Iterator[list[str]]:
    """When each direction was held after its line was first full."""
    for way, wanted in (("down", "downs"), ("up", "ups")):
        full = [span for span in auto.spans if getattr(span.phase, wanted)]
        if not full:
            continue
        after_s = auto.live_after_s(way, full[0].begin_s)
        text = "never" if after_s is None else f"{after_s:.1f} s"
        met = after_s is not None and after_s <= LIVE_S
        yield aim(f"{way} live after its first full line", text, f"{LIVE_S:.0f} s", met)


def aims(auto: Seen, none: Seen) -> Iterator[list[str]]:
    """What the day is to show of auto."""
    yield from live_rows(auto)
    worst = max(
        (longest_worse_s(auto, none, span, there), span.phase.name)
        for span, there in zip(auto.spans, none.spans, strict=True)
    )
    text = f"{worst[0]:.0f} s" + (f" ({worst[1]})" if worst[0] else "")
    yield aim("worse than nothing at a time", text, f"{WORSE_S:.0f} s", worst[0] <= WORSE_S)
    idle, last = auto.spans[0], auto.spans[-1].last_half()
    lost = [auto.call_loss_percent(span) for span in (idle, last)]
    yield aim("call lost at the end", f"{lost[1]:.2f} %", f"{lost[0]:.2f} %", lost[1] <= lost[0])
    ssh = [late(auto.waits_ms("ssh", span), 0.5) for span in (idle, last)]
    met = ssh[1] <= ssh[0] + SLACK_MS
    yield aim("ssh at the end, median", f"{ssh[1]:.1f} ms", f"{ssh[0]:.1f} ms + 10", met)
    for name, ways in (("both", ("down", "up")), ("down", ("down",)), ("up", ("up",))):
        mine, other = (sum(one.goodput_mbps(way, last) for way in ways) for one in (auto, none))
        part = mine / max(1e-9, other)
        what = f"goodput {name} at the end, of nothing's"
        yield aim(what, f"{100 * part:.1f} %", "98 %", part >= GOODPUT_PART)


def story(seen: Seen) -> str:
    """What auto did, and why."""
    lines = [
        f"{row['at_s']:6.1f} s {row['way']}: {row['from']} -> {row['to']}: {row['reason']}"
        for row in seen.decisions
    ]
    lines += [f"at the end, {way}: {text}" for way, text in seen.reasons.items()]
    length_s = seen.spans[-1].end_s
    lines.append(f"{seen.processor_s:.2f} s of processor in {length_s:.0f} s")
    return "\n".join(lines)


def day_table(seen: Mapping[str, Seen]) -> str:
    """All of a day."""
    some = next(iter(seen.values()))
    rows = [
        [span.phase.name, way, *cells(one, one.spans[n])]
        for n, span in enumerate(some.spans)
        for way, one in seen.items()
    ]
    parts = [table(HEAD, rows)]
    if "auto" in seen and "none" in seen:
        rows = list(aims(seen["auto"], seen["none"]))
        parts.append(table(("aim", "at most, or at least", "found", ""), rows))
    if "auto" in seen:
        parts.append(story(seen["auto"]))
    return "\n\n".join(parts)


def followed_s(seen: Seen, span: Span) -> float | None:
    """After how long the line is full again, and little waits, for a second; None: never."""
    waits = sorted(seen.waits("game down", span))
    at_s = span.begin_s
    while at_s + SECOND_S <= span.end_s:
        one = Span(span.phase, at_s, at_s + SECOND_S)
        ms = late([ms for when_s, ms in waits if one.holds(when_s)], 0.5)
        full = seen.goodput_mbps("down", one) >= FOLLOWED_PART * span.phase.rate_mbps
        if full and ms <= FOLLOWED_MS:
            return at_s - span.begin_s
        at_s += 0.1
    return None


def changes_table(seen: Mapping[str, Seen]) -> str:
    """Phases of a line that changes, or that others fill."""
    rows = []
    for way, one in seen.items():
        for span in one.spans:
            waits = one.waits_ms("game down", span)
            after_s = followed_s(one, span) if span.phase.rate_mbps else None
            rows.append(
                [
                    span.phase.name,
                    way,
                    f"{one.goodput_mbps('down', span):.2f}",
                    f"{late(waits, 0.5):.0f} / {late(waits):.0f}",
                    f"{one.call_loss_percent(span):.2f}",
                    "" if after_s is None else f"{after_s:.1f}",
                ]
            )
    head = (
        "while",
        "way",
        "Mbit/s down",
        "wait, median / p99 ms",
        "call lost %",
        "follows after s",
    )
    parts = [table(head, rows)]
    if "auto" in seen:
        parts.append(story(seen["auto"]))
    return "\n\n".join(parts)
