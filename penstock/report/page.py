# SPDX-License-Identifier: GPL-2.0-only
"""The report as one page: template, tables, plots and the plotting library inlined."""

import json
from typing import Any, Final

import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from penstock.report import figures, headline, paper
from penstock.report.data import Data
from penstock.results import tables
from penstock.results.columns import COLUMNS
from penstock.scenario import params

_BARS: Final = (
    ("loss_percent", "Loss at the gateway", "packets lost, %"),
    ("udp_loss_percent", "Loss of UDP", "UDP packets lost, %"),
    ("goodput_mbps", "Goodput of a flow", "Mbit/s"),
    ("transfer_s", "Transfer time", "s"),
    ("queue_delay_ms_p99", "Queueing delay, 99th percentile", "ms"),
)


def _plot(figure: go.Figure) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(figure.to_json())
    content["layout"].pop("template", None)
    return content


def _groups(data: Data) -> list[dict[str, Any]]:
    """The summary by receivers: rows of texts."""
    shown = tables.shown_columns(data.lines)
    groups = []
    for receivers in dict.fromkeys(line.receivers for line in data.lines):
        rows = [
            {
                "flows": line.flows,
                "method": data.name(line.label),
                "title": data.title(line.label),
                "cells": [tables.text(column, line.means.get(column.column)) for column in shown],
            }
            for line in data.lines
            if line.receivers == receivers
        ]
        groups.append({"receivers": tables.receivers_text(receivers), "rows": rows})
    return groups


def _means(data: Data) -> list[dict[str, Any]]:
    """Bars of means; none where one method at one number of flows would be one bar."""
    if len(data.labels) * len(data.flows) == 1:
        return []
    sections = []
    for column, title, axis in _BARS:
        if any(line.means.get(column) for line in data.lines):
            plot = _plot(figures.bars(data, column, axis))
            sections.append({"title": title, "tabs": [("", plot)]})
    return sections


def _over_time(data: Data) -> list[dict[str, Any]]:
    """Series of the first seed, with a tab for each number of flows."""
    limit = data.about["scenario"]["queue_limit_bytes"]
    sections = []
    for title, quantity in (
        ("Queue over time", figures.queue_over_time(limit)),
        ("Window over time", figures.window_over_time()),
    ):
        tabs = []
        for flows in data.flows:
            figure = figures.grid(data, flows, quantity)
            if figure is not None:
                tabs.append((f"{flows} flows", _plot(figure)))
        if tabs:
            sections.append({"title": f"{title} (first seed)", "tabs": tabs})
    return sections


def _plots(data: Data) -> list[dict[str, Any]]:
    """All sections of plots; what the scenario is about first."""
    served = figures.served(data)
    first = [{"title": "Flows served", "tabs": [("", _plot(served))]}] if served else []
    means, series = _means(data), _over_time(data)
    return first + (means + series if len(data.flows) > 1 else series + means)


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


def render(data: Data) -> str:
    """The whole page as text."""
    environment = Environment(
        loader=PackageLoader("penstock.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    sections = _plots(data)
    plots = [plot for section in sections for _, plot in section["tabs"]]
    script = json.dumps(plots, separators=(",", ":")).replace("</", "<\\/")
    return environment.get_template("report.html").render(
        about=data.about,
        seeds=sorted({seed for line in data.lines for seed in line.values["loss_percent"]}),
        uneven=len({len(line.values["loss_percent"]) for line in data.lines}) > 1,
        modes=list(dict.fromkeys(line.mode for line in data.lines)),
        runs=data.runs,
        headlines=headline.sentences(data),
        shown=tables.shown_columns(data.lines),
        groups=_groups(data),
        paper=_paper(data),
        sections=sections,
        parameters=_parameters(data),
        columns=COLUMNS,
        plots=Markup(script),
        plotly=Markup(get_plotlyjs()),
    )
