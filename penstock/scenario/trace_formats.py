# SPDX-License-Identifier: GPL-2.0-only
"""Recorded traces of links, from the formats of others into mahimahi's.

mahimahi and Cellsim write a time in ms for each 1,500 bytes; measurements of 5G are tables with a
rate in each row. The result begins with comments that say where it is from.
"""

import csv
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.scenario import rate_tables, traces, units
from penstock.scenario.rate_tables import Asked, OtherKindError
from penstock.scenario.row_times import Timed, spoken_ns
from penstock.text import decoded

KINDS: Final = ("mahimahi", "cellsim", "csv")
NOTES: Final = ("source", "licence", "from")
_LONG: Final = "it is longer than 24 h"
_LAST_MS: Final = (1 << 63) - 1  # a recording may count from 1970
_LATE_MS: Final = 1000  # by which lines may be out of order; beyond, the clock was set back
_SHOWN: Final = 40  # signs of a wrong line
_BITS: Final = 8
_MS: Final = 10**6  # ns


def _lines(count: int) -> str:
    return "line" if count == 1 else "lines"


def _times(text: str) -> tuple[list[int], list[str]]:
    """Times in ms, one a line, in order; and notes."""
    found: list[int] = []
    late, latest = 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        time_ms = units.whole_number(word, _LAST_MS)
        if time_ms is None:
            kind = ValueError if found else OtherKindError
            raise kind(f"line {number}: {line.strip()[:_SHOWN]!r} is not a whole number of ms")
        if found and time_ms < latest - _LATE_MS:
            raise ValueError(
                f"line {number}: the clock goes back by {(latest - time_ms) / 1000:g} s; cut the "
                "file there"
            )
        late += time_ms < latest
        latest = max(latest, time_ms)
        found.append(time_ms)
    found.sort()
    return found, [f"put in order: {late:,} {_lines(late)}, less than 1 s late"] if late else []


def _pieces(found: Timed) -> Iterator[tuple[int, int, float]]:
    """Parts of a ms, or whole ones, with one rate: the ms at whose end they are, ns, and bit/s."""
    ends = [*found.at_ns[1:], found.end_ns]
    for begin, end, rate in zip(found.at_ns, ends, found.rates_bps, strict=True):
        at = begin
        while at < end:
            stop = min((at // _MS + 1) * _MS, end)
            yield -(-stop // _MS), stop - at, rate
            at = stop


def _earned(found: Timed) -> Iterator[int]:
    """The ms at which 1,500 bytes are earned, and the end."""
    credit, left, last_ms = 0.0, traces.MOST, math.ceil(found.end_ns / _MS)
    end = found.end_ns
    gone = 0
    for at, ns, rate in _pieces(found):
        gone += ns
        credit += rate / 1000 / _BITS * (ns / _MS)
        if gone % _MS and gone != end:  # the ms goes on
            continue
        count = int(credit / traces.PACKET_BYTES)
        credit -= count * traces.PACKET_BYTES
        left -= count
        if left < 0:
            raise ValueError(f"it has more than {traces.MOST:,} opportunities")
        yield from [at] * count or [at] * (at == last_ms)


def _of_table(text: str, asked: Asked) -> tuple[list[int], list[str]]:
    try:
        found, told = rate_tables.read(text, asked)
    except csv.Error as error:
        raise OtherKindError(f"it is no table: {error}") from None
    if found.end_ns > traces.LONGEST_MS * _MS:
        raise ValueError(_LONG)
    return list(_earned(found)), told


def opportunities(kind: str, text: str, asked: Asked = Asked()) -> tuple[list[int], list[str]]:  # noqa: B008
    """The opportunities of a recording, and what was read, joined, filled and left out.

    ValueError says what of it is wrong; OtherKindError, that it is none of this kind at all.
    """
    if kind == "csv":
        found, told = _of_table(text, asked)
    else:
        found, told = _times(text)
        if kind == "cellsim" and found:
            found = [ms - found[0] for ms in found]
        if found and found[-1] > traces.LONGEST_MS:
            raise ValueError(f"{_LONG}; cellsim counts from the first line")
        if found:
            told.insert(0, f"{len(found):,} lines read, {spoken_ns(found[-1] * _MS)}")
    if not found or not found[-1]:
        raise (ValueError if found else OtherKindError)("it has no opportunity to send after 0 ms")
    return found, told


def text(ms: Sequence[int], notes: Mapping[str, str]) -> str:
    """A file with what is known of its origin."""
    head = "".join(f"# {name}: {' '.join(note.split())}\n" for name, note in notes.items())
    return head + traces.text(ms)


def digest(data: bytes) -> str:
    """Of the recording, as its notes have it."""
    return f"sha256 {hashlib.sha256(data).hexdigest()}"


def notes(data: str) -> dict[str, str]:
    """What the comments at the top of a trace say of its origin."""
    found = {}
    for line in data.split("\n"):
        if not line.startswith("#"):
            break
        name, _, note = line.removeprefix("#").partition(":")
        if name.strip() in NOTES and note.strip():
            found[name.strip()] = note.strip()
    return found


@dataclass(frozen=True)
class Converted:
    """A recording as a trace, and what was read, joined, filled and left out of it."""

    text: str
    told: tuple[str, ...]


def converted(
    kind: str,
    data: bytes,
    origin: Mapping[str, str],
    asked: Asked = Asked(),  # noqa: B008
) -> Converted:
    """A recording as a trace, with what is known of its origin: source and licence.

    Raises ValueError where the recording is wrong.
    """
    try:
        read = decoded(data)
    except ValueError as error:
        raise OtherKindError(str(error)) from None
    ms, told = opportunities(kind, read, asked)
    return Converted(text(ms, {**origin, "from": digest(data)}), tuple(told))
