# SPDX-License-Identifier: GPL-2.0-only
"""Files that a scenario names: transfers of a traffic group, and links' traces.

A result depends on what such a file holds and not on its name, so that a digest of
its content takes its place where a cell is hashed.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from penstock.scenario import trace_formats, traces, units
from penstock.scenario.source import is_file
from penstock.text import decoded

_LARGEST_BYTES: Final = 200_000_000
_LARGEST_NS: Final = 10**15
_LARGEST_TRANSFER: Final = 1 << 40
_NS: Final = 10**9


@dataclass(frozen=True)
class Transfers:
    """The transfers of a trace in their order: (time in ns, bytes)."""

    path: str
    digest: str
    entries: tuple[tuple[int, int], ...]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class _File:
    """A text file: the words of each line that has any, with its number."""

    path: str
    digest: str
    text: str
    words: list[tuple[int, list[str]]]


def _lines(value: object, what: str) -> _File:
    if not isinstance(value, str) or not value or "\0" in value:
        raise ValueError(f"expected the path of a file with {what}")
    try:
        with Path(value).open("rb") as file:
            data = file.read(_LARGEST_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{value}: cannot be read: {error.strerror}") from None
    if len(data) > _LARGEST_BYTES:
        raise ValueError(f"{value}: the file is larger than {_LARGEST_BYTES} bytes")
    try:
        text = decoded(data)
    except ValueError as error:
        raise ValueError(f"{value}: {error}; expected {what}") from None
    split = ((n, line.partition("#")[0].split()) for n, line in enumerate(text.split("\n"), 1))
    words = [(n, parts) for n, parts in split if parts]
    if not words:
        raise ValueError(f"{value}: the file is empty; expected {what}")
    return _File(value, _digest(data), text, words)


_TRANSFERS: Final = "a time in seconds and a size in bytes on each line"


def _transfer(words: list[str]) -> tuple[int, int]:
    """One line; ValueError or ArithmeticError if it is none."""
    time, size = words
    at_ns = Decimal(time) * _NS
    if not 0 <= at_ns <= _LARGEST_NS or not 1 <= int(size) <= _LARGEST_TRANSFER:
        raise ValueError
    return int(at_ns), int(size)


def _transfers(value: object) -> Transfers:
    if isinstance(value, Transfers):
        return value
    file = _lines(value, _TRANSFERS)
    path = file.path
    entries: list[tuple[int, int]] = []
    for number, words in file.words:
        try:
            entries.append(_transfer(words))
        except (ValueError, ArithmeticError):
            raise ValueError(f"{path}:{number}: not {_TRANSFERS}") from None
        if len(entries) > 1 and entries[-1][0] < entries[-2][0]:
            raise ValueError(f"{path}:{number}: this time is before that of the line above")
    return Transfers(path, file.digest, tuple(entries))


@dataclass(frozen=True)
class Opportunities:
    """A link's trace: the milliseconds of its opportunities, in their order, and its origin."""

    path: str
    digest: str
    ms: tuple[int, ...]
    notes: tuple[tuple[str, str], ...] = ()

    @property
    def mean_bps(self) -> int:
        """The rate of full packets, over the trace, which is repeated."""
        return len(self.ms) * traces.PACKET_BYTES * 8 * 1000 // max(self.ms[-1], 1)


_TRACE: Final = "a whole number of milliseconds on each line, as mahimahi writes them"
_LARGEST_MS: Final = (1 << 32) - 1


def _opportunities(value: object) -> Opportunities:
    if isinstance(value, Opportunities):
        return value
    if isinstance(value, str) and not is_file(value):
        made = traces.named(value)
        return Opportunities(value, _digest(traces.text(made).encode()), tuple(made))
    file = _lines(value, _TRACE)
    path = file.path
    ms: list[int] = []
    for number, words in file.words:
        time_ms = units.whole_number(words[0], _LARGEST_MS)
        if len(words) != 1 or time_ms is None:
            raise ValueError(f"{path}:{number}: not {_TRACE}")
        ms.append(time_ms)
        if len(ms) > 1 and ms[-1] < ms[-2]:
            raise ValueError(f"{path}:{number}: this time is before that of the line above")
    if not ms[-1]:
        raise ValueError(
            f"{path}:{file.words[-1][0]}: a trace ends above 0 ms, where it is repeated"
        )
    origin = trace_formats.notes(file.text)
    return Opportunities(path, file.digest, tuple(ms), tuple(origin.items()))


def _file(read: Callable[[object], object]) -> tuple[BeforeValidator, PlainSerializer]:
    return BeforeValidator(read), PlainSerializer(lambda file: {"sha256": file.digest})


_READ, _DIGEST = _file(_transfers)
_SCHEMA: Final = WithJsonSchema({"type": "string", "description": "the path of a file"})
TransferFile = Annotated[Transfers, _READ, _DIGEST, _SCHEMA]
_READ_TRACE, _TRACE_DIGEST = _file(_opportunities)
TraceFile = Annotated[Opportunities, _READ_TRACE, _TRACE_DIGEST, _SCHEMA]
