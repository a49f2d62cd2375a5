# SPDX-License-Identifier: GPL-2.0-only
"""The description of a figure, from which paper.py draws for print and page.py for HTML.

It holds all that both have to agree about: data, intervals, scales, names, units and panels.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

Mark = Literal["bars", "heat", "line", "step"]

_HEADROOM: Final = 1.06  # above the largest value
_FEW: Final = 8  # values that are ticks themselves
_LOG_ROOM: Final = 1.3  # at the ends of a logarithmic axis
_LOG_SPAN: Final = 30.0  # from here on a scale is logarithmic: smaller values would be one point


@dataclass(frozen=True)
class Axis:
    """An axis: title with unit; `texts` where it has places with names instead of numbers."""

    title: str
    texts: Sequence[str] = ()
    whole: bool = False  # only whole numbers are ticks


@dataclass(frozen=True)
class Series:
    """A line, or a bar at each place; `low` and `high` are ends of intervals."""

    name: str
    colour: str
    x: Sequence[float]
    y: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    dash: int = 0  # which of the patterns


@dataclass(frozen=True)
class Panel:
    """One of the small multiples. `cells` are a heat map's, row by row from below."""

    title: str
    series: Sequence[Series] = ()
    cells: Sequence[Sequence[float | None]] = ()
    limit: float | None = None  # drawn as a dotted line


@dataclass(frozen=True)
class Chart:
    """A figure: panels with the same axes, `columns` of them in a row where there is room."""

    mark: Mark
    x: Axis
    y: Axis
    panels: Sequence[Panel]
    columns: int = 3
    value: str = ""  # what the colours of a heat map mean
    title: str = ""
    flat: bool = False  # panels of low height, for what runs over time
    top: float | None = None  # the end of the y axis, where it is not that of the data
    points: bool = field(default=False)  # whether lines have a mark at each value
    log_x: bool | None = None  # None: where values are far apart
    log_y: bool = False

    @property
    def y_range(self) -> tuple[float, float]:
        """From 0 to a little above the largest value or interval, the same in all panels.

        Of a logarithmic axis, from a little below the smallest value above 0.
        """
        if self.log_y:
            above = [value for value in self.ys if value > 0]
            return min(above, default=1.0) / _LOG_ROOM, max(above, default=1.0) * _LOG_ROOM
        if self.top is not None:
            return 0.0, self.top
        found = [0.0, *(panel.limit or 0.0 for panel in self.panels)]
        for panel in self.panels:
            for each in panel.series:
                found += [value for value in (*each.y, *each.high) if value is not None]
        return 0.0, max(found) * _HEADROOM or 1.0

    @property
    def xs(self) -> list[float]:
        """All values along the x axis."""
        return [x for panel in self.panels for each in panel.series for x in each.x]

    @property
    def ys(self) -> list[float]:
        """All values along the y axis."""
        every = [each.y for panel in self.panels for each in panel.series]
        return [value for values in every for value in values if value is not None]

    @property
    def at_zero(self) -> list[str]:
        """The names of series with a value of 0."""
        every = [each for panel in self.panels for each in panel.series if 0 in each.y]
        return list(dict.fromkeys(each.name for each in every))

    @property
    def logarithmic(self) -> bool:
        """Whether the x axis is."""
        if self.log_x is not None:
            return self.log_x
        xs = self.xs
        return (
            (self.mark == "line" and self.points and not self.x.texts)
            and (bool(xs) and min(xs) > 0)
            and max(xs) / min(xs) >= _LOG_SPAN
        )

    @property
    def ticks(self) -> list[float]:
        """The values along the x axis, where they are so few that they are its ticks."""
        if not self.points or self.x.texts:
            return []
        found = sorted(set(self.xs))
        return found if len(found) <= _FEW else []

    @property
    def names(self) -> list[tuple[str, str, int]]:
        """Name, colour and pattern of all series: the legend."""
        found = ((s.name, s.colour, s.dash) for panel in self.panels for s in panel.series)
        return list(dict.fromkeys(found))

    @property
    def cell_range(self) -> tuple[float, float]:
        """The smallest and the largest value of a heat map."""
        rows = (row for panel in self.panels for row in panel.cells)
        values = [value for row in rows for value in row if value is not None]
        return min(values, default=0.0), max(values, default=1.0)


def _told_apart(series: Sequence[Series]) -> list[Series]:
    """Those of one panel: where colours repeat, with other patterns."""
    seen = set[tuple[str, int]]()
    found = []
    for each in series:
        dash = each.dash
        while (each.colour, dash) in seen:
            dash += 1
        seen.add((each.colour, dash))
        found.append(replace(each, dash=dash))
    return found


def divided(chart: Chart, most: int) -> Chart:
    """The chart with at most so many series in a panel: a panel of many becomes several."""
    names = list(dict.fromkeys(name for name, _, _ in chart.names))
    if len(names) <= most:
        return chart
    size = math.ceil(len(names) / math.ceil(len(names) / most))
    panels = []
    for panel in chart.panels:
        for first in range(0, len(names), size):
            batch = names[first : first + size]
            mine = _told_apart([each for each in panel.series if each.name in batch])
            title = f"methods {first + 1} to {first + len(batch)}"
            told = ", ".join(part for part in (title, panel.title) if part)
            panels.append(replace(panel, title=told, series=mine))
    return replace(chart, panels=[panel for panel in panels if panel.series])
