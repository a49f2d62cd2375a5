# SPDX-License-Identifier: GPL-2.0-only
"""A page of notes, tables and plots in the report's style."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import plotly.graph_objects as go

from penstock.view.report import document
from penstock.view.report.document import Place


@dataclass(frozen=True)
class Grid:
    """A table. A cell that reads 'agrees' or 'differs' is coloured."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Link:
    """A page to go on to."""

    text: str
    target: str


@dataclass(frozen=True)
class Sheet:
    """The whole page, from top to bottom."""

    title: str
    notes: Sequence[str] = ()
    found: Sequence[str] = ()
    links: Sequence[Link] = ()
    tables: Sequence[Grid] = ()
    plots: Sequence[tuple[str, go.Figure]] = ()


def write(place: Place, sheet: Sheet) -> Path:
    """Writes the page, whole or not at all."""
    plots = [document.content(figure) for _, figure in sheet.plots]
    return document.write(place, "sheet.html", plots, sheet=sheet)
