# SPDX-License-Identifier: GPL-2.0-only
"""Line charts in the report's style."""

from collections.abc import Sequence
from typing import Any, Final

import plotly.graph_objects as go

_HEIGHT: Final = 380
_COLOURS: Final = (
    "#8a8f98",
    "#2f86d1",
    "#d55e00",
    "#009e73",
    "#b58ad6",
    "#e69f00",
    "#cc6688",
    "#7a9a01",
    "#a6761d",
    "#4d4dff",
)


def colour(index: int) -> str:
    """That of the line with this number."""
    return _COLOURS[index % len(_COLOURS)]


def chart(x_title: str, y_title: str, **y_axis: Any) -> go.Figure:
    """An empty chart; the y axis starts at 0 unless `y_axis` says otherwise."""
    figure = go.Figure()
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 64, "r": 28, "t": 20, "b": 48},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13},
        legend={"x": 1.01, "y": 1, "yanchor": "top"},
        hoverlabel={"namelength": -1},
    )
    figure.update_xaxes(title_text=x_title)
    figure.update_yaxes(title_text=y_title, **{"rangemode": "tozero", **y_axis})
    return figure


def line(
    figure: go.Figure, name: str, x: Sequence[float], y: Sequence[float], index: int, **more: Any
) -> None:
    """Adds a line with the colour of its number; `more` goes to the line's style."""
    figure.add_scatter(
        x=list(x), y=list(y), name=name, line={"color": colour(index), "width": 1.6, **more}
    )


def points(
    figure: go.Figure, name: str, x: Sequence[float], y: Sequence[float], index: int
) -> None:
    """Adds points with the colour of their number."""
    figure.add_scatter(
        x=list(x), y=list(y), name=name, mode="markers", marker={"color": colour(index), "size": 7}
    )
