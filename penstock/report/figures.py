# SPDX-License-Identifier: GPL-2.0-only
"""The report's plots, as Plotly figures without colours of their own for text and ground."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from penstock.report.data import Data, Load
from penstock.results import completions, stats
from penstock.results.tables import load_text, receivers_text

# For methods that have no colour of their own.
_OTHERS: Final = ("#cc6688", "#7a9a01", "#a6761d", "#4d4dff")
_BARS_HEIGHT: Final = 270
_ROW_HEIGHT: Final = 105
_GRID_HEIGHT: Final = 300  # at least, where there are few rows
_TICKS_HEIGHT: Final = 56  # of ticks and title of an x axis
_NAMES_HEIGHT: Final = 22  # of a line of the legend
_NAMES_WIDE: Final = 10  # in a line of the legend, at most
_NAMES_STACKED: Final = 2
_STACKED_HEIGHT: Final = 240  # of each further panel where panels are stacked
_STACKED_ROW: Final = 130
_CDF_POINTS: Final = 400  # of a curve in the page

Trace = tuple[str, Sequence[float]]


@dataclass(frozen=True)
class Quantity:
    """The content of a grid of series: traces of one run, axis title, and a limit to draw."""

    title: str
    traces: Callable[[Mapping[str, Any]], list[Trace]]
    limit: float | None = None


def colour(data: Data, method: str, methods: Sequence[str]) -> str:
    """The colour of a method, the same in all plots."""
    known = data.methods
    own = {name: known[name].colour for name in methods if name in known and known[name].colour}
    others = [name for name in methods if name not in own]
    return own.get(method) or _OTHERS[others.index(method) % len(_OTHERS)]


def _layout(figure: go.Figure, height: int, below: int, **more: Any) -> go.Figure:
    """The style of all figures; `below` pixels are for what is under the axes."""
    legend = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0}
    figure.update_layout(
        height=height + below,
        margin={"l": 64, "r": 28, "t": 36, "b": below},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13},
        legend=legend,
        hoverlabel={"namelength": -1},
        **more,
    )
    return figure


def _stackable(build: Callable[[bool], go.Figure], panels: int) -> go.Figure:
    """A figure of panels side by side, and for narrow pages its layout with them stacked.

    Both number the axes row by row, so they share the traces.
    """
    figure = build(False)
    if panels > 1:
        stacked = build(True).to_plotly_json()["layout"]
        stacked.pop("template", None)
        figure.update_layout(meta={"stacked": stacked})
    return figure


def _panel(receivers: str) -> str:
    return f"receive window: {receivers_text(receivers)}"


def _row_of_panels(receivers: Sequence[str], stacked: bool, tick_lines: int = 1) -> go.Figure:
    """A panel for each sort of receivers, with room for so many lines of text at its ticks."""
    count = len(receivers)
    return make_subplots(
        rows=count if stacked else 1,
        cols=1 if stacked else count,
        shared_yaxes=not stacked,
        horizontal_spacing=0.03,
        vertical_spacing=0.09 + 0.035 * tick_lines if stacked else None,
        subplot_titles=[_panel(name) for name in receivers],
    )


def _cell(place: int, stacked: bool) -> dict[str, int]:
    """Where the panel with this number is in a row of panels."""
    return {"row": place, "col": 1} if stacked else {"row": 1, "col": place}


def _finish_row(
    figure: go.Figure, count: int, y_title: str, top: float, stacked: bool, **more: Any
) -> go.Figure:
    """The y axis of all panels up to the same value, and the layout."""
    figure.update_yaxes(range=[0, top * 1.06 or 1])
    figure.update_yaxes(title_text=y_title, **({} if stacked else {"col": 1}))
    names = sum(trace.showlegend for trace in figure.data)
    lines = math.ceil(names / (_NAMES_STACKED if stacked else _NAMES_WIDE))
    height = _BARS_HEIGHT + (count - 1) * _STACKED_HEIGHT * stacked
    return _layout(figure, height, _TICKS_HEIGHT + lines * _NAMES_HEIGHT, **more)


def _below(mean: stats.Mean | None) -> float:
    """The extent of the interval below the mean, not below zero."""
    return min(mean.half or 0.0, max(mean.mean, 0.0)) if mean else 0.0


def _bars(data: Data, column: str, title: str, stacked: bool) -> go.Figure:
    receivers, methods, loads = data.receivers, data.labels, data.loads
    ticks = [load_text(*load).replace(", ", "<br>") for load in loads]
    tick_lines = max(text.count("<br>") + 1 for text in ticks)
    figure, top = _row_of_panels(receivers, stacked, tick_lines), 0.0
    for place, name in enumerate(receivers, start=1):
        for method in methods:
            lines = [data.line(name, flows, method, settings) for flows, settings in loads]
            means = [line.means.get(column) if line else None for line in lines]
            top = max([top, *(mean.high for mean in means if mean)])
            figure.add_bar(
                x=ticks,
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
                meta=_panel(name),
                legendgroup=method,
                showlegend=place == 1,
                marker_color=colour(data, method, methods),
                **_cell(place, stacked),
            )
    return _finish_row(figure, len(receivers), title, top, stacked, barmode="group", bargap=0.18)


def bars(data: Data, column: str, title: str) -> go.Figure:
    """Means with intervals by number of flows and method, one panel for each receivers."""
    return _stackable(lambda stacked: _bars(data, column, title, stacked), len(data.receivers))


def queue_over_time(limit_bytes: int | None) -> Quantity:
    """The length of the measured queue."""
    return Quantity(
        "queue, kilobytes",
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
    return Quantity("window, kilobytes", _windows)


def _cells(data: Data) -> list[tuple[str, str]]:
    """Methods and receivers of a grid, row by row."""
    return [(method, name) for method in data.labels for name in data.receivers]


def _frame(data: Data, stacked: bool) -> go.Figure:
    """The axes of a grid: methods by receivers, or one below the other."""
    receivers, methods = data.receivers, data.labels
    if stacked:
        cells = _cells(data)
        return make_subplots(
            rows=len(cells),
            cols=1,
            shared_xaxes=True,
            vertical_spacing=0.36 / max(len(cells), 1),
            subplot_titles=[
                f"{data.name(method)}, {receivers_text(name)}" for method, name in cells
            ],
        )
    return make_subplots(
        rows=len(methods),
        cols=len(receivers),
        shared_xaxes=True,
        shared_yaxes=True,
        vertical_spacing=0.14 / max(len(methods), 1),
        horizontal_spacing=0.03,
        column_titles=[_panel(name) for name in receivers],
        row_titles=[data.name(method) for method in methods],
    )


def _grid(data: Data, load: Load, quantity: Quantity, stacked: bool) -> go.Figure:
    methods, cells = data.labels, _cells(data)
    across = 1 if stacked else len(data.receivers)
    figure, top = _frame(data, stacked), quantity.limit or 0.0
    for number, (method, name) in enumerate(cells):
        row, column = number // across + 1, number % across + 1
        series = data.series.get((name, load, method))
        for index, (label, values) in enumerate(quantity.traces(series) if series else []):
            shade = (colour(data, method, methods), *_OTHERS)[index % (1 + len(_OTHERS))]
            top = max([top, *values])
            figure.add_scatter(
                x=series["time_s"] if series else [],
                y=values,
                name=f"{data.name(method)}: {label}",
                meta=_panel(name),
                line={"color": shade, "width": 1},
                row=row,
                col=column,
            )
        if quantity.limit is not None:
            line = {"dash": "dot", "width": 1, "color": "#909090"}
            figure.add_hline(quantity.limit, line=line, row=row, col=column)
    rows = len(cells) // across
    figure.update_yaxes(range=[0, top * 1.06 or 1], nticks=4)
    figure.update_xaxes(title_text="time, seconds", title_standoff=8, row=rows)
    figure.update_yaxes(title_text=quantity.title, row=(rows + 1) // 2, col=1)
    height = max((_STACKED_ROW if stacked else _ROW_HEIGHT) * rows, _GRID_HEIGHT)
    return _layout(figure, height, _TICKS_HEIGHT, showlegend=False)


def grid(data: Data, load: Load, quantity: Quantity) -> go.Figure | None:
    """One small plot for each method and receivers, axes the same; None without series."""
    if not any(place[1] == load for place in data.series):
        return None
    return _stackable(lambda stacked: _grid(data, load, quantity, stacked), len(data.receivers))


def _shares(counts: Mapping[float, int]) -> tuple[list[float], list[float]]:
    """The steps of an empirical distribution; of many times, every so many."""
    times, shares = completions.shares(counts)
    step = max(len(times) // _CDF_POINTS, 1)
    kept = sorted({*range(0, len(times), step), len(times) - 1})
    return [times[index] for index in kept], [shares[index] for index in kept]


def _span(data: Data, load: Load, group: str) -> list[float]:
    """From the shortest to the longest transfer, and a little more."""
    here = (groups for place, groups in data.transfers.items() if place[1] == load)
    every = [time for groups in here for time in groups.get(group, ())]
    shortest, longest = min(every), max(every)
    margin = 0.02 * (longest - shortest) or 0.1 * longest
    return [max(shortest - margin, 0.0), longest + margin]


def _transfers(data: Data, load: Load, group: str, stacked: bool) -> go.Figure:
    receivers, methods = data.receivers, data.labels
    figure = _row_of_panels(receivers, stacked)
    for place, name in enumerate(receivers, start=1):
        for method in methods:
            counts = data.transfers.get((name, load, method), {}).get(group)
            if not counts:
                continue
            x, y = _shares(counts)
            figure.add_scatter(
                x=x,
                y=y,
                name=data.name(method),
                meta=_panel(name),
                legendgroup=method,
                showlegend=place == 1,
                line={"color": colour(data, method, methods), "width": 1.6, "shape": "hv"},
                **_cell(place, stacked),
            )
    last = {"row": len(receivers)} if stacked else {}
    figure.update_xaxes(range=_span(data, load, group))
    figure.update_xaxes(title_text="transfer time, seconds", title_standoff=8, **last)
    return _finish_row(figure, len(receivers), "share of transfers", 1.0, stacked)


def transfers(data: Data, load: Load, group: str) -> go.Figure:
    """The distribution of a group's transfer times over all seeds."""
    return _stackable(lambda stacked: _transfers(data, load, group, stacked), len(data.receivers))


def _level(entry: Mapping[str, Any]) -> str:
    parts = [f"at {entry['level_percent']:g} % loss", *entry.get("settings", "").split(", ")]
    return "<br>".join(part for part in parts if part)


def _served(data: Data, stacked: bool) -> go.Figure:
    receivers = list(dict.fromkeys(entry["receivers"] for entry in data.served))
    methods = list(dict.fromkeys(entry["method"] for entry in data.served))
    figure, top = _row_of_panels(receivers, stacked), 0
    for place, name in enumerate(receivers, start=1):
        for method in methods:
            entries = [
                entry
                for entry in data.served
                if (entry["receivers"], entry["method"]) == (name, method)
            ]
            top = max([top, *(entry["flows"] or 0 for entry in entries)])
            figure.add_bar(
                x=[_level(entry) for entry in entries],
                y=[entry["flows"] for entry in entries],
                name=data.name(method),
                meta=_panel(name),
                legendgroup=method,
                showlegend=place == 1,
                marker_color=colour(data, method, methods),
                **_cell(place, stacked),
            )
    return _finish_row(
        figure, len(receivers), "flows served", top, stacked, barmode="group", bargap=0.18
    )


def served(data: Data) -> go.Figure | None:
    """Flows served at each level of loss; None without a search."""
    if not data.served:
        return None
    panels = len({entry["receivers"] for entry in data.served})
    return _stackable(lambda stacked: _served(data, stacked), panels)
