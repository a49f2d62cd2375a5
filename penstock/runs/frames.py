# SPDX-License-Identifier: GPL-2.0-only
"""Rows of runs as tables: of runs, of groups, of single flows, and of samples over time."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from penstock.backends import Row
from penstock.results import settings
from penstock.results.columns import COLUMNS, KEYS, NAMES
from penstock.results.metrics import Value

_TYPES: Final = {"str": pl.String, "int": pl.Int64, "float": pl.Float64}
_RUNS: Final = {column.name: _TYPES[column.kind] for column in COLUMNS}
_FLOW: Final = {
    **{"group": pl.String, "flow": pl.Int64, "start_s": pl.Float64, "transfer_s": pl.Float64},
    **{"size_bytes": pl.Int64, "delivered_bytes": pl.Int64, "goodput_mbps": pl.Float64},
    **{"retransmissions": pl.Int64, "timeouts": pl.Int64},
}
_SERIES: Final = {
    **{"time_s": pl.Float64, "queue_bytes": pl.Int64, "window_bytes": pl.Int64},
    **{"cwnd_bytes": pl.List(pl.Int64), "send_window_bytes": pl.List(pl.Int64)},
}


def runs(rows: Sequence[Mapping[str, Value]]) -> pl.DataFrame:
    """One row per run, with the types of columns.py; settings are text, after the keys."""
    order = [*KEYS, *settings.names(rows), *NAMES]
    schema = {name: _RUNS.get(name, pl.String) for name in order}
    return pl.DataFrame([dict(row) for row in rows], schema=schema, orient="row")


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
    return {**{name: series[name] for name in ("time_s", "queue_bytes", "window_bytes")}, **windows}


def series(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per sample of each sampled run."""
    return _joined(rows, [_samples(row.series) for row in rows], _SERIES)
