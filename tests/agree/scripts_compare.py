# SPDX-License-Identifier: GPL-2.0-only
"""Where two records of the same script part."""

from collections.abc import Iterator, Sequence

from scripts import Event

TOLERANCE_NS = 30_000  # SYNs differ by 4 bytes, so round trips by some microseconds
_NO_LIMIT = 1 << 32  # ns-3's first ssthresh is the largest 32-bit number, ours larger


def start(events: Sequence[Event]) -> int:
    """When the first data was sent."""
    return next(e.time_ns for e in events if e.what == "send")


def of(events: Sequence[Event], *what: str) -> list[Event]:
    """The events of some kinds, timed from the first data, in an order that ties do not change."""
    zero = start(events)
    chosen = [e for e in events if e.what in what and e.time_ns >= zero]
    chosen.sort(key=lambda e: (e.time_ns, e.what != "timeout"))
    return [Event(e.time_ns - zero, e.what, e.first, e.second) for e in chosen]


def before_end(events: Sequence[Event], last_seq: int) -> list[Event]:
    """The events before the last segment is sent for the first time."""
    sends = (i for i, e in enumerate(events) if e.what == "send" and e.first == last_seq)
    return list(events[: next(sends, len(events))])


def parting(
    ours: Sequence[Event], theirs: Sequence[Event], what: Sequence[str]
) -> tuple[Event, Event] | None:
    """The first two events that are not the same; None if all are."""
    for one, other in zip(of(ours, *what), of(theirs, *what), strict=False):
        same = (one.what, one.first) == (other.what, other.first)
        if not same or abs(one.time_ns - other.time_ns) > TOLERANCE_NS:
            return one, other
    return None


def thresholds(events: Sequence[Event]) -> list[int]:
    """Every ssthresh that was set by a loss."""
    return [e.first for e in events if e.what == "ssthresh" and e.first < _NO_LIMIT - 1]


def windows(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """Time and cwnd of each change of ours outside of recovery."""
    zero = start(events)
    return ((e.time_ns - zero, e.first) for e in events if e.what == "cwnd" and not e.second)


def window_at(events: Sequence[Event], time_ns: int) -> int:
    """cwnd after everything that happened up to a time."""
    zero = start(events)
    known = [e.first for e in events if e.what == "cwnd" and e.time_ns - zero <= time_ns]
    return known[-1]
