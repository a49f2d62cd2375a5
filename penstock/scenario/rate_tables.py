# SPDX-License-Identifier: GPL-2.0-only
"""Tables of rates, as measurements of 5G have them: each row has a time and a rate.

What a table leaves open is either certain from its values, or a question (`--unit`, `--time-unit`).
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import pairwise
from statistics import median_low
from typing import Final

from penstock.scenario.row_times import NS, Row, Timed, spoken_ns, timed

TIME_UNITS_NS: Final = {"s": NS, "ms": 10**6, "us": 10**3, "ns": 1}
# Columns of rates with their unit in bit/s: the 5G data sets of UCC Cork and Lumos5G.
_RATES: Final = {"DL_bitrate": 1e3, "Throughput": 1e6}
_TIMES: Final = ("Timestamp", "timestamp", "time")
_UNIT_NAMES: Final = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs", "usec", "usecs", "micros"), "us"),
    **dict.fromkeys(("microsecond", "microseconds"), "us"),
    **dict.fromkeys(("ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"), "ns"),
}
_TIME_NAME: Final = re.compile(
    r"(?:(?:date|elapsed|epoch|relative|unix|utc|local)?[ _.]?(?:timestamp|time)|elapsed|epoch|ts)"
    rf"[ _.]*(?:in )?[(\[]?(|{'|'.join(_UNIT_NAMES)})[)\]]?|(seconds|milliseconds|microseconds)",
    re.IGNORECASE,
)
_FORMATS: Final = (
    *("%Y.%m.%d_%H.%M.%S", "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S.%f"),
    *("%H:%M:%S", "%H:%M:%S.%f"),  # of a day that is not said
)
_DECLARED: Final = re.compile(r'"?sep=(.)"?\n')  # Excel's
_SEPARATORS: Final = (",", ";", "\t", "|", " ")
_NUMBER: Final = re.compile(
    r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?", re.ASCII
)
_THREE: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?", re.ASCII)
_EPOCH_S: Final = (946_684_800, 4_102_444_800)  # the years 2000 to 2100
_STEPS_S: Final = (1e-3, 60.0)  # between two rows of a recording, counted from 1970
_LATEST: Final = 10**20  # more than ns since 1970
_LONGEST_STEP_S: Final = 1.5  # of rows that are taken as seconds
_LARGEST_BPS: Final = 1e12


class OtherKindError(ValueError):
    """A file of another sort: nothing in it is as it should be."""


@dataclass(frozen=True)
class Asked:
    """What is said of a table: its columns and their units; "" and None where it says so itself."""

    column: str = ""
    unit_bps: float | None = None
    time: str = ""
    time_unit: str = ""


@dataclass(frozen=True)
class _Table:
    """Names of columns, and the cells of each row with the line on which it begins."""

    separator: str
    names: Sequence[str]
    rows: Sequence[tuple[int, list[str]]]

    def cells(self, name: str) -> list[tuple[int, str]]:
        """Those of a column, each with its line."""
        at = self.names.index(name)
        return [
            (self._line(begin, row, at), row[at] if at < len(row) else "")
            for begin, row in self.rows
        ]

    @staticmethod
    def _line(begin: int, row: list[str], at: int) -> int:
        """That of a cell: quoted cells before it may have line ends."""
        return begin + sum(cell.count("\n") for cell in row[:at])


def _records(text: str, separator: str, begin: int) -> Iterator[tuple[int, list[str]]]:
    """The rows that say anything, with the line on which each begins."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    line = begin
    for row in reader:
        cells = [cell.strip() for cell in row]
        if any(cells) and not cells[0].startswith("#"):
            yield line, cells
        line = begin + reader.line_num


def _head(text: str, separator: str) -> list[str]:
    """The names of the columns."""
    return next((cells for _, cells in _records(text, separator, 1)), [])


def _separator(text: str, wanted: Sequence[str]) -> str:
    """The one that finds a column which is wanted, else the one that finds most."""
    heads = {separator: _head(text, separator) for separator in _SEPARATORS}
    for separator, names in heads.items():
        if any(name in names for name in wanted):
            return separator
    return max(_SEPARATORS[:-1], key=lambda separator: len(heads[separator]))


def _table(text: str, wanted: Sequence[str]) -> _Table:
    declared = _DECLARED.match(text)
    body = text[declared.end() :] if declared else text
    separator = declared[1] if declared else _separator(body, wanted)
    rows = list(_records(body, separator, 2 if declared else 1))
    names = rows[0][1] if rows else []
    for line, cells in rows[1:]:
        if any(cells[len(names) :]):
            raise ValueError(
                f"line {line}: {len(cells)} cells below {len(names)} names of columns; quote "
                "numbers with a decimal comma, or separate cells by ;"
            )
    return _Table(separator, names, rows[1:])


def _one(name: str, names: Sequence[str]) -> str:
    if names.count(name) > 1:
        raise ValueError(f"there are {names.count(name)} columns {name!r}; rename all but one")
    return name


def _rate_column(asked: Asked, names: Sequence[str]) -> str:
    listed = ", ".join(name for name in names if name)
    if asked.column:
        if asked.column not in names:
            raise OtherKindError(f"there is no column {asked.column!r}; there are {listed}")
        return _one(asked.column, names)
    found = next((name for name in _RATES if name in names), "")
    if not found:
        raise OtherKindError(f"no column of rates is known; name one with --column: {listed}")
    return _one(found, names)


def _time_column(asked: Asked, names: Sequence[str]) -> str:
    if asked.time:
        if asked.time not in names:
            listed = ", ".join(name for name in names if name)
            raise ValueError(f"there is no column {asked.time!r}; there are {listed}")
        return _one(asked.time, names)
    known = [name for name in _TIMES if name in names]
    known += [name for name in names if _TIME_NAME.fullmatch(name)]
    return _one(known[0], names) if known else ""


def _plain(cells: Sequence[tuple[int, str]], separator: str) -> list[tuple[int, str]]:
    """Numbers with a decimal point, and without signs between thousands."""
    commas = [text for _, text in cells if "," in text]
    if not commas:
        return list(cells)
    # A column has one notation. Where cells are separated by commas, 1,000 may be either.
    both = next((text for text in commas if "." in text), "")
    thousands = bool(both) and both.rindex(".") > both.rindex(",")
    if not both and separator == "," and all(_THREE.fullmatch(text) for text in commas):
        thousands = commas[0].count(",") > 1
        if not thousands:
            line = next(line for line, text in cells if "," in text)
            raise ValueError(
                f"line {line}: {commas[0]!r} may have a decimal comma or thousands; write it "
                "without a comma"
            )
    gone, mark = (",", ".") if thousands else (".", ",")
    return [(line, text.replace(gone, "").replace(mark, ".")) for line, text in cells]


def _open_comma(name: str, cells: Sequence[tuple[int, str]], separator: str) -> str:
    """A note where each comma of a column could stand between thousands, and is read as decimal."""
    commas = [text for _, text in cells if "," in text]
    if separator == "," or not commas or not all(_THREE.fullmatch(text) for text in commas):
        return ""
    if any("." in text or text.count(",") > 1 or text.startswith("0,") for text in commas):
        return ""
    return f"{name}: {commas[0]} is taken as {commas[0].replace(',', '.')}, with a decimal comma"


def _rates(cells: Sequence[tuple[int, str]], separator: str) -> list[float]:
    found = []
    for (line, text), (_, given) in zip(_plain(cells, separator), cells, strict=True):
        rate = float(text) if _NUMBER.fullmatch(text) else -1.0
        if not 0 <= rate < _LARGEST_BPS:
            raise ValueError(f"line {line}: {given[:40]!r} is not a rate from 0 on")
        found.append(rate)
    return found


def _date_ns(text: str) -> int | None:
    """A date with a time, in ns since 1970; of no time zone as of UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        for form in _FORMATS:
            try:
                found = datetime.strptime(text.replace(",", "."), form)
                break
            except ValueError:
                pass
        else:
            return None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    since = found - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * NS + since.microseconds * 1000


def _is_date(text: str) -> bool:
    return not _NUMBER.fullmatch(text.replace(",", ".")) and _date_ns(text) is not None


def _time_unit(name: str, asked: Asked, times: Sequence[Decimal]) -> tuple[str, str]:
    """The unit of a column of numbers, and how it is known."""
    named = _TIME_NAME.fullmatch(name)
    if asked.time_unit:
        return asked.time_unit, ""
    if named and (unit := named[1] or named[2]):
        return _UNIT_NAMES[unit.lower()], ""
    steps = [float(later - time) for time, later in pairwise(sorted(set(times)))]
    step = median_low(steps) if steps else 1.0
    for unit, size in TIME_UNITS_NS.items():
        seconds = size / NS
        since_1970 = _EPOCH_S[0] <= float(times[0]) * seconds < _EPOCH_S[1]
        if since_1970 and _STEPS_S[0] <= step * seconds <= _STEPS_S[1]:
            return unit, f"times are {unit} since 1970"
    if step <= _LONGEST_STEP_S:
        return "s", "times are taken as seconds; --time-unit says otherwise"
    raise ValueError(
        f"--time-unit: say whether {name} is in {', '.join(TIME_UNITS_NS)}: rows are {step:g} apart"
    )


def _times(
    name: str, cells: Sequence[tuple[int, str]], asked: Asked, separator: str
) -> tuple[list[int], str]:
    """Of each row, in ns; and a note."""
    if cells and _is_date(cells[0][1]):
        dates = [_date_ns(text) for _, text in cells]
        if None in dates:
            line, text = cells[dates.index(None)]
            raise ValueError(f"line {line}: {text[:40]!r} is not a time as those above")
        return [each for each in dates if each is not None], ""
    numbers = []
    for (line, text), (_, given) in zip(_plain(cells, separator), cells, strict=True):
        if not _NUMBER.fullmatch(text) or abs(Decimal(text)) > _LATEST:
            raise ValueError(
                f"line {line}: {given[:40]!r} is not a time; write 2026-01-31 12:00:00, or seconds"
            )
        numbers.append(Decimal(text))
    unit, note = _time_unit(name, asked, numbers)
    return [int(number * TIME_UNITS_NS[unit]) for number in numbers], note


def read(text: str, asked: Asked) -> tuple[Timed, list[str]]:
    """The rates of a table over time, and what was read, joined, filled and left out."""
    if not text.strip():
        raise OtherKindError("it is empty")
    table = _table(text, [asked.column] if asked.column else list(_RATES))
    column = _rate_column(asked, table.names)
    unit_bps = asked.unit_bps or _RATES.get(column)
    if unit_bps is None:
        raise ValueError(f"--unit: say whether {column} is in bit, kbit or mbit")
    time = _time_column(asked, table.names)
    rates = [rate * unit_bps for rate in _rates(table.cells(column), table.separator)]
    if not rates:
        raise ValueError("it has no rows")
    if time:
        times, note = _times(time, table.cells(time), asked, table.separator)
    else:
        times = [index * NS for index in range(len(rates))]
        note = "no column of times is known, so rows are 1 s apart; --time-column names one"
    lines = [line for line, _ in table.rows]
    found, told = timed([Row(*each) for each in zip(lines, times, rates, strict=True)])
    head = f"{len(rates):,} rows read, {spoken_ns(found.end_ns)}"
    notes = [note, _open_comma(column, table.cells(column), table.separator)]
    return found, [head, *filter(None, notes), *told]
