# SPDX-License-Identifier: GPL-2.0-only
"""Figures for pages: a chart drawn by Plotly, without colours of its own for text and ground.

The page names the methods below a figure (plots.js), where they have all the room that they need.
"""

import html
import math
import textwrap
from typing import Any, Final

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from penstock.text import plain
from penstock.view.plots.chart import Chart, Mark, Panel, Series

_HEIGHT: Final = {False: 230, True: 110}  # of a row; flat or not
_STACKED_HEIGHT: Final = {False: 220, True: 120}
_TITLE_HEIGHT: Final = 18  # of a line of a panel's title
_TICKS_HEIGHT: Final = 34  # below each row of panels
_MARGINS: Final = {"l": 68, "r": 16, "t": 12, "b": 52}
_LETTERS: Final = {1: 44, 2: 38, 3: 32}  # in a panel's title, by panels in a row
_Y_LETTERS: Final = 28  # in a line of the title of the y axis
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash")
_SYMBOLS: Final = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")


def draw(chart: Chart) -> go.Figure:
    """The figure of a chart; for narrow pages its layout with the panels stacked, too.

    Both number the axes row by row, so they share the traces.
    """
    columns = max(1, min(chart.columns, len(chart.panels)))
    figure = _draw(chart, columns)
    if columns > 1:
        stacked = _draw(chart, 1).to_plotly_json()["layout"]
        stacked.pop("template", None)
        figure.update_layout(meta={"stacked": stacked, "columns": columns})
    return figure


def _text(text: str) -> str:
    """A text as Plotly shows it: no sign of it is a tag."""
    return html.escape(plain(text), quote=False)


def _wrapped(text: str, letters: int) -> str:
    return "<br>".join(map(_text, textwrap.wrap(text, letters)))


def _draw(chart: Chart, columns: int) -> go.Figure:
    rows = math.ceil(len(chart.panels) / columns)
    titles = [_wrapped(panel.title, _LETTERS[columns]) for panel in chart.panels]
    lines = max(title.count("<br>") + bool(title) for title in titles)
    ticks = _TICKS_HEIGHT if chart.x.texts or not chart.flat else 8
    tall = (_HEIGHT if columns > 1 or rows == 1 else _STACKED_HEIGHT)[chart.flat]
    gap = lines * _TITLE_HEIGHT + ticks
    inner = rows * tall + (rows - 1) * gap
    figure = make_subplots(
        rows=rows,
        cols=columns,
        shared_xaxes=not chart.x.texts,
        shared_yaxes=True,
        horizontal_spacing=0.03 if columns > 1 else None,
        vertical_spacing=gap / inner if rows > 1 else None,
        subplot_titles=titles if lines else None,
    )
    for index, panel in enumerate(chart.panels):
        place = {"row": index // columns + 1, "col": index % columns + 1}
        _add(figure, chart, panel, place)
    figure.update_annotations(font={"size": 13})
    _axes(figure, chart, columns)
    margins = {**_MARGINS, "t": _MARGINS["t"] + lines * _TITLE_HEIGHT}
    margins["b"] += _TITLE_HEIGHT * _wrapped(chart.x.title, _LETTERS[columns]).count("<br>")
    figure.update_layout(
        height=inner + margins["t"] + margins["b"],
        margin=margins,
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13},
        showlegend=False,
        hoverlabel={"namelength": -1},
        **({"barmode": "group", "bargap": 0.18} if chart.mark == "bars" else {}),
    )
    return figure


def _axes(figure: go.Figure, chart: Chart, columns: int) -> None:
    """Scales, ticks and titles; a title stands once, at the middle of the first column."""
    rows = math.ceil(len(chart.panels) / columns)
    x: dict[str, Any] = {"automargin": False, "title_standoff": 8}
    if chart.x.texts:
        places = list(range(len(chart.x.texts)))
        x |= {
            "tickvals": places,
            "ticktext": list(map(_text, chart.x.texts)),
            "range": [-0.5, places[-1] + 0.5],
        }
    elif chart.logarithmic or chart.ticks:
        x |= {"type": "log"} if chart.logarithmic else {}
        x |= {"tickvals": chart.ticks} if chart.ticks else {"dtick": "D2"}
    elif chart.x.whole:
        x |= {"tickformat": "d"}
    figure.update_xaxes(**x)
    x_title = _wrapped(chart.x.title, _LETTERS[columns])
    title_font = {"title_font": {"size": 13}}
    figure.update_xaxes(title_text=x_title, **title_font, row=rows)
    last = len(chart.panels) - (rows - 1) * columns
    if last < columns and rows > 1:  # panels above a place without one
        for column in range(last + 1, columns + 1):
            show = {"showticklabels": True, "title_text": x_title}
            figure.update_xaxes(**show, **title_font, row=rows - 1, col=column)
    y: dict[str, Any] = {"nticks": 4 if chart.flat else 6, "automargin": "left"}
    y |= {"title_standoff": 8}
    if chart.mark == "heat":
        y |= {
            "tickvals": list(range(len(chart.y.texts))),
            "ticktext": list(map(_text, chart.y.texts)),
        }
    elif chart.log_y:
        y |= {"type": "log", "range": [math.log10(end) for end in chart.y_range]}
    else:
        y |= {"range": list(chart.y_range)}
    figure.update_yaxes(**y)
    title = _wrapped(chart.y.title, _Y_LETTERS)
    figure.update_yaxes(title_text=title, **title_font, row=(rows + 1) // 2, col=1)


def _add(figure: go.Figure, chart: Chart, panel: Panel, place: dict[str, int]) -> None:
    if chart.mark == "heat":
        low, high = chart.cell_range
        figure.add_heatmap(
            z=[list(row) for row in panel.cells],
            zmin=low,
            zmax=high,
            colorscale="Viridis",
            colorbar={"title": {"text": _text(chart.value), "side": "right"}},
            showscale=place == {"row": 1, "col": 1},
            meta=panel.title,
            **place,
        )
        return
    for index, each in enumerate(panel.series):
        common: dict[str, Any] = {
            "name": _text(each.name),
            "legendgroup": each.name,
            "meta": panel.title,
        }
        common |= {"x": list(each.x), "y": list(each.y)} | _intervals(each, chart.mark)
        if chart.mark == "bars":
            pattern = {"shape": ("", "/", ".", "x")[each.dash % 4]}
            figure.add_bar(**common, marker={"color": each.colour, "pattern": pattern}, **place)
            continue
        line: dict[str, Any] = {"color": each.colour, "dash": _DASHES[each.dash % len(_DASHES)]}
        line |= {"width": 1 if chart.flat else 1.6}
        line |= {"shape": "hv"} if chart.mark == "step" else {}
        marker = {"symbol": _SYMBOLS[index % len(_SYMBOLS)], "size": 6}
        mode = "lines+markers" if chart.points else "lines"
        whole = {"cliponaxis": False} if chart.points else {}
        figure.add_scatter(**common, mode=mode, line=line, marker=marker, **whole, **place)
    if panel.limit is not None:
        limit = {"dash": "dot", "width": 1, "color": "#909090"}
        figure.add_hline(panel.limit, line=limit, **place)


def _intervals(series: Series, mark: Mark) -> dict[str, Any]:
    if not series.low:
        return {}
    triples = list(zip(series.y, series.low, series.high, strict=True))
    return {
        "error_y": {
            "array": [(high or 0) - (y or 0) for y, _, high in triples],
            "arrayminus": [(y or 0) - (low or 0) for y, low, _ in triples],
            "symmetric": False,
            "thickness": 1,
            "width": 3,
            "color": "#808080" if mark == "bars" else series.colour,
        }
    }
