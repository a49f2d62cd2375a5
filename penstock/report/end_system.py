# SPDX-License-Identifier: GPL-2.0-only
"""Figs. 8.1 to 8.5 and 9.1 to 9.5 of nis-2004: the metrics over the least round trip."""

from collections.abc import Iterator
from typing import Final

import plotly.graph_objects as go

from penstock.report import curves
from penstock.reproduce import end_system as paper
from penstock.reproduce import end_system_tables as tables
from penstock.results import stats

_FIGURES: Final = (
    ("1", tables.TPO_NEW),
    ("2", tables.TPC_NEW),
    ("3", tables.TPO_BESIDE),
    ("4", tables.TPC_BESIDE),
    ("5", tables.FAIRNESS),
)


def _figure(found: paper.Found, metric: str, hop: str) -> go.Figure:
    figure = curves.chart("least round trip, ms", tables.WORDS[metric])
    figure.update_xaxes(type="category")
    for index, method in enumerate(paper.METHODS):
        settings = [paper.Setting(method, rtt_ms, hop) for rtt_ms in tables.RTTS_MS]
        means = [stats.mean(paper.pooled(found, setting, metric)) for setting in settings]
        figure.add_scatter(
            x=[str(rtt_ms) for rtt_ms in tables.RTTS_MS],
            y=[mean.mean if mean else None for mean in means],
            name=method,
            line={"color": curves.colour(index)},
            error_y={"array": [(mean.half or 0) if mean else 0 for mean in means]},
        )
    return figure


def plots(found: paper.Found) -> Iterator[tuple[str, go.Figure]]:
    """All figures, of both last hops."""
    for number, metric in _FIGURES:
        for hop in paper.HOPS:
            title = f"Figs. 8.{number}, 9.{number}: {tables.WORDS[metric]}; {hop} last hop"
            yield title, _figure(found, metric, hop)
