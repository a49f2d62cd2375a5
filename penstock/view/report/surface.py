# SPDX-License-Identifier: GPL-2.0-only
"""The page of a fuzzy controller's control surface."""

import plotly.graph_objects as go

from penstock.view.report import sheet

Rows = list[list[float | None]]


def _figure(queues: list[int], growths: list[int], rows: Rows, name: str) -> go.Figure:
    figure = go.Figure(go.Surface(x=queues, y=growths, z=rows, colorscale="Viridis"))
    figure.update_layout(
        height=560,
        scene={
            "xaxis": {"title": {"text": "queue, packets"}},
            "yaxis": {"title": {"text": "growth, packets"}},
            "zaxis": {"title": {"text": name}},
        },
    )
    return figure


def page(
    label: str,
    limit_packets: int,
    queues: list[int],
    growths: list[int],
    alphas: Rows,
    segments: Rows,
) -> sheet.Sheet:
    """Both surfaces of nis-2004 Fig. 13.3, of the method called `label`; a row for each growth."""
    return sheet.Sheet(
        title=f"Control surface of {label}, {limit_packets} packets",
        notes=["Over the queue at a measurement, and its growth since the one before."],
        plots=[
            ("Utilization factor alpha", _figure(queues, growths, alphas, "alpha")),
            ("Sending window", _figure(queues, growths, segments, "segments")),
        ],
    )
