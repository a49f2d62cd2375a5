# SPDX-License-Identifier: GPL-2.0-only
"""Figures over time, of the first seed: a panel for each method and sort of receivers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from penstock.errors import OptionError, UsageError
from penstock.view.plots import select
from penstock.view.plots.chart import Axis, Chart, Panel, Series
from penstock.view.plots.data import Data, Load

# Where a method has no colour of its own. Far from those of core/gateway/variants.h.
OTHERS: Final = ("#ff41b9", "#786eff", "#ff5000", "#b05048")

Traces = Callable[[Mapping[str, Any]], list[tuple[str, Sequence[float]]]]


def colours(data: Data, more: Sequence[str] = ()) -> dict[str, str]:
    """The colour of each method and label, the same in all figures."""
    names = [name for line in data.lines for name in (line.method, line.label)]
    known = {name: method.colour for name, method in data.methods.items()}
    plain = [name for name, own in known.items() if not own]
    others: dict[str, str] = {}
    found: dict[str, str] = {}
    for name in dict.fromkeys((*names, *more)):
        word = name.partition(" ")[0]
        if word not in others:  # that of its place among all methods, unless one here has it
            first = plain.index(word) if word in plain else len(others)
            turn = [OTHERS[(first + step) % len(OTHERS)] for step in range(len(OTHERS))]
            free = [each for each in turn if each not in others.values()]
            others[word] = known.get(word, "") or (free or turn)[0]
        found[name] = others[word]
    return found


def _queue(series: Mapping[str, Any]) -> list[tuple[str, Sequence[float]]]:
    return [("queue", [value / 1e3 for value in series["queue_bytes"]])]


def _windows(series: Mapping[str, Any]) -> list[tuple[str, Sequence[float]]]:
    """What limits the sampled flows: one flow's sending window, or several congestion windows."""
    both = series["cwnd_bytes"], series["send_window_bytes"]
    if not all(both):
        raise UsageError("window: no flow was sampled; set sample.flows")
    if len(both[0]) > 1:
        return [
            (f"congestion window, flow {index}", [value / 1e3 for value in row])
            for index, row in enumerate(both[0], start=1)
        ]
    pairs = zip(both[0][0], both[1][0], strict=True)
    return [("min(congestion, receive)", [min(pair) / 1e3 for pair in pairs])]


def load_of(data: Data, flows: int | None = None) -> Load:
    """The last load that was sampled; a usage error if there is none."""
    sampled = [load for load in data.loads if any(place[1] == load for place in data.series)]
    found = [load for load in sampled if flows in (None, load[0])]
    if not sampled:
        raise UsageError("no run was sampled; the scenario needs a table [sample]")
    if not found:
        known = ", ".join(str(each) for each in dict.fromkeys(load[0] for load in sampled))
        raise OptionError("--flows", str(flows), f"not sampled with that; known: {known}")
    return found[-1]


def _limit_kb(data: Data, load: Load) -> float | None:
    line = next(line for line in data.lines if (line.flows, line.settings) == load)
    limit = data.buffer_bytes(line)
    return limit / 1e3 if limit else None


def _draw(data: Data, load: Load, title: str, traces: Traces, limit: float | None = None) -> Chart:
    shades, panels = colours(data), []
    for label in data.labels:
        for receivers in data.receivers:
            series = data.series.get((receivers, load, label))
            lines = []
            for index, (name, values) in enumerate(traces(series) if series else []):
                shade = (shades[label], *OTHERS)[index % (1 + len(OTHERS))]
                times = series["time_s"] if series else []
                lines.append(Series(name, shade, times, list(values)))
            window = select.value_text(select.RECEIVERS, receivers)
            parts = [data.name(label), *([window] if len(data.receivers) > 1 else [])]
            panels.append(Panel(", ".join(parts), lines, limit=limit))
    keys = select.varied(select.points(data))
    line = next(line for line in data.lines if (line.flows, line.settings) == load)
    given = {select.FLOWS: str(line.flows), **line.given}
    told = [key for key in given if key in keys and select.of_scenario(key)]
    return Chart(
        *("line", Axis("time (s)"), Axis(title), panels),
        columns=2,
        flat=True,
        title=", ".join(select.value_text(key, given[key]) for key in told),
    )


def queue(data: Data, flows: int | None = None) -> Chart:
    """The measured queue over time, in the first seed of each method."""
    load = load_of(data, flows)
    return _draw(data, load, "queue (kB)", _queue, _limit_kb(data, load))


def window(data: Data, flows: int | None = None) -> Chart:
    """The sending window of the first flow over time, in the first seed of each method."""
    return _draw(data, load_of(data, flows), "window (kB)", _windows)
