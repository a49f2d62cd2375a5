# SPDX-License-Identifier: GPL-2.0-only
"""A page of notes, tables and plots in the report's style, with nothing to load."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs


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


def _content(figure: go.Figure) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(figure.to_json())
    content["layout"].pop("template", None)
    return content


def render(sheet: Sheet) -> str:
    """The page as text."""
    environment = Environment(
        loader=PackageLoader("penstock.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    plots = [_content(figure) for _, figure in sheet.plots]
    script = json.dumps(plots, separators=(",", ":")).replace("</", "<\\/")
    return environment.get_template("sheet.html").render(
        sheet=sheet,
        plots=Markup(script),
        plotly=Markup(get_plotlyjs() if plots else ""),
    )


def write(path: Path, sheet: Sheet) -> Path:
    """Writes the page, whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(render(sheet), encoding="utf-8")
    partial.rename(path)
    return path
