# SPDX-License-Identifier: GPL-2.0-only
"""Writes data files of flent (version 4 of its format), by the names of series of its own tests.

flent draws a file by the test that it names, and a test's plots know their series by name.
"""

import gzip
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

STEP_NS: Final = 200_000_000  # flent's own
_VERSION: Final = 4
_RRUL_STREAMS: Final = 4  # each way, of rrul_be
_DIGITS: Final = 6
_NS: Final = 10**9
_EPOCH: Final = "1970-01-01T00:00:00.000000Z"  # simulated time has no other
_HOST: Final = "simulated"
_RATE, _DELAY, _INDEX = "Mbits/s", "ms", "Idx"

Rates = Sequence[float]
Delays = Sequence[float | None]


@dataclass(frozen=True)
class Run:
    """What a file shows: by flow and direction the goodput in Mbit/s of each step, and by step the
    round-trip time of probes, in ms, where there are any.
    """

    title: str
    note: str
    end_ns: int
    download: Sequence[Rates]
    upload: Sequence[Rates]
    ping: Delays | None = None


@dataclass(frozen=True)
class _Series:
    """A series as flent has it: a value for each step, None where there is none."""

    unit: str
    values: Sequence[float | None]

    @property
    def rounded(self) -> list[float | None]:
        return [None if value is None else round(value, _DIGITS) for value in self.values]


@dataclass(frozen=True)
class _Test:
    """A test of flent: its name, its series of streams each way, that of its probe, and what it
    takes as --test-parameter.
    """

    name: str
    streams: Mapping[str, Sequence[str]]
    ping: str
    parameters: Mapping[str, str] = field(default_factory=dict)


def _test(downs: int, ups: int) -> _Test:
    counts = {"download": downs, "upload": ups}
    parameters = {f"{way}_streams": str(count) for way, count in counts.items() if count}

    def names(way: str, first: str) -> list[str]:
        return [f"TCP {way}{first}::{number + 1}" for number in range(counts[way])]

    if downs == ups == _RRUL_STREAMS:
        best = ["BE", *(f"BE{number}" for number in range(2, _RRUL_STREAMS + 1))]
        streams = {way: [f"TCP {way} {each}" for each in best] for way in counts}
        return _Test("rrul_be", streams, "Ping (ms) UDP BE1")
    if downs and ups:
        streams = {way: names(way, " BE") for way in counts}
        return _Test("rrul_be_nflows", streams, "Ping (ms) UDP BE::1", parameters)
    way = "download" if downs else "upload"
    name = "tcp_ndown" if downs else "tcp_nup"
    return _Test(name, {way: names(way, "")}, "Ping (ms) ICMP", parameters)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _fairness(values: Sequence[float]) -> float | None:
    """Jain's index."""
    squares = math.fsum(value * value for value in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else None


def _streams(test: _Test, run: Run) -> dict[str, Rates]:
    rates = {"download": run.download, "upload": run.upload}
    return {
        stream: series
        for way, names in test.streams.items()
        for stream, series in zip(names, rates[way], strict=True)
    }


def _measured(test: _Test, run: Run) -> dict[str, _Series]:
    found = {name: _Series(_RATE, values) for name, values in _streams(test, run).items()}
    if run.ping is not None:
        found[test.ping] = _Series(_DELAY, run.ping)
    return found


def _computed(test: _Test, run: Run) -> dict[str, _Series]:
    """What flent itself computes of what it has measured."""
    streams, both = _streams(test, run), len(test.streams) > 1
    found: dict[str, _Series] = {}
    for way, names in test.streams.items():
        steps = list(zip(*(streams[name] for name in names), strict=True))
        found[f"TCP {way} avg"] = _Series(_RATE, [_mean(step) for step in steps])
        found[f"TCP {way} sum"] = _Series(_RATE, [math.fsum(step) for step in steps])
        if not both:
            found[f"TCP {way} fairness"] = _Series(_INDEX, [_fairness(step) for step in steps])
    if both:
        steps = list(zip(*streams.values(), strict=True))
        found["TCP totals"] = _Series(_RATE, [math.fsum(step) for step in steps])
    if both and run.ping is not None:
        found["Ping (ms) avg"] = _Series(_DELAY, run.ping)
    return found


def _meta(series: _Series) -> dict[str, Any]:
    known = [value for value in series.values if value is not None]
    return {"UNITS": series.unit} | ({"MEAN_VALUE": round(_mean(known), _DIGITS)} if known else {})


def _metadata(test: _Test, run: Run, name: str, every: Mapping[str, _Series]) -> dict[str, Any]:
    end_s = run.end_ns / _NS
    return {
        "NAME": test.name,
        "TITLE": run.title,
        "NOTE": run.note,
        "DATA_FILENAME": name,
        "LOCAL_HOST": _HOST,
        "HOST": _HOST,
        "HOSTS": [_HOST],
        "TIME": _EPOCH,
        "T0": _EPOCH,
        "LENGTH": end_s,
        "TOTAL_LENGTH": end_s,
        "STEP_SIZE": STEP_NS / _NS,
        "TEST_PARAMETERS": dict(test.parameters),
        "SERIES_META": {each: _meta(series) for each, series in every.items()},
    }


def _raw(times_s: Sequence[float], series: _Series) -> list[dict[str, float]]:
    return [
        {"t": time_s, "val": value}
        for time_s, value in zip(times_s, series.rounded, strict=True)
        if value is not None
    ]


def document(run: Run, name: str) -> dict[str, Any]:
    """The content of the file of that name."""
    test = _test(len(run.download), len(run.upload))
    measured = _measured(test, run)
    every = measured | _computed(test, run)
    # A step is known by its end; one that the run leaves unfinished does not count.
    times_s = [step * STEP_NS / _NS for step in range(1, run.end_ns // STEP_NS + 1)]
    return {
        "version": _VERSION,
        "metadata": _metadata(test, run, name, every),
        "x_values": times_s,
        "results": {each: series.rounded for each, series in every.items()},
        "raw_values": {each: _raw(times_s, series) for each, series in measured.items()},
    }


def write(path: Path, run: Run, name: str) -> None:
    """A file whose bytes depend on the run and its own name alone."""
    text = json.dumps(document(run, name), sort_keys=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
