# SPDX-License-Identifier: GPL-2.0-only
"""What of the results a figure shows: points, their keys, and how keys are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from penstock.errors import OptionError, UsageError, near
from penstock.results import settings, tables
from penstock.results.tables import Line
from penstock.scenario import axes
from penstock.view.plots.data import Data

FLOWS: Final = "flows"
RECEIVERS: Final = "receivers"

_WORDS: Final = {
    ("link", "delay"): "one-way delay of the {}",
    ("link", "rtt"): "round-trip time of the {}",
    ("link", "rate"): "rate of the {}",
    ("link", "queue"): "buffer of the {}",
    ("link", "queue_packets"): "buffer of the {} in packets",
    ("link", "loss"): "share lost at random on the {}",
    ("link", "overhead"): "overhead of the {}",
    ("tcp", "size"): "transfer size of {}",
    ("tcp", "congestion"): "sender of {}",
    ("tcp", "segment"): "segment of {}",
}
_PREFIXES: Final = {
    "s": (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)),
    "bytes": (("MB", 1e6), ("kB", 1e3), ("bytes", 1.0)),
    "bit/s": (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)),
}


@dataclass(frozen=True)
class Point:
    """A line of the summary with all keys that tell it from others of its method."""

    line: Line
    keys: Mapping[str, str]


def points(data: Data) -> list[Point]:
    """All combinations."""
    return _points(data.lines)


def _points(lines: Sequence[Line]) -> list[Point]:
    return [
        Point(line, {RECEIVERS: line.receivers, FLOWS: str(line.flows), **line.given})
        for line in lines
    ]


def varied(found: Sequence[Point]) -> dict[str, list[str]]:
    """The keys that have several values, each with them, as numbers where they are."""
    keys = dict.fromkeys(key for point in found for key in point.keys)
    values = {key: {point.keys[key]: 0 for point in found if key in point.keys} for key in keys}
    return {key: settings.ordered(texts) for key, texts in values.items() if len(texts) > 1}


def words(key: str) -> str:
    """A key as people say it: 'one-way delay of the bottleneck'."""
    if key == RECEIVERS:
        return "receive window"
    table, _, rest = key.partition(".")
    name, _, field = rest.rpartition(".")
    if (table, field) in _WORDS:
        return _WORDS[table, field].format(name)
    subject, _, last = key.rpartition(".")
    for suffix in ("_bytes", "_ns", "_bps"):  # the value has its unit
        last = last.removesuffix(suffix)
    return f"{last} of {subject}".replace("_", " ") if subject else key.replace("_", " ")


def scale(texts: Sequence[str]) -> tuple[str, float] | None:
    """The unit in which these values are shown, and its factor; None if they are no numbers."""
    unit = settings.unit(texts)
    if unit is None:
        return None
    numbers = [settings.number(text) or 0.0 for text in texts]
    smallest = min((value for value in numbers if value), default=1.0)
    for name, factor in _PREFIXES.get(unit, ()):
        if smallest >= factor:
            return name, factor
    return unit, 1.0


def value_text(key: str, text: str) -> str:
    """'24 flows', 'window 65,535 bytes', or the words of the key and its value."""
    if key == FLOWS:
        return f"{text} flows"
    if key == RECEIVERS:
        return f"window {tables.receivers_text(text)}"
    return f"{words(key)}: {text}"


def _fits(given: str, text: str) -> bool:
    number = settings.quantity(given)
    return given == text or (number is not None and number == settings.quantity(text))


def _check(pairs: Sequence[tuple[str, str]], every: Sequence[Point]) -> None:
    known = dict.fromkeys(key for point in every for key in point.keys)
    for key, text in pairs:
        if key not in known:
            cure = near(key, known)
            raise OptionError("--where", "", f"not a key of these results; {cure}", key)
        values = settings.ordered(point.keys[key] for point in every if key in point.keys)
        if not any(_fits(text, each) for each in values):
            raise OptionError("--where", text, f"not run; known: {', '.join(values)}", key)


def chosen(data: Data, methods: Sequence[str] = (), where: Sequence[tuple[str, str]] = ()) -> Data:
    """The results of these methods and values alone; a usage error for what was not run."""
    return only(data, chosen_lines(data.lines, methods, where))


def chosen_lines(
    lines: Sequence[Line], methods: Sequence[str] = (), where: Sequence[tuple[str, str]] = ()
) -> list[Line]:
    """The lines of a summary alone, likewise."""
    every = _points(lines)
    _check(where, every)
    for name in methods:
        if not any(name in (line.method, line.label) for line in lines):
            known = dict.fromkeys(line.method for line in lines)
            raise OptionError("--method", name, f"not in these results; {near(name, known)}")
    found = [
        point.line
        for point in every
        if (not methods or point.line.method in methods or point.line.label in methods)
        and all(_fits(text, point.keys.get(key, "")) for key, text in where)
    ]
    if not found:
        raise UsageError("no result has all of the values that --where and --method name")
    return found


def only(data: Data, lines: Sequence[Line]) -> Data:
    """The results of some lines."""
    places = {(line.receivers, (line.flows, line.settings), line.label) for line in lines}

    def here(found: Mapping[Any, Any]) -> dict[Any, Any]:
        return {place: value for place, value in found.items() if place in places}

    return replace(
        data,
        lines=list(lines),
        series=here(data.series),
        transfers=here(data.transfers),
        delays=here(data.delays),
    )


def of_scenario(key: str) -> bool:
    """Whether a key tells situations apart, and not settings of a method."""
    return key in (FLOWS, RECEIVERS) or axes.of_scenario(key)
