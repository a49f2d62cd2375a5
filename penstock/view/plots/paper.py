# SPDX-License-Identifier: GPL-2.0-only
"""Figures for print: a chart drawn by Matplotlib, as PDF, SVG, PNG or PGF."""

import io
import math
import re
import textwrap
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator
from numpy.typing import NDArray

from penstock.errors import OptionError, UsageError, near
from penstock.results import sealed
from penstock.text import plain
from penstock.view.plots.chart import Chart, Panel

FORMATS: Final = ("pdf", "svg", "png", "pgf")
COLUMN_INCHES: Final = 3.45  # one column of a two-column paper
_INCHES: Final = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}  # TeX's points
_LENGTH: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(in|cm|mm|pt)")
_PAGE_INCHES: Final = 7.0
_LEAST_INCHES: Final = 1.0  # of a figure
_PANEL_INCHES: Final = 1.45  # of a panel beside others, at least
_HEIGHT_INCHES: Final = {False: 1.9, True: 1.1}  # of a row; flat or not
_LETTER_INCHES: Final = 0.062  # of a title, in the mean
_AXIS_INCHES: Final = 0.55  # labels beside the panels
_BAR_INCHES: Final = 0.75  # the colours of a heat map and what they mean
_LETTER_HEIGHT: Final = 0.14
_SCREEN_DPI: Final = 144
_LEAST_TICKS, _MOST_TICKS, _MOST_DECADES = 3, 6, 6  # of a logarithmic axis
_DASHES: Final = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))
_MARKERS: Final = ("o", "s", "^", "D", "v", "P")
_SETTINGS: Final = threading.RLock()  # Matplotlib's are those of all threads
_NAMED: Final = "="  # before labels: Matplotlib hides those that begin with an underscore
_FRONT: Final = 3  # above the axes, which are drawn at 2.5
_RC: Final[Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "lines.linewidth": 1.0,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.4,
    "grid.alpha": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "pdf.fonttype": 42,  # fonts that publishers can embed
    "svg.hashsalt": "penstock",
    "svg.fonttype": "none",
    "pgf.rcfonts": False,  # the document's
    "text.parse_math": False,  # titles and labels are texts, whatever signs they have
    "text.usetex": False,
}
# In files, so that the same results give the same bytes.
_METADATA: Final = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}, "pgf": {}}


def inches(text: str) -> float:
    """A width as TeX writes lengths, in inches."""
    found = _LENGTH.fullmatch(text.strip())
    if not found:
        raise OptionError("--width", text, "write a length such as 3.4in, 88mm, 8.8cm or 245pt")
    return float(found[1]) * _INCHES[found[2]]


@dataclass(frozen=True)
class Look:
    """The width in inches (by default a column or a page), the font, a title, and scales.

    `log_x` is None where the chart decides.
    """

    width_inches: float | None = None
    font: str = ""
    title: str = ""
    log_x: bool | None = None
    log_y: bool = False

    def settings(self) -> Any:
        """Matplotlib's settings; a usage error for a font that is not here."""
        if not self.font:
            return dict(_RC)
        families = {entry.name for entry in font_manager.fontManager.ttflist}
        if self.font not in families and self.font not in ("serif", "sans-serif", "monospace"):
            known = near(self.font, families, otherwise="fc-list shows those of this machine")
            raise OptionError("--font", self.font, f"no such font here; {known}")
        return {**_RC, "font.family": self.font}


def look(
    width: str | float | None = None,
    font: str = "",
    title: str = "",
    log_x: bool | None = None,
    log_y: bool = False,
) -> Look:
    """The same from what a user says; a usage error for a width or font that is none."""
    asked = inches(width) if isinstance(width, str) else width
    found = Look(asked, font, title, log_x, log_y)
    found.settings()
    return found


def _scaled(chart: Chart, look: Look) -> Chart:
    """The chart with the scales that are asked for; a usage error where it has no such scale."""
    given = (("x", look.log_x), ("y", look.log_y))
    for axis, asked in given:
        if asked and (chart.mark == "heat" or (axis == "x" and chart.x.texts)):
            raise OptionError(f"--log-{axis}", "", "this axis has names instead of numbers")
    if look.log_x and any(x <= 0 for x in chart.xs) and chart.mark != "step":
        raise OptionError("--log-x", "", "a value along this axis is 0")
    if look.log_y and not any(y > 0 for y in chart.ys):
        raise OptionError("--log-y", "", "no value is above 0")
    log_x = chart.log_x if look.log_x is None else look.log_x
    return replace(chart, log_x=log_x, log_y=look.log_y or chart.log_y)


class Drawing(Figure):
    """A figure that notebooks show, without a backend of theirs."""

    look = Look()

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        with _SETTINGS, mpl.rc_context(self.look.settings()):
            self.savefig(out, format="png", dpi=_SCREEN_DPI)
        return out.getvalue()


def _columns(chart: Chart, width: float) -> int:
    fit = int((width - _AXIS_INCHES) / _PANEL_INCHES)
    return max(1, min(len(chart.panels), chart.columns, fit))


def _wrapped(text: str, inches: float) -> str:
    return "\n".join(textwrap.wrap(plain(text), max(int(inches / _LETTER_INCHES), 8)))


def draw(chart: Chart, look: Look | None = None) -> Drawing:
    """The figure of a chart."""
    look = look or Look()
    chart = _scaled(chart, look)
    with _SETTINGS, mpl.rc_context(look.settings()):
        return _draw(chart, look)


def _draw(chart: Chart, look: Look) -> Drawing:
    usual = COLUMN_INCHES if len(chart.panels) == 1 else _PAGE_INCHES
    width = usual if look.width_inches is None else look.width_inches
    if width < _LEAST_INCHES:
        raise OptionError(
            "--width", "", f"{width:g} inches are too few; at least {_LEAST_INCHES:g}"
        )
    columns = _columns(chart, width)
    rows = -(-len(chart.panels) // columns)
    beside = _BAR_INCHES if chart.mark == "heat" else 0.0
    each = (width - _AXIS_INCHES - beside) / columns
    titles = [_wrapped(panel.title, each) for panel in chart.panels]
    lines = max(title.count("\n") + bool(title) for title in titles)
    height = rows * (_HEIGHT_INCHES[chart.flat] + lines * _LETTER_HEIGHT) + 0.35
    figure = Drawing(figsize=(width, height), layout="constrained")
    figure.look = look
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    axes = list(grid.flat)
    for axis, panel, title in zip(axes, chart.panels, titles, strict=False):
        axis.set_title(title)
        _PANELS[chart.mark](axis, chart, panel)
    for axis in axes[len(chart.panels) :]:
        axis.set_visible(False)
    for axis in axes[max(len(chart.panels) - columns, 0) : len(chart.panels)]:
        axis.tick_params(labelbottom=True)  # above a place without a panel, too
        axis.set_xlabel(_wrapped(chart.x.title, each))
    _scales(axes[0], chart)
    figure.supylabel(_wrapped(chart.y.title, height * 0.8), fontsize=8)
    title = look.title or chart.title
    if title:
        figure.suptitle(_wrapped(title, width), fontsize=8)
    if chart.mark == "heat":
        shown = axes[: len(chart.panels)]
        label = _wrapped(chart.value, height * 0.8)
        bar = figure.colorbar(axes[0].collections[0], ax=shown, label=label)
        if bar.solids is not None:
            bar.solids.set_rasterized(False)
    else:
        _legend(figure, chart)
    _turn_ticks(figure, axes[: len(chart.panels)], chart)
    return figure


def _heights(chart: Chart, values: Sequence[float | None]) -> NDArray[np.float64]:
    """Where points are; nowhere without a value. A 0 would be infinitely far below a logarithmic
    axis, and leave no room for the rest.
    """
    known = [np.nan if value is None else value for value in values]
    return np.array([np.nan if chart.log_y and value <= 0 else value for value in known], float)


def _line(axis: Axes, chart: Chart, panel: Panel) -> None:
    many = len(chart.panels) > 1 or chart.flat
    for index, each in enumerate(panel.series):
        y = _heights(chart, each.y)
        marker = _MARKERS[index % len(_MARKERS)] if chart.points else ""
        style: dict[str, Any] = {"color": each.colour, "label": f"{_NAMED}{plain(each.name)}"}
        style |= {"linestyle": _DASHES[each.dash % len(_DASHES)]}
        style |= {"linewidth": 0.7} if chart.flat else {}
        if chart.mark == "step":
            axis.step(each.x, y, where="post", **style)
            continue
        # Points on an axis are whole, and in front of it.
        style |= {"clip_on": False, "zorder": _FRONT} if chart.points else {}
        axis.plot(each.x, y, marker=marker, markersize=2.5 if many else 3, **style)
        if each.low:
            low, high = (np.array(ends, dtype=float) for ends in (each.low, each.high))
            axis.fill_between(each.x, low, high, color=each.colour, alpha=0.15, linewidth=0)
            axis.vlines(each.x, low, high, color=each.colour, linewidth=0.6)
    if panel.limit is not None:
        axis.axhline(panel.limit, color="#909090", linestyle=":", linewidth=0.7)


def _bars(axis: Axes, chart: Chart, panel: Panel) -> None:
    wide = 0.8 / max(len(panel.series), 1)
    for index, each in enumerate(panel.series):
        at = np.array(each.x) + (index - (len(panel.series) - 1) / 2) * wide
        y = _heights(chart, each.y)
        hatch = ("", "///", "...", "xxx")[each.dash % 4]
        axis.bar(
            *(at, y, wide),
            color=each.colour,
            label=f"{_NAMED}{plain(each.name)}",
            hatch=hatch,
            edgecolor="white",
        )
        if each.low:
            low, high = (np.array(ends, dtype=float) for ends in (each.low, each.high))
            axis.vlines(at, low, high, color="#606060", linewidth=0.7)


def _heat(axis: Axes, chart: Chart, panel: Panel) -> None:
    cells = np.array([[np.nan if v is None else v for v in row] for row in panel.cells])
    low, high = chart.cell_range
    edges = [np.arange(count + 1) - 0.5 for count in reversed(cells.shape)]
    axis.pcolormesh(*edges, cells, vmin=low, vmax=high)  # an image would be a file beside PGF
    axis.grid(visible=False)


_PANELS: Final = {"line": _line, "step": _line, "bars": _bars, "heat": _heat}


def _log_ticks(low: float, high: float) -> list[float]:
    """Round numbers of a logarithmic axis: three or more, however short it is."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    step = max((last - first) // _MOST_DECADES, 1)
    found: list[float] = []
    for parts in ((1,), (1, 2, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9), range(10, 100)):
        decades = [exponent - (parts[0] == 10) for exponent in range(first, last + 1, step)]
        every = (float(f"{part}e{exponent}") for exponent in decades for part in parts)
        found = [each for each in every if low <= each <= high]
        if len(found) >= _LEAST_TICKS:
            break
    return found[:: max(len(found) // _MOST_TICKS, 1)]


def _scales(axis: Axes, chart: Chart) -> None:
    """The scales and ticks, which all panels share."""
    if chart.x.texts:
        axis.set_xticks(range(len(chart.x.texts)), list(map(plain, chart.x.texts)))
    elif chart.logarithmic or chart.ticks:
        if chart.logarithmic:
            axis.set_xscale("log")
            axis.minorticks_off()
        own = FixedLocator(chart.ticks) if chart.ticks else LogLocator(subs=(1, 2, 5))
        axis.xaxis.set_major_locator(own)
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axis.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=chart.x.whole))
    if chart.mark == "heat":
        axis.set_yticks(range(len(chart.y.texts)), list(map(plain, chart.y.texts)))
    elif chart.log_y:
        axis.set_yscale("log")
        axis.minorticks_off()
        axis.set_ylim(chart.y_range)
        axis.yaxis.set_major_locator(FixedLocator(_log_ticks(*chart.y_range)))
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axis.set_ylim(chart.y_range)
        axis.yaxis.set_major_locator(MaxNLocator(nbins=4 if chart.flat else 6))


def _legend(figure: Drawing, chart: Chart) -> None:
    """One legend below all panels, in as many columns as its width allows."""
    handles: dict[str, Any] = {}
    for axis in figure.axes:
        for handle, name in zip(*axis.get_legend_handles_labels(), strict=True):
            handles.setdefault(name.removeprefix(_NAMED), handle)
    if len(handles) < 2 and not (handles and chart.points):
        return
    room = figure.get_figwidth() * figure.dpi
    for columns in range(min(len(handles), 6), 0, -1):
        legend = figure.legend(
            *(list(handles.values()), [f"{_NAMED}{name}" for name in handles]),
            loc="outside lower center",
            ncols=columns,
            frameon=False,
        )
        for text, name in zip(legend.get_texts(), handles, strict=True):
            text.set_text(name)
        extent = legend.get_window_extent()
        if extent.width <= room or columns == 1:
            break
        legend.remove()
    figure.set_figheight(figure.get_figheight() + extent.height / figure.dpi)


def _crowded(axes: list[Axes]) -> list[Any]:
    """The boxes of the labels of the first x axis on which some would lie on each other."""
    for axis in axes:
        boxes = [text.get_window_extent() for text in axis.get_xticklabels() if text.get_text()]
        if any(one.x1 + 2 > other.x0 for one, other in pairwise(boxes)):
            return boxes
    return []


def _turn_ticks(figure: Drawing, axes: list[Axes], chart: Chart) -> None:
    """Turns names at the x axis that would lie on each other; of numbers, shows fewer."""
    figure.draw_without_rendering()
    boxes = _crowded(axes)
    if not boxes:
        return
    if chart.ticks:
        for step in range(2, len(chart.ticks) + 1):  # of the data's own values
            axes[0].xaxis.set_major_locator(FixedLocator(chart.ticks[::step]))
            figure.draw_without_rendering()
            if not _crowded(axes):
                return
    elif chart.x.texts:
        deepest = max(box.width for box in boxes)
        figure.set_figheight(figure.get_figheight() + deepest / figure.dpi)
        for axis in axes:
            axis.tick_params(axis="x", labelrotation=90)
    else:
        few = LogLocator(numticks=4) if chart.logarithmic else MaxNLocator(nbins=3)
        axes[0].xaxis.set_major_locator(few)


def check(path: Path, form: str = "") -> str:
    """The format that is asked for, or that the file's name says; a usage error for another."""
    kind = form or path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        if form:
            raise OptionError("--format", form, f"known: {', '.join(FORMATS)}")
        raise UsageError(f"-o {path}: name a file that ends in .pdf, .svg, .png or .pgf")
    return kind


def save(figure: Drawing, path: Path, form: str = "") -> Path:
    """Writes the figure in the format that is asked for, or that the file's name says."""
    kind = check(path, form)
    metadata: Any = _METADATA[kind]
    settings = mpl.rc_context(figure.look.settings())
    with _SETTINGS, settings, sealed.replacing(path) as partial:
        if kind == "pgf":
            from penstock.view.plots import pgf

            pgf.save(figure, partial)
            return path
        out = io.BytesIO()  # Matplotlib loses its place where a write fails
        figure.savefig(out, format=kind, dpi=200, metadata=metadata)
        partial.write_bytes(out.getvalue())
    return path
