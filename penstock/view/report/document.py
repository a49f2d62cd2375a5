# SPDX-License-Identifier: GPL-2.0-only
"""A page as a file: its template, its plots as data, and the plotting library beside it.

All pages of a folder share one copy of the library, which is larger than any of them. A page
that travels alone can hold it, compressed.
"""

import base64
import functools
import gzip
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs, get_plotlyjs_version

from penstock.results import sealed

_SHORT_LIST: Final = 3


@dataclass(frozen=True)
class Place:
    """Where a page goes; the library goes to `shared`, its folder by default, or inside."""

    path: Path
    shared: Path | None = None
    one_file: bool = False


def _evenly_spaced(values: Sequence[Any]) -> tuple[float, float] | None:
    """First value and step of numbers that are evenly spaced, to a millionth."""
    if len(values) < _SHORT_LIST or not all(isinstance(value, int | float) for value in values):
        return None
    first, step = values[0], round(values[1] - values[0], 9)
    even = all(abs(first + step * n - value) < 1e-6 for n, value in enumerate(values))
    return (first, step) if even else None


def content(figure: go.Figure) -> dict[str, Any]:
    """A figure as the page holds it: without Plotly's template, evenly spaced x as two numbers."""
    found: dict[str, Any] = json.loads(figure.to_json())
    found["layout"].pop("template", None)
    for trace in found["data"]:
        even = _evenly_spaced(trace.get("x", []))
        if trace["type"] == "scatter" and even:
            del trace["x"]
            trace["x0"], trace["dx"] = even
    return found


def _name() -> str:
    return f"plotly-{get_plotlyjs_version()}.min.js"


@functools.cache
def _packed() -> str:
    return base64.b64encode(gzip.compress(get_plotlyjs().encode(), mtime=0)).decode()


def _save(path: Path, text: str) -> None:
    with sealed.replacing(path) as partial:
        partial.write_text(text, encoding="utf-8")


def _library(place: Place) -> Markup:
    """The elements that bring the library into the page; writes it where it goes."""
    if place.one_file:
        return Markup(f'<script type="text/plain" id="library">{_packed()}</script>')
    folder = place.shared or place.path.parent
    target = folder / _name()
    if not target.exists():
        _save(target, get_plotlyjs())
    source = Path(os.path.relpath(target, place.path.parent)).as_posix()
    return Markup('<script src="{}"></script>').format(source)


def data(values: Any) -> Markup:
    """Values as JSON within a page."""
    return Markup(json.dumps(values, separators=(",", ":")).replace("</", "<\\/"))


def write(place: Place, template: str, plots: Sequence[dict[str, Any]], **context: Any) -> Path:
    """Writes the page, whole or not at all, and returns its path."""
    environment = Environment(
        loader=PackageLoader("penstock.view.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    text = environment.get_template(template).render(
        **context,
        plots=data(plots),
        library=_library(place) if plots else "",
    )
    _save(place.path, text)
    return place.path
