# SPDX-License-Identifier: GPL-2.0-only
"""The report's plots, as Plotly figures without colours of their own for text and ground."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from penstock.report.data import Data, Load
from penstock.results import stats
from penstock.results.tables import load_text, receivers_text

# For methods that have no colour of their own.
_OTHERS: Final = ("#cc6688", "#7a9a01", "#a6761d", "#4d4dff")
_BARS_HEIGHT: Final = 360
_ROW_HEIGHT: Final = 105
_GRID_HEIGHT: Final = 300  # at least, where there are few rows
_FRAME_HEIGHT: Final = 110

Trace = tuple[str, Sequence[float]]


@dataclass(frozen=True)
class Quantity:
    """What a grid of series shows: traces of one run, axis title, and a limit to draw."""

    title: str
    traces: Callable[[Mapping[str, Any]], list[Trace]]
    limit: float | None = None


def colour(data: Data, method: str, methods: Sequence[str]) -> str:
    """The colour of a method, the same in all plots."""
    known = data.methods
    own = {name: known[name].colour for name in methods if name in known and known[name].colour}
    others = [name for name in methods if name not in own]
    return own.get(method) or _OTHERS[others.index(method) % len(_OTHERS)]


def _layout(figure: go.Figure, height: int, **more: Any) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 64, "r": 28, "t": 36, "b": 48},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13},
        legend={"orientation": "h", "y": -0.12, "yanchor": "top", "x": 0},
        hoverlabel={"namelength": -1},
        **more,
    )
    return figure


def _below(mean: stats.Mean | None) -> float:
    """How far the interval reaches below the mean; not below zero."""
    return min(mean.half or 0.0, max(mean.mean, 0.0)) if mean else 0.0


def bars(data: Data, column: str, title: str) -> go.Figure:
    """Means with intervals by number of flows and method, one panel for each receivers."""
    receivers, methods, loads = data.receivers, data.labels, data.loads
    figure = make_subplots(
        cols=len(receivers),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[f"receive window: {receivers_text(name)}" for name in receivers],
    )
    for place, name in enumerate(receivers, start=1):
        for method in methods:
            lines = [data.line(name, flows, method, settings) for flows, settings in loads]
            means = [line.means.get(column) if line else None for line in lines]
            figure.add_bar(
                x=[load_text(*load).replace(", ", "<br>") for load in loads],
                y=[mean.mean if mean else None for mean in means],
                error_y={
                    "array": [mean.half or 0 if mean else 0 for mean in means],
                    "arrayminus": [_below(mean) for mean in means],
                    "symmetric": False,
                    "thickness": 1,
                    "width": 3,
                    "color": "#808080",
                },
                name=data.name(method),
                legendgroup=method,
                showlegend=place == 1,
                marker_color=colour(data, method, methods),
                col=place,
                row=1,
            )
    figure.update_yaxes(title_text=title, col=1)
    figure.update_yaxes(rangemode="tozero")
    return _layout(figure, _BARS_HEIGHT, barmode="group", bargap=0.18)


def queue_over_time(limit_bytes: int | None) -> Quantity:
    """The bytes that wait in the measured queue."""
    return Quantity(
        "queue, kB",
        lambda series: [("queue", [value / 1e3 for value in series["queue_bytes"]])],
        limit_bytes / 1e3 if limit_bytes else None,
    )


def _windows(series: Mapping[str, Any]) -> list[Trace]:
    if len(series["cwnd_bytes"]) > 1:
        return [
            (f"congestion window, flow {index}", [value / 1e3 for value in row])
            for index, row in enumerate(series["cwnd_bytes"], start=1)
        ]
    return [
        ("min(congestion, receive)", [min(pair) / 1e3 for pair in zip(*both, strict=True)])
        for both in zip(series["cwnd_bytes"], series["send_window_bytes"], strict=True)
    ]


def window_over_time(_: int | None = None) -> Quantity:
    """What limits the sampled flows: one flow's sending window, or several congestion windows."""
    return Quantity("window, kB", _windows)


def grid(data: Data, load: Load, quantity: Quantity) -> go.Figure | None:
    """One small plot for each method and receivers, axes shared; None without series."""
    receivers, methods = data.receivers, data.labels
    if not any(place[1] == load for place in data.series):
        return None
    figure = make_subplots(
        rows=len(methods),
        cols=len(receivers),
        shared_xaxes=True,
        shared_yaxes=True,
        vertical_spacing=0.14 / max(len(methods), 1),
        horizontal_spacing=0.03,
        column_titles=[f"receive window: {receivers_text(name)}" for name in receivers],
        row_titles=[data.name(method) for method in methods],
    )
    for row, method in enumerate(methods, start=1):
        for column, name in enumerate(receivers, start=1):
            series = data.series.get((name, load, method))
            for index, (label, values) in enumerate(quantity.traces(series) if series else []):
                shade = (colour(data, method, methods), *_OTHERS)[index % (1 + len(_OTHERS))]
                figure.add_scatter(
                    x=series["time_s"] if series else [],
                    y=values,
                    name=f"{data.name(method)}: {label}",
                    line={"color": shade, "width": 1},
                    row=row,
                    col=column,
                )
            if quantity.limit is not None:
                line = {"dash": "dot", "width": 1, "color": "#909090"}
                figure.add_hline(quantity.limit, line=line, row=row, col=column)
    figure.update_yaxes(rangemode="tozero", nticks=4)
    figure.update_xaxes(title_text="time, s", row=len(methods))
    figure.update_yaxes(title_text=quantity.title, row=(len(methods) + 1) // 2, col=1)
    height = max(_ROW_HEIGHT * len(methods), _GRID_HEIGHT)
    return _layout(figure, _FRAME_HEIGHT + height, showlegend=False)


def _level(entry: Mapping[str, Any]) -> str:
    parts = [f"at {entry['level_percent']:g} % loss", *entry.get("settings", "").split(", ")]
    return "<br>".join(part for part in parts if part)


def served(data: Data) -> go.Figure | None:
    """Flows served at each level of loss; None without a search."""
    if not data.served:
        return None
    receivers = list(dict.fromkeys(entry["receivers"] for entry in data.served))
    methods = list(dict.fromkeys(entry["method"] for entry in data.served))
    figure = make_subplots(
        cols=len(receivers),
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=[f"receive window: {receivers_text(name)}" for name in receivers],
    )
    for place, name in enumerate(receivers, start=1):
        for method in methods:
            entries = [
                entry
                for entry in data.served
                if (entry["receivers"], entry["method"]) == (name, method)
            ]
            figure.add_bar(
                x=[_level(entry) for entry in entries],
                y=[entry["flows"] for entry in entries],
                name=data.name(method),
                legendgroup=method,
                showlegend=place == 1,
                marker_color=colour(data, method, methods),
                col=place,
                row=1,
            )
    figure.update_yaxes(title_text="flows served", col=1)
    return _layout(figure, _BARS_HEIGHT, barmode="group", bargap=0.18)
