# SPDX-License-Identifier: GPL-2.0-only
"""The kinds of figures: each takes results and returns the description of a figure."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from itertools import product
from typing import Any, Final

from penstock.columns import BY_NAME
from penstock.errors import OptionError, UsageError, near
from penstock.results import settings, stats
from penstock.results.completions import shares
from penstock.view.plots import over_time, select
from penstock.view.plots.chart import Axis, Chart, Panel, Series, divided
from penstock.view.plots.data import Data
from penstock.view.plots.select import FLOWS, RECEIVERS, Point

COLUMN: Final = "loss_percent"
MOST_PANELS: Final = 12
MOST_LINES: Final = 12  # in a panel
MOST_OF_CROWD: Final = 8  # likewise, where panels are divided
_CDF_POINTS: Final = 400  # of a curve
_TITLES: Final = {
    "loss_percent": "packets lost",
    "udp_loss_percent": "UDP packets lost",
    "goodput_mbps": "goodput of a flow",
    "goodput_mbps_total": "total goodput",
    "transfer_s": "transfer time",
    "transfer_s_max": "slowest transfer",
    "fct_ms_p99": "transfer time, 99th percentile",
    "fct_ms_mean": "transfer time",
    "queue_delay_ms_mean": "queueing delay",
    "queue_delay_ms_p99": "queueing delay, 99th percentile",
    "utilisation_percent": "link in use",
    "jain": "fairness index",
}


def axis_title(column: str) -> str:
    """The axis label of this column, with its unit."""
    unit = BY_NAME[column].unit
    title = _TITLES.get(column, column.replace("_", " "))
    return title if unit in ("", "1") else f"{title} ({unit})"


def check_column(column: str) -> str:
    """A column that has a mean; a usage error for another."""
    known = [name for name, each in BY_NAME.items() if each.across == "mean"]
    if column not in known:
        cure = near(column, known, otherwise="docs/columns.md lists those with a mean")
        raise OptionError("--y", column, f"unknown column; {cure}")
    return column


class _Methods:
    """The names, colours and patterns of the methods, told apart by settings that vary."""

    def __init__(self, data: Data, points: Sequence[Point], used: Sequence[str]) -> None:
        self._data, self._colours = data, over_time.colours(data)
        every = select.varied(points)
        self._keys = [key for key in every if not select.of_scenario(key) and key not in used]
        self._modes = len({point.line.mode for point in points}) > 1
        self.every = list(dict.fromkeys(self.of(point) for point in points))

    def of(self, point: Point) -> tuple[str, str, tuple[str, ...]]:
        """What a point's line in the figure is."""
        line = point.line
        return line.method, line.mode, tuple(point.keys.get(key, "") for key in self._keys)

    def series(self, which: tuple[str, str, tuple[str, ...]]) -> dict[str, Any]:
        """Name, colour and pattern."""
        method, mode, values = which
        pairs = zip(self._keys, values, strict=True)
        parts = [f"{key.rpartition('.')[2]} {text}" for key, text in pairs if text]
        name = ", ".join([self._data.name(method), *([mode] if self._modes else []), *parts])
        same = [each for each in self.every if each[0] == method]
        return {"name": name, "colour": self._colours[method], "dash": same.index(which)}


def _means(points: Sequence[Point | None], column: str) -> dict[str, Any]:
    """The means and the ends of their intervals, which are not below zero."""
    means = [point.line.means.get(column) if point else None for point in points]
    return {
        "y": [mean.mean if mean else None for mean in means],
        "low": [_low(mean) if mean else None for mean in means],
        "high": [mean.high if mean else None for mean in means],
    }


def _low(mean: stats.Mean) -> float:
    return max(mean.low, min(mean.mean, 0.0))


def _panels(points: Sequence[Point], used: Sequence[str]) -> dict[str, list[Point]]:
    """The points of each panel, by its title: one for each value of the keys that are left."""
    every = select.varied(points)
    keys = [key for key in every if key not in used and select.of_scenario(key)]
    found: dict[tuple[str, ...], list[Point]] = {
        place: [] for place in product(*(every[key] for key in keys))
    }
    for point in points:
        found[tuple(point.keys[key] for key in keys)].append(point)
    found = {place: here for place, here in found.items() if here}
    if len(found) > MOST_PANELS:
        choices = "; ".join(f"{key}: {', '.join(every[key])}" for key in keys)
        raise UsageError(
            f"{len(found)} panels are too many (at most {MOST_PANELS}); choose values with "
            f"--where KEY=VALUE, or another key with --x ({choices})"
        )
    return {", ".join(map(select.value_text, keys, place)): here for place, here in found.items()}


def _x_key(points: Sequence[Point], asked: str | None, least: int = 1) -> str:
    """The key along the x axis: the one asked for, or that with most numbers."""
    every = select.varied(points)
    known = dict.fromkeys(key for point in points for key in point.keys)
    if asked is not None:
        if asked not in known:
            raise OptionError("--x", asked, f"not a key of these results; {near(asked, known)}")
        return asked
    numbers = [key for key in every if select.scale(every[key]) and key != RECEIVERS]
    numbers.sort(key=lambda key: (key != FLOWS, not select.of_scenario(key)))
    return next((key for key in numbers if len(every[key]) >= least), FLOWS)


def _crowded(methods: _Methods) -> None:
    if len(methods.every) > MOST_LINES:
        names = dict.fromkeys(method for method, _, _ in methods.every)
        raise UsageError(
            f"{len(methods.every)} lines in a panel are too many (at most {MOST_LINES}); choose "
            f"with --method ({', '.join(names)}) or --where KEY=VALUE"
        )


def _divided(chart: Chart) -> Chart:
    """A crowd of methods in panels of fewer, which can be read."""
    return divided(chart, MOST_OF_CROWD) if len(chart.names) > MOST_LINES else chart


def line(data: Data, column: str = COLUMN, x: str | None = None, *, crowd: bool = False) -> Chart:
    """A column over a key, with its 95 % interval: a line for each method.

    A `crowd` of methods is divided among panels, which is an error otherwise; likewise below.
    """
    y = axis_title(check_column(column))
    points = select.points(data)
    key = _x_key(points, x)
    texts = settings.ordered(point.keys[key] for point in points if key in point.keys)
    points = [point for point in points if key in point.keys]
    scale = select.scale(texts)
    methods = _Methods(data, points, [key])
    if not crowd:
        _crowded(methods)
    panels = []
    for title, here in _panels(points, [key]).items():
        lines = []
        for which in methods.every:
            mine = {point.keys[key]: point for point in here if methods.of(point) == which}
            at = [text for text in texts if text in mine]
            if scale:
                xs = [(settings.number(text) or 0.0) / scale[1] for text in at]
            else:
                xs = [float(texts.index(text)) for text in at]
            means = _means([mine[text] for text in at], column)
            lines.append(Series(**methods.series(which), x=xs, **means))
        panels.append(Panel(title, lines))
    unit = f" ({scale[0]})" if scale and scale[0] else ""
    whole = key == FLOWS
    axis = Axis(select.words(key) + unit, () if scale else texts, whole)
    return _divided(Chart("line", axis, Axis(y), panels, points=True))


def loss(data: Data, column: str = COLUMN) -> Chart:
    """A column over the number of flows."""
    return line(data, column, FLOWS)


def bars(data: Data, column: str = COLUMN, x: str | None = None, *, crowd: bool = False) -> Chart:
    """Means with 95 % intervals, by a key (the number of flows) and method."""
    y = axis_title(check_column(column))
    points = select.points(data)
    key = _x_key(points, x)
    points = [point for point in points if key in point.keys]
    texts = settings.ordered(point.keys[key] for point in points)
    methods = _Methods(data, points, [key])
    if not crowd:
        _crowded(methods)
    panels = []
    for title, here in _panels(points, [key]).items():
        found = {(methods.of(point), point.keys[key]): point for point in here}
        places = [float(index) for index in range(len(texts))]
        groups = [
            Series(
                **methods.series(which),
                x=places,
                **_means([found.get((which, text)) for text in texts], column),
            )
            for which in methods.every
        ]
        panels.append(Panel(title, groups))
    return _divided(Chart("bars", Axis(select.words(key), texts), Axis(y), panels))


def cdf(data: Data, *, crowd: bool = False) -> Chart:
    """The distribution of a group's transfer times over all seeds, for each method."""
    points = select.points(data)
    methods = _Methods(data, points, [])
    if not crowd:
        _crowded(methods)
    groups = list(dict.fromkeys(g for by_group in data.transfers.values() for g in by_group))
    panels = []
    for (title, here), group in product(_panels(points, []).items(), groups):
        lines = []
        for point in here:
            one = point.line
            place = one.receivers, (one.flows, one.settings), one.label
            counts = data.transfers.get(place, {}).get(group)
            if counts:
                times, parts = _thinned(*shares(counts))
                lines.append(Series(**methods.series(methods.of(point)), x=times, y=parts))
        if lines:
            name = group if len(groups) > 1 else ""
            panels.append(Panel(", ".join(filter(None, (title, name))), lines))
    if not panels:
        raise UsageError("cdf: no transfer finished")
    axes = Axis("transfer time (s)"), Axis("share of transfers")
    return _divided(Chart("step", *axes, panels, top=1.02))


def delay(data: Data) -> Chart:
    """The distribution of the packets' delays in the queue over all seeds, for each method: of
    all traffic, and of each group where there are several.
    """
    points = select.points(data)
    methods = _Methods(data, points, [])
    _crowded(methods)
    groups = list(dict.fromkeys(g for by_group in data.delays.values() for g in by_group))
    panels = []
    for (title, here), group in product(_panels(points, []).items(), groups):
        lines = []
        for point in here:
            one = point.line
            place = one.receivers, (one.flows, one.settings), one.label
            found = data.delays.get(place, {}).get(group)
            if found:
                times, parts = _mixed(found)
                lines.append(Series(**methods.series(methods.of(point)), x=times, y=parts))
        if lines:
            name = (group or "all traffic") if len(groups) > 1 else ""
            panels.append(Panel(", ".join(filter(None, (title, name))), lines))
    if not panels:
        raise UsageError("delay: these results have no distribution of delays; only sim keeps one")
    if len(panels) > MOST_PANELS:
        raise UsageError(
            f"{len(panels)} panels are too many (at most {MOST_PANELS}); choose values with "
            f"--where KEY=VALUE, or one group with --group ({', '.join(filter(None, groups))})"
        )
    axes = Axis("queueing delay (ms)"), Axis("share of packets")
    return Chart("step", *axes, panels, top=1.02)


def _mixed(seeds: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    """The distribution over seeds with equal weight, out of the quantiles of each."""
    times = sorted(value for quantiles in seeds for value in quantiles[1:])
    parts = [rank / len(times) for rank in range(1, len(times) + 1)]
    first = min(quantiles[0] for quantiles in seeds)
    return [first, *times], [0.0, *parts]


def _thinned(times: list[float], parts: list[float]) -> tuple[list[float], list[float | None]]:
    """From 0 on; of many steps, every so many."""
    step = max(len(times) // _CDF_POINTS, 1)
    kept = sorted({*range(0, len(times), step), len(times) - 1})
    return [times[kept[0]], *(times[i] for i in kept)], [0.0, *(parts[i] for i in kept)]


def heat(
    data: Data,
    column: str = "goodput_mbps_total",
    x: str | None = None,
    *,
    crowd: bool = False,
) -> Chart:
    """A column over two keys that vary, a panel for each method."""
    title = axis_title(check_column(column))
    every = select.points(data)
    keys = [key for key in select.varied(every) if key != RECEIVERS]
    if x is not None:
        keys.sort(key=lambda key: key != _x_key(every, x))
    else:
        keys.sort(key=lambda key: (key == FLOWS, not select.of_scenario(key)))
    if len(keys) < 2:
        raise UsageError("heat: two keys have to be swept, or one and -n; this varies fewer")
    across, up = keys[:2]
    points = [point for point in every if across in point.keys and up in point.keys]
    xs, ys = (settings.ordered(point.keys[key] for point in points) for key in (across, up))
    methods = _Methods(data, points, [across, up])
    panels = []
    for where, here in _panels(points, [across, up]).items():
        for which in methods.every:
            found = {
                (point.keys[up], point.keys[across]): point.line.means.get(column)
                for point in here
                if methods.of(point) == which
            }
            means = [[found.get((row, at)) for at in xs] for row in ys]
            cells = [[mean.mean if mean else None for mean in row] for row in means]
            name = ", ".join(filter(None, (methods.series(which)["name"], where)))
            if found:
                panels.append(Panel(name, cells=cells))
    if len(panels) > MOST_PANELS and not crowd:
        raise UsageError(
            f"{len(panels)} panels are too many (at most {MOST_PANELS}); choose with --method or "
            "--where KEY=VALUE"
        )
    axes = Axis(select.words(across), xs), Axis(select.words(up), ys)
    return Chart("heat", *axes, panels, value=title)


def served(data: Data) -> Chart:
    """Flows served at each level of loss."""
    colours = over_time.colours(data, [str(entry["method"]) for entry in data.served])
    panels: dict[str, dict[str, dict[str, int | None]]] = {}
    for entry in data.served:
        title = ", ".join(
            [
                *([entry["settings"]] if entry.get("settings") else []),
                select.value_text(RECEIVERS, entry["receivers"]),
            ]
        )
        here = panels.setdefault(title, {}).setdefault(entry["method"], {})
        here[f"{entry['level_percent']:g} %"] = entry["flows"]
    levels = list(
        dict.fromkeys(
            level
            for by_method in panels.values()
            for found in by_method.values()
            for level in found
        )
    )
    places = [float(index) for index in range(len(levels))]
    made = [
        Panel(
            title,
            [
                Series(data.name(name), colours[name], places, [found.get(at) for at in levels])
                for name, found in by_method.items()
            ],
        )
        for title, by_method in panels.items()
    ]
    chart = Chart("bars", Axis("level of loss", levels), Axis("flows served"), made)
    return _divided(chart)


KINDS: Final[Mapping[str, Callable[..., Chart]]] = {
    "bars": bars,
    "cdf": cdf,
    "delay": delay,
    "heat": heat,
    "line": line,
    "loss": loss,
    "queue": over_time.queue,
    "window": over_time.window,
}


def arguments(kind: str, x: str | None, y: str | None, flows: int | None) -> dict[str, Any]:
    """The arguments of a kind out of options; an OptionError for one that it does not take."""
    found = {}
    for option, name, given in (("x", "x", x), ("y", "column", y), ("flows", "flows", flows)):
        if given is None:
            continue
        takers = [each for each, draw in KINDS.items() if name in signature(draw).parameters]
        if kind not in takers:
            raise OptionError(f"--{option}", "", f"{kind} takes none; {', '.join(takers)} do")
        found[name] = given
    return found
