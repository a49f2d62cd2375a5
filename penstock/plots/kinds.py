# SPDX-License-Identifier: GPL-2.0-only
"""The kinds of figures: each takes results and returns a Matplotlib figure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from penstock.errors import UsageError, near
from penstock.plots import style
from penstock.report.data import Data, Load
from penstock.results import settings, stats
from penstock.results.columns import BY_NAME
from penstock.results.completions import shares
from penstock.results.tables import Line, load_text, receivers_text

_OTHERS: Final = ("#cc6688", "#7a9a01", "#a6761d", "#4d4dff")
_DASHES: Final = ("-", "--", ":", "-.")
_TITLES: Final = {
    "loss_percent": "packet loss",
    "goodput_mbps": "goodput of a flow",
    "goodput_mbps_total": "goodput in all",
    "transfer_s": "transfer time",
    "queue_delay_ms_mean": "queueing delay",
    "queue_delay_ms_p99": "queueing delay, 99th percentile",
    "jain": "fairness index",
}


def axis_title(column: str) -> str:
    """The axis label of this column, with its unit."""
    unit = BY_NAME[column].unit
    title = _TITLES.get(column, column.replace("_", " "))
    return title if unit in ("", "1") else f"{title} ({unit})"


def _check_column(column: str) -> str:
    known = [name for name, each in BY_NAME.items() if each.across == "mean"]
    if column not in known:
        cure = near(column, known, otherwise="docs/columns.md lists those with a mean")
        raise UsageError(f"--column {column}: unknown column; {cure}")
    return column


def _colours(data: Data) -> dict[str, str]:
    others = iter(range(len(data.labels)))
    found = {}
    for label in data.labels:
        method = data.methods.get(label)
        own = method.colour if method else ""
        found[label] = own or _OTHERS[next(others) % len(_OTHERS)]
    return found


def _windows(data: Data) -> list[str]:
    return [f"receive window: {receivers_text(name)}" for name in data.receivers]


def _short(given: str) -> str:
    """The values of settings alone; axes and legends name the keys."""
    return ", ".join(part.partition("=")[2] for part in given.split(", ") if part)


def _keys(data: Data) -> str:
    """The settings' keys, after the number of flows."""
    first = next((given for _, given in data.loads if given), "")
    return ", ".join(["flows", *(part.partition("=")[0] for part in first.split(", ") if part)])


def _half(mean: stats.Mean) -> tuple[float, float]:
    """Half the interval, below and above the mean; not below zero."""
    half = mean.half or 0.0
    return min(half, max(mean.mean, 0.0)), half


def _means(lines: Sequence[Line | None], column: str) -> tuple[list[float], list[list[float]]]:
    means = [line.means.get(column) if line else None for line in lines]
    halves = [_half(mean) if mean else (0.0, 0.0) for mean in means]
    values = [mean.mean if mean else np.nan for mean in means]
    return values, [[below for below, _ in halves], [above for _, above in halves]]


@style.drawn
def bars(data: Data, column: str = "loss_percent") -> Figure:
    """Means with 95 % intervals, by number of flows and method."""
    title, colours = axis_title(_check_column(column)), _colours(data)
    figure, axes = style.panels(len(data.receivers), _windows(data))
    places, width = np.arange(len(data.loads)), 0.8 / len(data.labels)
    for axis, receivers in zip(axes, data.receivers, strict=True):
        for index, label in enumerate(data.labels):
            lines = [data.line(receivers, flows, label, given) for flows, given in data.loads]
            values, halves = _means(lines, column)
            at = places + (index - (len(data.labels) - 1) / 2) * width
            error = {"elinewidth": 0.7, "ecolor": "#606060"}
            axis.bar(
                *(at, values, width),
                yerr=halves,
                error_kw=error,
                color=colours[label],
                label=data.name(label),
            )
        texts = ["\n".join(filter(None, (str(n), *_short(g).split(", ")))) for n, g in data.loads]
        axis.set_xticks(places, texts)
        axis.set_xlabel(_keys(data))
    style.from_zero(axes)
    axes[0].set_ylabel(title)
    style.legend(figure, axes[0])
    return figure


@style.drawn
def loss(data: Data, column: str = "loss_percent") -> Figure:
    """A column over the number of flows: a line with its 95 % interval for each method."""
    title, colours = axis_title(_check_column(column)), _colours(data)
    figure, axes = style.panels(len(data.receivers), _windows(data))
    every = list(dict.fromkeys(each for _, each in data.loads))
    for axis, receivers in zip(axes, data.receivers, strict=True):
        for label in data.labels:
            for index, given in enumerate(every):
                flows = sorted({flows for flows, each in data.loads if each == given})
                lines = [data.line(receivers, each, label, given) for each in flows]
                values, (below, above) = _means(lines, column)
                colour = colours[label]
                name = ", ".join(filter(None, (data.name(label), _short(given))))
                dash = _DASHES[index % len(_DASHES)]
                axis.plot(flows, values, dash, marker="o", markersize=2.5, color=colour, label=name)
                low = np.subtract(values, below)
                axis.fill_between(flows, low, np.add(values, above), color=colour, alpha=0.15)
        axis.set_xlabel("flows")
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    style.from_zero(axes)
    axes[0].set_ylabel(title)
    style.legend(figure, axes[0])
    return figure


@style.drawn
def cdf(data: Data) -> Figure:
    """The distribution of a group's transfer times over all seeds, for each method."""
    colours = _colours(data)
    panels = list(
        dict.fromkeys(
            (receivers, load, group)
            for (receivers, load, _), groups in data.transfers.items()
            for group in groups
        )
    )
    if not panels:
        raise UsageError("cdf: no transfer finished")
    several = len({group for _, _, group in panels}) > 1
    titles = [
        f"{load_text(load[0], _short(load[1]))}\nwindow {receivers_text(name)}"
        + (f", {group}" if several else "")
        for name, load, group in panels
    ]
    columns = min(len(panels), 3)
    figure, axes = style.panels(columns, titles, -(-len(panels) // columns), height=0.8)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    for axis, (receivers, load, group) in zip(axes, panels, strict=False):
        for label in data.labels:
            counts = data.transfers.get((receivers, load, label), {}).get(group)
            if counts:
                times, share = shares(counts)
                axis.step(times, share, where="post", color=colours[label], label=data.name(label))
        axis.set_ylim(0, 1)
    figure.supxlabel("transfer time (s)", fontsize=8)
    figure.supylabel("share of transfers", fontsize=8)
    style.legend(figure, axes[0])
    return figure


Trace = Callable[[Mapping[str, Any]], Sequence[float]]


def _queue(series: Mapping[str, Any]) -> Sequence[float]:
    return [value / 1e3 for value in series["queue_bytes"]]


def _window(series: Mapping[str, Any]) -> Sequence[float]:
    """What limits the first sampled flow: the smaller of both windows."""
    both = series["cwnd_bytes"], series["send_window_bytes"]
    if not all(both):
        raise UsageError("window: no flow was sampled; set sample.flows")
    return [min(pair) / 1e3 for pair in zip(both[0][0], both[1][0], strict=True)]


def _load(data: Data, flows: int | None) -> Load:
    sampled = [load for load in data.loads if any(place[1] == load for place in data.series)]
    chosen = [load for load in sampled if flows in (None, load[0])]
    if not sampled:
        raise UsageError("no run was sampled; the scenario needs a table [sample]")
    if not chosen:
        known = ", ".join(str(each) for each in dict.fromkeys(load[0] for load in sampled))
        raise UsageError(f"--flows {flows}: not sampled with that; known: {known}")
    return chosen[-1]


@style.drawn
def _over_time(data: Data, flows: int | None, title: str, trace: Trace) -> Figure:
    """A panel for each method and sort of receivers, with shared scales."""
    load, colours = _load(data, flows), _colours(data)
    columns = len(data.receivers)
    figure, axes = style.panels(columns, _windows(data), len(data.labels), height=0.45)
    grid = ((label, receivers) for label in data.labels for receivers in data.receivers)
    for index, (axis, (label, receivers)) in enumerate(zip(axes, grid, strict=True)):
        series = data.series.get((receivers, load, label))
        if series:
            axis.plot(series["time_s"], trace(series), color=colours[label], linewidth=0.7)
        if index % columns == 0:
            axis.set_ylabel(data.name(label).replace(" ", "\n"))
    style.from_zero(axes)
    for axis in axes[-columns:]:
        axis.set_xlabel("time (s)")
    figure.suptitle(load_text(*load), fontsize=8)
    figure.supylabel(title, fontsize=8)
    return figure


def queue(data: Data, flows: int | None = None) -> Figure:
    """The measured queue over time, in the first seed of each method."""
    return _over_time(data, flows, "queue (kB)", _queue)


def window(data: Data, flows: int | None = None) -> Figure:
    """The sending window of the first flow over time, in the first seed of each method."""
    return _over_time(data, flows, "window (kB)", _window)


def _given(line: Line) -> Iterator[tuple[str, str]]:
    yield "flows", str(line.flows)
    for part in filter(None, line.settings.split(", ")):
        key, _, value = part.partition("=")
        yield key, value
    for part in line.parameters.split():
        key, _, value = part.partition("=")
        yield f"{line.method}.{key}", value


def _ordered(texts: Sequence[str]) -> list[str]:
    numbers = {text: settings.number(text) for text in texts}
    if all(number is not None for number in numbers.values()):
        return sorted(numbers, key=lambda text: numbers[text] or 0.0)
    return list(numbers)


@style.drawn
def heat(data: Data, column: str = "goodput_mbps") -> Figure:
    """A column over two swept keys (or one, and the number of flows), a panel for each method."""
    title = axis_title(_check_column(column))
    points = [(line, dict(_given(line))) for line in data.lines]
    keys = dict.fromkeys(key for _, given in points for key in given)
    varied = [key for key in keys if len({given.get(key) for _, given in points} - {None}) > 1]
    if len(varied) < 2:
        raise UsageError("heat: two keys have to be swept, or one and -n; this varies fewer")
    across, up = sorted(varied, key=lambda key: key == "flows")[:2]
    most = max(line.flows for line in data.lines)
    here = [
        (line, given)
        for line, given in points
        if across in given and up in given and ("flows" in (across, up) or line.flows == most)
    ]
    panels = list(dict.fromkeys((line.method, line.receivers) for line, _ in here))
    xs, ys = (_ordered([given[key] for _, given in here]) for key in (across, up))
    at = "" if "flows" in (across, up) else f", {most} flows"
    titles = [f"{data.name(m)}{at}\nwindow {receivers_text(r)}" for m, r in panels]
    columns = min(len(panels), 3)
    figure, axes = style.panels(columns, titles, -(-len(panels) // columns), height=1.2)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    means = [line.means.get(column) for line, _ in here]
    values = [mean.mean for mean in means if mean]
    for axis, panel in zip(axes, panels, strict=False):
        cells = np.full((len(ys), len(xs)), np.nan)
        for (line, given), mean in zip(here, means, strict=True):
            if (line.method, line.receivers) == panel and mean:
                cells[ys.index(given[up]), xs.index(given[across])] = mean.mean
        image = axis.imshow(
            cells, origin="lower", aspect="auto", vmin=min(values), vmax=max(values)
        )
        axis.grid(visible=False)
        axis.set_xticks(range(len(xs)), xs)
        axis.set_yticks(range(len(ys)), ys)
        axis.set_xlabel(across)
    axes[0].set_ylabel(up)
    figure.colorbar(image, ax=axes[: len(panels)], label=title)
    return figure


KINDS: Final[Mapping[str, Callable[..., Figure]]] = {
    "bars": bars,
    "cdf": cdf,
    "heat": heat,
    "loss": loss,
    "queue": queue,
    "window": window,
}
