# SPDX-License-Identifier: GPL-2.0-only
"""Sizes, fonts and files of figures for papers."""

import functools
import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, ParamSpec

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from penstock.errors import UsageError
from penstock.runs import sealed

P = ParamSpec("P")

FORMATS: Final = ("pdf", "svg", "png")
COLUMN_INCHES: Final = 3.45  # one column of a two-column paper
_ASPECT: Final = 0.68
_SCREEN_DPI: Final = 144
_LETTER_INCHES: Final = 0.055  # of a legend's font
_HANDLE_LETTERS: Final = 6
_RC: Final[Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "lines.linewidth": 1.0,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,  # fonts that publishers can embed
    "svg.hashsalt": "penstock",
    "svg.fonttype": "none",
}
# In files, so that the same results give the same bytes.
_METADATA: Final = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}


class Drawing(Figure):
    """A figure that notebooks show, without a backend of theirs."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        with mpl.rc_context(_RC):
            self.savefig(out, format="png", dpi=_SCREEN_DPI)
        return out.getvalue()


def drawn(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """A drawing function, with the fonts and lines of a paper."""

    @functools.wraps(draw)
    def within(*given: P.args, **named: P.kwargs) -> Figure:
        with mpl.rc_context(_RC):
            return draw(*given, **named)

    return within


def panels(
    columns: int, titles: Sequence[str], rows: int = 1, height: float = 1.0
) -> tuple[Figure, list[Axes]]:
    """A figure with axes side by side that share their scales."""
    tall = COLUMN_INCHES * _ASPECT * height * rows
    figure = Drawing(figsize=(COLUMN_INCHES * min(columns, 2), tall), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    axes = list(grid.flat)
    for each, title in zip(axes, titles, strict=False):
        each.set_title(title)
    return figure, axes


def from_zero(axes: Sequence[Axes]) -> None:
    """The shared y scale, from 0: once all is drawn, as it ends the automatic scale of all."""
    axes[0].set_ylim(bottom=0)


def legend(figure: Figure, axes: Axes) -> None:
    """One legend below all panels."""
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        room = figure.get_figwidth() / _LETTER_INCHES
        widest = max(len(label) for label in labels) + _HANDLE_LETTERS
        columns = max(1, min(len(labels), int(room / widest)))
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def check(path: Path) -> str:
    """The format that a file's name says; a usage error for another."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise UsageError(f"-o {path}: name a file that ends in .pdf, .svg or .png")
    return kind


def save(figure: Figure, path: Path) -> Path:
    """Writes the figure in the format that the file's name says."""
    kind = check(path)
    metadata: Any = _METADATA[kind]
    with mpl.rc_context(_RC), sealed.replacing(path) as partial:
        figure.savefig(partial, format=kind, dpi=200, metadata=metadata)
    return path
