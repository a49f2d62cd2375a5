# SPDX-License-Identifier: GPL-2.0-only
"""Figs. 3 to 8 of log-westwood-2006 from our runs."""

from collections.abc import Sequence
from typing import Final

import plotly.graph_objects as go

from penstock.report import curves
from penstock.reproduce import log_westwood as paper

_SHOWN_S: Final = (100.0, 150.0)  # Fig. 3 shows 50 s


def _curve(figure: go.Figure, name: str, points: Sequence[tuple[float, float]], index: int) -> None:
    curves.line(figure, name, [x for x, _ in points], [y for _, y in points], index)


def _window_plot(found: paper.Found) -> go.Figure:
    figure = curves.chart("time, s", "congestion window, segments")
    for index, (sender, series) in enumerate(found.windows.items()):
        points = [
            (time, window / paper.SEGMENT_BYTES)
            for time, window in zip(series["time_s"], series["cwnd_bytes"][0], strict=True)
            if _SHOWN_S[0] <= time <= _SHOWN_S[1]
        ]
        _curve(figure, sender, points, index)
    return figure


def _growth_plot(found: paper.Found) -> go.Figure:
    figure = curves.chart("time, s", "packets acknowledged")
    for index, (sender, points) in enumerate(found.growth.items()):
        _curve(figure, sender, [(0.0, 0.0), *points], index)
    return figure


def _error_plot(found: paper.Found) -> go.Figure:
    figure = curves.chart("packet error rate (leftmost: none)", "throughput, Mbit/s")
    figure.update_xaxes(type="category")
    for index, sender in enumerate(paper.READINGS):
        means = [found.errors[sender, rate].mean for rate in paper.ERROR_RATES]
        figure.add_scatter(
            x=list(paper.ERROR_RATES),
            y=means,
            name=sender,
            line={"color": curves.colour(index)},
            error_y={"array": [found.errors[sender, r].half or 0 for r in paper.ERROR_RATES]},
        )
    return figure


def _ratio_plot(found: paper.Found) -> go.Figure:
    figure = curves.chart("packet error rate (leftmost: none)", "LogWestwood+ / other")
    figure.update_xaxes(type="category")
    for index, other in enumerate((paper.WESTWOOD, paper.NEWRENO), start=1):
        ratios = [
            found.errors[paper.LOG, rate].mean / found.errors[other, rate].mean
            for rate in paper.ERROR_RATES
        ]
        figure.add_scatter(
            x=list(paper.ERROR_RATES),
            y=ratios,
            name=f"against {other}",
            line={"color": curves.colour(index)},
        )
    return figure


def _flows_plot(found: paper.Found) -> go.Figure:
    figure = curves.chart("flows", "aggregated throughput, Mbit/s")
    for index, sender in enumerate(paper.SENDERS):
        counts = sorted(count for name, count in found.flows if name == sender)
        curves.line(figure, sender, counts, [found.flows[sender, n].mean for n in counts], index)
    return figure


def plots(found: paper.Found) -> list[tuple[str, go.Figure]]:
    """The paper's figures."""
    return [
        ("Fig. 3: window", _window_plot(found)),
        ("Fig. 4: packets acknowledged, no errors", _growth_plot(found)),
        ("Figs. 5 and 6: throughput over the error rate", _error_plot(found)),
        ("Fig. 7: improvement by LogWestwood+", _ratio_plot(found)),
        ("Fig. 8: 1 to 30 flows", _flows_plot(found)),
    ]
