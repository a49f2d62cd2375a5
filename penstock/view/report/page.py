# SPDX-License-Identifier: GPL-2.0-only
"""The report as one page: main result, tables and plots."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from penstock.columns import COLUMNS
from penstock.errors import UsageError
from penstock.results import differences, tables
from penstock.scenario import params
from penstock.view.plots import kinds, over_time, select
from penstock.view.plots import page as drawn
from penstock.view.plots.chart import Chart
from penstock.view.plots.data import Data, Load
from penstock.view.report import document, headline, paper
from penstock.view.report.document import Place

_MEANS: Final = (
    ("loss_percent", "Loss at the gateway"),
    ("transfer_s_max", "Slowest transfer"),
    ("transfer_s", "Transfer time, mean"),
    ("fct_ms_p99", "Transfer time, 99th percentile"),
    ("goodput_mbps_total", "Total goodput"),
    ("queue_delay_ms_p99", "Queueing delay, 99th percentile"),
    ("udp_loss_percent", "Loss of UDP"),
)
_OF_A_SWEEP: Final = ("loss_percent", "goodput_mbps_total")
_CURVE: Final = 3  # values of a key that make a line; fewer are bars


def _row(data: Data, line: tables.Line, cells: list[str]) -> dict[str, Any]:
    return {
        "flows": ", ".join(part for part in (str(line.flows), line.settings) if part),
        "method": data.name(line.label),
        "title": data.title(line.label),
        "cells": cells,
    }


def _groups(data: Data) -> list[dict[str, Any]]:
    """The summary by receivers: rows of texts."""
    shown = tables.shown_columns(data.lines)
    groups = []
    for receivers in dict.fromkeys(line.receivers for line in data.lines):
        rows = [
            _row(
                data,
                line,
                [tables.text(column, line.means.get(column.column)) for column in shown],
            )
            for line in data.lines
            if line.receivers == receivers
        ]
        groups.append({"receivers": tables.receivers_text(receivers), "rows": rows})
    return groups


_BASE: Final = "droptail"


def _differences(data: Data) -> list[dict[str, Any]]:
    """Each method's differences from drop-tail by seed."""
    shown = tables.shown_columns(data.lines)
    groups: dict[str, list[dict[str, Any]]] = {}
    for line in data.lines:
        base = differences.base_of(line, data.lines, _BASE)
        if base is None or base is line or max(map(len, line.values.values())) < 2:
            continue
        texts = [differences.text(column, line, base) for column in shown]
        groups.setdefault(tables.receivers_text(line.receivers), []).append(_row(data, line, texts))
    return [{"receivers": name, "rows": rows} for name, rows in groups.items()]


def _section(title: str, *charts: tuple[str, Chart]) -> dict[str, Any]:
    """A heading, and a figure with a tab for each chart."""
    tabs = [(label, document.content(drawn.draw(chart))) for label, chart in charts]
    shown = dict.fromkeys(chart.title for _, chart in charts if len(charts) == 1 and chart.title)
    return {"title": ", ".join([title, *shown]), "tabs": tabs}


def _mean(data: Data, column: str) -> Chart:
    """Lines over the key with most values, or bars where it has few."""
    title = ""
    try:
        chart = kinds.line(data, column, crowd=True)
    except UsageError:  # too much for one figure: the heaviest load of each sort of receivers
        most = max(line.flows for line in data.lines)
        data, title = select.only(data, [x for x in data.lines if x.flows == most]), f"{most} flows"
        chart = kinds.line(data, column, crowd=True)
    lengths = [len(each.x) for panel in chart.panels for each in panel.series]
    if chart.x.texts or max(lengths, default=0) < _CURVE:
        chart = kinds.bars(data, column, crowd=True)
    return replace(chart, title=title)


def _means(data: Data) -> list[dict[str, Any]]:
    """Means; none where one method at one load would be one point."""
    if len(data.lines) == 1:
        return []
    found = []
    users = not any(line.means.get("transfer_s_max") for line in data.lines)
    for column, title in _MEANS:
        told = users or not column.startswith("fct_")  # of single flows, it is the slowest
        if told and any(line.means.get(column) for line in data.lines):
            found += _drawn(title, partial(_mean, data, column))
    for column in _OF_A_SWEEP:
        title = f"{kinds.axis_title(column)} over two keys"
        found += _drawn(title[0].upper() + title[1:], partial(kinds.heat, data, column, crowd=True))
    return found


def _drawn(title: str, chart: Callable[[], Chart]) -> list[dict[str, Any]]:
    """The section of a chart; none where the results are not of its kind, or too many for it."""
    try:
        return [_section(title, ("", chart()))]
    except UsageError:
        return []


def _at(data: Data, load: Load) -> Data:
    lines = [line for line in data.lines if (line.flows, line.settings) == load]
    return select.only(data, lines)


def _transfers(data: Data) -> list[dict[str, Any]]:
    """Distributions of transfer times, with a tab for each load."""
    loads = [load for load in data.loads if data.groups(load)]
    charts = [(tables.load_text(*load), kinds.cdf(_at(data, load), crowd=True)) for load in loads]
    return [_section(_told("Distribution of transfer times", data, loads), *charts)] * bool(charts)


def _told(title: str, data: Data, loads: Sequence[Load]) -> str:
    """A section's title, which names its load where it shows one of several."""
    alone = len(loads) == 1 < len(data.loads)
    return f"{title}, {tables.load_text(*loads[0])}" if alone else title


def _over_time(data: Data) -> list[dict[str, Any]]:
    """Series of the first seed, with a tab for each load."""
    loads = [load for load in data.loads if any(place[1] == load for place in data.series)]
    found = []
    for title, kind in (("Queue", over_time.queue), ("Window", over_time.window)):
        try:
            charts = [(tables.load_text(*load), kind(_at(data, load))) for load in loads]
        except UsageError:  # no flow was sampled
            continue
        if charts:
            found.append(_section(_told(f"{title} over time (first seed)", data, loads), *charts))
    return found


def _plots(data: Data) -> list[dict[str, Any]]:
    """All sections of plots; what the scenario is about first."""
    first = [_section("Flows served", ("", kinds.served(data)))] if data.served else []
    means, series = _means(data), _over_time(data) + _transfers(data)
    return first + (means + series if len(data.loads) > 1 else series + means)


def _parameters(data: Data) -> list[dict[str, Any]]:
    """Each method's parameters as run: set ones and defaults."""
    found = []
    for label in data.labels:
        lines = [line for line in data.lines if line.label == label]
        line, buffers = lines[0], {data.buffer_bytes(line) for line in lines}
        buffer_bytes = next(iter(buffers)) if len(buffers) == 1 else None
        method = data.methods.get(line.method)
        texts = dict(pair.split("=") for pair in line.parameters.split())
        for param in method.params if method else []:
            value = params.default(param, buffer_bytes)
            text = params.show_default(param) if value is None else params.show(param.unit, value)
            texts.setdefault(params.user_key(param.name), text)
        found.append(
            {
                "name": data.name(line.label),
                "title": data.title(line.label),
                "values": [f"{key} = {value}" for key, value in texts.items()],
            }
        )
    return found


def _paper(data: Data) -> dict[str, Any] | None:
    comparisons = paper.compare(data)
    if not comparisons or data.paper is None:
        return None
    receivers = list(dict.fromkeys(line.receivers for line in data.lines))
    return {
        "name": data.paper.name,
        "rows": comparisons,
        "receivers": [(name, tables.receivers_text(name)) for name in receivers],
        "tallies": {name: paper.tally(comparisons, name) for name in receivers},
    }


def write(place: Place, data: Data, title: str | None = None) -> Path:
    """Writes the whole page; its title is the scenario's unless another is given."""
    sections, found = _plots(data), headline.sentences(data)
    return document.write(
        place,
        "report.html",
        [plot for section in sections for _, plot in section["tabs"]],
        title=title or data.about["scenario"]["title"],
        about=data.about,
        seeds=sorted({seed for line in data.lines for seed in line.values["loss_percent"]}),
        uneven=len({len(line.values["loss_percent"]) for line in data.lines}) > 1,
        modes=list(dict.fromkeys(line.mode for line in data.lines)),
        runs=data.runs,
        headlines=found,
        claims=document.data([sentence.describe() for sentence in found]),
        shown=tables.shown_columns(data.lines),
        groups=_groups(data),
        differences=_differences(data),
        paper=_paper(data),
        sections=sections,
        parameters=_parameters(data),
        columns=COLUMNS,
    )
