# SPDX-License-Identifier: GPL-2.0-only
"""Rows of runs as tables: of runs, groups, single flows and queues, and of samples over time."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from penstock.columns import COLUMNS, KEYS, NAMES, QUEUE_COLUMNS
from penstock.results import settings, table_columns
from penstock.results.completions import by_group, shares
from penstock.results.flows import COUNTERS
from penstock.results.metrics import Value
from penstock.results.queues import ALL_TRAFFIC, FIGURES, PLACE, SERIES
from penstock.results.row import Row

_TYPES: Final = {"str": pl.String, "int": pl.Int64, "float": pl.Float64}
_RUNS: Final = {column.name: _TYPES[column.kind] for column in COLUMNS}
_FLOW: Final = {
    **{"group": pl.String, "flow": pl.Int64, "start_s": pl.Float64, "transfer_s": pl.Float64},
    **{"size_bytes": pl.Int64, "delivered_bytes": pl.Int64, "goodput_mbps": pl.Float64},
    **dict.fromkeys(COUNTERS, pl.Int64),
}
_SERIES: Final = {
    **{"time_s": pl.Float64, **dict.fromkeys(SERIES, pl.Int64)},
    **{"cwnd_bytes": pl.List(pl.Int64), "send_window_bytes": pl.List(pl.Int64)},
}


_QUEUE: Final = {
    **{"link": pl.String, "direction": pl.String, "number": pl.Int64, "gateway": pl.String},
    **{name: _RUNS[name] for name in QUEUE_COLUMNS},
}
_LOW_LATENCY: Final = {name: pl.Float64 for name, *_ in table_columns.LOW_LATENCY}
_QUEUE_SERIES: Final = {
    **{"link": pl.String, "direction": pl.String, "number": pl.Int64, "gateway": pl.String},
    **{"time_s": pl.Float64, **dict.fromkeys(SERIES, pl.Int64)},
}
_COMPLETIONS: Final = {
    **{"group": pl.String, "transfer_s": pl.Float64, "transfers": pl.Int64, "share": pl.Float64},
}
_DELAYS: Final = {
    **{"link": pl.String, "direction": pl.String, "number": pl.Int64, "gateway": pl.String},
    **{"group": pl.String, "share": pl.Float64, "delay_ms": pl.Float64},
}
_GROUP_DELAYS: Final = {
    **{"link": pl.String, "direction": pl.String, "number": pl.Int64, "gateway": pl.String},
    **{"group": pl.String, "packets": pl.Int64},
    **{f"queue_delay_ms_{figure}": pl.Float64 for figure in FIGURES},
}


def runs(rows: Sequence[Mapping[str, Value]]) -> pl.DataFrame:
    """One row per run, with the types of columns.py.

    Settings are after the keys: as text, and beside it as numbers in SI units.
    """
    given = [settings.given(row) for row in rows]
    numbers = settings.as_numbers(given)
    order = [*KEYS, *settings.columns(given, numbers), *NAMES]
    types = {**_RUNS, **dict.fromkeys(numbers.values(), pl.Float64)}
    schema = {name: types.get(name, pl.String) for name in order}
    found = [
        {**row, **settings.with_numbers(mine, numbers)}
        for row, mine in zip(rows, given, strict=True)
    ]
    return pl.DataFrame(found, schema=schema, orient="row")


def _keys(rows: Sequence[Row]) -> list[str]:
    """The columns that identify a run."""
    return [*KEYS, *settings.names(row.columns for row in rows)]


def groups(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per traffic group and run."""
    keys = _keys(rows)
    by_group = [
        {key: row.columns.get(key) for key in keys} | group for row in rows for group in row.groups
    ]
    return pl.DataFrame(by_group, infer_schema_length=None)


def _joined(
    rows: Sequence[Row], found: Sequence[Mapping[str, Sequence[Any]]], types: Mapping[str, Any]
) -> pl.DataFrame:
    """Concatenates the lists of each run, with the columns that identify it."""
    keys = _keys(rows)
    parts = []
    for row, lists in zip(rows, found, strict=True):
        if not lists:
            continue
        part = pl.DataFrame({name: lists[name] for name in types}, schema=dict(types))
        run = [
            pl.lit(row.columns.get(key), dtype=_RUNS.get(key, pl.String)).alias(key) for key in keys
        ]
        parts.append(part.select(*run, *types))
    return pl.concat(parts) if parts else pl.DataFrame()


def flows(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per single TCP flow of each run; results/flows.py defines the columns."""
    return _joined(rows, [row.flows for row in rows], _FLOW)


def _samples(series: Mapping[str, Any] | None) -> dict[str, Any]:
    """A run's series by sample; the windows of its flows as one list each."""
    if not series:
        return {}
    windows = {
        name: [list(each) for each in zip(*series[name], strict=True)]
        or [[] for _ in series["time_s"]]
        for name in ("cwnd_bytes", "send_window_bytes")
    }
    return {**{name: series[name] for name in ("time_s", *SERIES)}, **windows}


def series(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per sample of each sampled run."""
    return _joined(rows, [_samples(row.series) for row in rows], _SERIES)


def queues(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per queue and run; with the columns of low-latency queues, if there is one."""
    dual = any(_LOW_LATENCY.keys() <= queue.keys() for row in rows for queue in row.queues)
    types = {**_QUEUE, **_LOW_LATENCY} if dual else _QUEUE
    lists = [
        {name: [queue.get(name) for queue in row.queues] for name in types} if row.queues else {}
        for row in rows
    ]
    return _joined(rows, lists, types)


def _queue_samples(series: Mapping[str, Any] | None) -> dict[str, list[Any]]:
    """The series of all queues of a run, one after the other."""
    found: dict[str, list[Any]] = {name: [] for name in _QUEUE_SERIES}
    for queue in (series or {}).get("queues", ()):
        samples = len(queue["queue_bytes"])
        for name in PLACE:
            found[name] += [queue[name]] * samples
        found["time_s"] += series["time_s"] if series else []
        for name in SERIES:
            found[name] += queue[name]
    return found if found["time_s"] else {}


def queue_series(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per sample of each queue of each sampled run."""
    return _joined(rows, [_queue_samples(row.series) for row in rows], _QUEUE_SERIES)


def _distributions(row: Row) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {name: [] for name in _COMPLETIONS}
    for group, counts in by_group(row.flows, row.completions).items():
        times, parts = shares(counts)
        found["group"] += [group] * len(times)
        found["transfer_s"] += times
        found["transfers"] += [counts[time] for time in times]
        found["share"] += parts
    return found if found["group"] else {}


def completions(rows: Sequence[Row]) -> pl.DataFrame:
    """The distribution of completion times of each traffic group and run."""
    return _joined(rows, [_distributions(row) for row in rows], _COMPLETIONS)


def delays(rows: Sequence[Row]) -> pl.DataFrame:
    """The distribution of queueing delays at each gateway: quantiles by share of packets, of all
    traffic and of each group where there are several.
    """
    lists = [
        {"group": [ALL_TRAFFIC] * len(row.delays["share"]), **row.delays} if row.delays else {}
        for row in rows
    ]
    return _joined(rows, lists, _DELAYS)


def group_delays(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per group of traffic, run, and gateway or measured queue."""
    lists = [
        {name: [each[name] for each in row.group_delays] for name in _GROUP_DELAYS}
        if row.group_delays
        else {}
        for row in rows
    ]
    return _joined(rows, lists, _GROUP_DELAYS)
