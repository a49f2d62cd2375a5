# SPDX-License-Identifier: GPL-2.0-only
"""A page of notes, tables and plots in the report's style."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from penstock.errors import UserError
from penstock.results import sealed
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
    """Writes the page, whole or not at all. Raises UserError where it cannot be written."""
    plots = [document.content(figure) for _, figure in sheet.plots]
    try:
        return document.write(place, "sheet.html", plots, sheet=sheet)
    except OSError as error:
        raise UserError(f"{place.path}: cannot be written: {error.strerror}") from None


def write_with_rows(
    folder: Path, name: str, rows: Sequence[Mapping[str, Any]], sheet: Sheet
) -> Path:
    """Writes NAME.html, and its values as NAME.csv beside it.

    Raises UserError where they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (
            sealed.replacing(folder / f"{name}.csv") as partial,
            partial.open("w", encoding="utf-8", newline="") as file,
        ):
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {error.strerror}") from None
    return write(Place(folder / f"{name}.html"), sheet)
