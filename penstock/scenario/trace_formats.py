# SPDX-License-Identifier: GPL-2.0-only
"""Recorded traces of links, from the formats of others into mahimahi's.

mahimahi and Cellsim write a time in ms for each 1,500 bytes; measurements of 5G are tables with a
rate in each row. The result begins with comments that say where it is from.
"""

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from penstock.scenario import traces, units

KINDS: Final = ("mahimahi", "cellsim", "csv")
NOTES: Final = ("source", "licence", "from")
# Columns of rates with their unit in bit/s: the 5G data sets of UCC Cork and Lumos5G.
_RATES: Final = {"DL_bitrate": 1e3, "Throughput": 1e6}
_TIMES: Final = ("Timestamp", "timestamp", "time")
_FORMATS: Final = ("%Y.%m.%d_%H.%M.%S", "%Y-%m-%d %H:%M:%S")
_LONGEST_MS: Final = 24 * 3600 * 1000
_LAST_MS: Final = (1 << 63) - 1  # a recording may count from 1970
_SHOWN: Final = 40  # signs of a wrong line
_BITS: Final = 8


def _times(text: str) -> list[int]:
    """Times in ms, one a line, from 0 on; Cellsim's begin when its recording does."""
    found: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        time_ms = units.whole_number(word, _LAST_MS)
        if time_ms is None:
            raise ValueError(
                f"line {number}: {line.strip()[:_SHOWN]!r} is not a whole number of ms"
            )
        found.append(time_ms)
        if len(found) > 1 and found[-1] < found[-2]:
            raise ValueError(f"line {number}: this time is before that of the line above")
    return found


def _seconds(text: str, number: int) -> float:
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
        except ValueError:
            pass
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"line {number}: {text!r} is not a time") from None


def _column(given: str, known: Sequence[str], names: Sequence[str]) -> str:
    if given:
        if given not in names:
            raise ValueError(f"there is no column {given!r}; there are {', '.join(names)}")
        return given
    return next((name for name in known if name in names), "")


def _rate(text: str, number: int) -> float:
    try:
        rate = float(text)
    except ValueError:
        raise ValueError(f"line {number}: {text!r} is not a rate") from None
    if not 0 <= rate < 1e12:
        raise ValueError(f"line {number}: {text!r} is not a rate from 0 on")
    return rate


def _rows(text: str, column: str, unit_bps: float | None) -> list[tuple[float, float]]:
    """Seconds, and bit/s from then on."""
    table = csv.DictReader(io.StringIO(text))
    names = [name for name in table.fieldnames or () if name]
    rate = _column(column, list(_RATES), names)
    if not rate:
        raise ValueError(f"no column of rates is known; name one with --column: {', '.join(names)}")
    unit = unit_bps or _RATES.get(rate)
    if unit is None:
        raise ValueError(f"--unit: say whether {rate} is in bit, kbit or mbit")
    time = _column("", _TIMES, names)
    found: list[tuple[float, float]] = []
    for number, row in enumerate(table, 2):
        at = _seconds(row[time] or "", number) if time else float(len(found))
        if found and at < found[-1][0]:
            raise ValueError(f"line {number}: this time is before that of the line above")
        found.append((at, _rate(row[rate] or "", number) * unit))
    return found


def _opportunities(rows: Sequence[tuple[float, float]]) -> Iterator[int]:
    """The ms at which 1,500 bytes are earned, and the end.

    The last row lasts as long as the one before.
    """
    start, credit, left = rows[0][0], 0.0, traces.MOST
    last = rows[-1][0] + (rows[-1][0] - rows[-2][0] if len(rows) > 1 else 1.0)
    ends = [at for at, _ in rows[1:]] + [last]
    for (begin, rate), end in zip(rows, ends, strict=True):
        for at in range(round((begin - start) * 1e3) + 1, round((end - start) * 1e3) + 1):
            credit += rate / 1000 / _BITS
            count = int(credit / traces.PACKET_BYTES)
            credit -= count * traces.PACKET_BYTES
            left -= count
            if left < 0:
                raise ValueError(f"it has more than {traces.MOST:,} opportunities")
            yield from [at] * count or [at] * (at == round((last - start) * 1e3))


def opportunities(
    kind: str, text: str, column: str = "", unit_bps: float | None = None
) -> list[int]:
    """The opportunities of a recording; ValueError says what of it is wrong."""
    if kind == "csv":
        try:
            rows = _rows(text, column, unit_bps)
        except csv.Error as error:
            raise ValueError(f"it is no table: {error}") from None
        if rows and rows[-1][0] - rows[0][0] > _LONGEST_MS / 1e3:
            raise ValueError("it is longer than 24 h")
        found = list(_opportunities(rows)) if rows else []
    else:
        found = _times(text)
        if kind == "cellsim" and found:
            found = [ms - found[0] for ms in found]
    if not found or not found[-1]:
        raise ValueError("it has no opportunity to send after 0 ms")
    return found


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
    for line in data.splitlines():
        if not line.startswith("#"):
            break
        name, _, note = line.removeprefix("#").partition(":")
        if name.strip() in NOTES and note.strip():
            found[name.strip()] = note.strip()
    return found


def converted(
    kind: str,
    data: bytes,
    origin: Mapping[str, str],
    column: str = "",
    unit_bps: float | None = None,
) -> str:
    """A recording as a trace, with what is known of its origin: source and licence.

    Of a csv, `column` is that with the rate, and `unit_bps` its unit. Raises ValueError where
    the recording is wrong, and UnicodeDecodeError where it is no text.
    """
    ms = opportunities(kind, data.decode("utf-8-sig"), column, unit_bps)
    plain = {name: note.encode("ascii", "replace").decode() for name, note in origin.items()}
    return text(ms, plain | {"from": digest(data)})
