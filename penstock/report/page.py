# SPDX-License-Identifier: GPL-2.0-only
"""The report as one page: main result, tables and plots."""

from pathlib import Path
from typing import Any, Final

from penstock.report import document, figures, headline, paper
from penstock.report.data import Data, Load
from penstock.report.document import Place
from penstock.results import differences, tables
from penstock.results.columns import COLUMNS
from penstock.scenario import params, units

_BARS: Final = (
    ("loss_percent", "Loss at the gateway", "packets lost, %"),
    ("udp_loss_percent", "Loss of UDP", "UDP packets lost, %"),
    ("goodput_mbps", "Goodput of a flow", "goodput, Mbit/s"),
    ("transfer_s", "Transfer time", "transfer time, seconds"),
    ("queue_delay_ms_p99", "Queueing delay, 99th percentile", "queueing delay, milliseconds"),
)


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
    """Each method's differences from drop-tail by seed, where seeds tell them from chance."""
    shown = tables.shown_columns(data.lines)
    groups: dict[str, list[dict[str, Any]]] = {}
    for line in data.lines:
        base = differences.base_of(line, data.lines, _BASE)
        if base is None or base is line or max(map(len, line.values.values())) < 2:
            continue
        means = [differences.by_seed(line, base, column.column) for column in shown]
        texts = [differences.text(*pair) for pair in zip(shown, means, strict=True)]
        groups.setdefault(tables.receivers_text(line.receivers), []).append(_row(data, line, texts))
    return [{"receivers": name, "rows": rows} for name, rows in groups.items()]


def _means(data: Data) -> list[dict[str, Any]]:
    """Bars of means; none where one method at one number of flows would be one bar."""
    if len(data.labels) * len(data.loads) == 1:
        return []
    sections = []
    for column, title, axis in _BARS:
        if any(line.means.get(column) for line in data.lines):
            plot = document.content(figures.bars(data, column, axis))
            sections.append({"title": title, "tabs": [("", plot)]})
    return sections


def _limit(data: Data, load: Load) -> int | None:
    """The limit of the measured queue, as the settings have it."""
    link = data.about["scenario"]["measured"]["link"]
    given = dict(part.split("=", 1) for part in load[1].split(", ") if "=" in part)
    queue = given.get(f"link.{link}.queue")
    if f"link.{link}.queue_packets" in given:
        return None
    limit: int | None = data.about["scenario"]["queue_limit_bytes"]
    return limit if queue is None else units.parse_size(queue)


def _transfers(data: Data) -> list[dict[str, Any]]:
    """Distributions of transfer times, with a tab for each number of flows and group."""
    several = len({group for load in data.loads for group in data.groups(load)}) > 1
    tabs = [
        (
            tables.load_text(*load) + (f", {group}" if several else ""),
            document.content(figures.transfers(data, load, group)),
        )
        for load in data.loads
        for group in data.groups(load)
    ]
    return [{"title": "Distribution of transfer times", "tabs": tabs}] if tabs else []


def _over_time(data: Data) -> list[dict[str, Any]]:
    """Series of the first seed, with a tab for each number of flows."""
    sections = []
    for title, quantity in (
        ("Queue over time", figures.queue_over_time),
        ("Window over time", figures.window_over_time),
    ):
        tabs = []
        for load in data.loads:
            figure = figures.grid(data, load, quantity(_limit(data, load)))
            if figure is not None:
                tabs.append((tables.load_text(*load), document.content(figure)))
        if tabs:
            sections.append({"title": f"{title} (first seed)", "tabs": tabs})
    return sections


def _plots(data: Data) -> list[dict[str, Any]]:
    """All sections of plots; what the scenario is about first."""
    served = figures.served(data)
    first = [{"title": "Flows served", "tabs": [("", document.content(served))]}] if served else []
    means, series = _means(data) + _transfers(data), _over_time(data)
    return first + (means + series if len(data.loads) > 1 else series + means)


def _parameters(data: Data) -> list[dict[str, Any]]:
    """Each method's parameters as run: set ones and defaults."""
    found = []
    buffer_bytes = data.about["scenario"]["queue_limit_bytes"]
    for line in {line.label: line for line in data.lines}.values():
        method = data.methods.get(line.method)
        texts = dict(pair.split("=") for pair in line.parameters.split())
        for param in method.params if method else []:
            value = params.default(param, buffer_bytes)
            if value is not None:
                texts.setdefault(params.user_key(param.name), params.show(param.unit, value))
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
    sections = _plots(data)
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
        headlines=headline.sentences(data),
        shown=tables.shown_columns(data.lines),
        groups=_groups(data),
        differences=_differences(data),
        paper=_paper(data),
        sections=sections,
        parameters=_parameters(data),
        columns=COLUMNS,
    )
