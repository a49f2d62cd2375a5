# SPDX-License-Identifier: GPL-2.0-only
"""Figs. 2.12 and 3.2 of nis-2004 from our runs."""

import plotly.graph_objects as go

from penstock.report import curves
from penstock.reproduce import single_connections as paper


def _course(found: paper.Found) -> go.Figure:
    figure = curves.chart("time, s", "segments")
    for index, (name, points) in enumerate(
        (("delivered in order, tens", found.sequence), ("congestion window", found.windows))
    ):
        scale = 10 if points is found.sequence else 1
        curves.line(figure, name, [x for x, _ in points], [y / scale for _, y in points], index)
    return figure


def _throughput(found: paper.Found) -> go.Figure:
    figure = curves.chart("ten segments", "throughput, segments/s")
    figure.update_xaxes(type="category")
    figure.add_bar(x=list(found.rates), y=list(found.rates.values()), name="ours")
    return figure


def plots(found: paper.Found) -> list[tuple[str, go.Figure]]:
    """Both figures."""
    return [
        ("Fig. 2.12: one NewReno connection", _course(found)),
        (
            "Fig. 3.2: ten segments without and with an earlier connection's window",
            _throughput(found),
        ),
    ]
