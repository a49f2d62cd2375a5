# SPDX-License-Identifier: GPL-2.0-only
"""Figs. 8 to 10 of ewt-iot-2023: window, receive window and queue of Zhang's model."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import plotly.graph_objects as go

from penstock.results.models.zhang import SOURCE, Sample, Settings, Variant, summarise
from penstock.view.plots.data import method_name
from penstock.view.report import curves, sheet

Traces = Mapping[Variant, Sequence[Sample]]


def name(variant: Variant) -> str:
    """'EWT-IoT, g = 0.0007'; what differs from the default forms follows."""
    parts = [method_name(variant.method)]
    if variant.method == "ewt_iot":
        parts.append(f"g = {float(variant.g):g}")
        parts += ["Fig. 6's average"] if variant.average == "fig6" else []
    parts += ["compound"] if variant.reading == "compound" else []
    return ", ".join(parts)


def _figure(title: str) -> go.Figure:
    return curves.chart("sample k (round trips)", title)


def _add(figure: go.Figure, samples: Sequence[Sample], label: str, **more: Any) -> None:
    field = more.pop("field")
    figure.add_scatter(
        x=[sample.k for sample in samples],
        y=[float(getattr(sample, field)) for sample in samples],
        name=label,
        **more,
    )


def _all(traces: Traces, field: str, title: str) -> go.Figure:
    figure = _figure(title)
    for index, (variant, samples) in enumerate(traces.items()):
        line = {"color": curves.colour(index), "width": 1.6}
        _add(figure, samples, name(variant), field=field, line=line)
    return figure


def _joint(traces: Traces) -> go.Figure:
    """Receive window (whole) and queue (dashed) of what rewrites windows."""
    figure = _figure("segments")
    for index, (variant, samples) in enumerate(traces.items()):
        if variant.method == "droptail":
            continue
        line = {"color": curves.colour(index), "width": 1.6}
        label = name(variant)
        _add(figure, samples, f"{label}: receive window", field="receive_window", line=line)
        _add(figure, samples, f"{label}: queue", field="queue", line={**line, "dash": "dash"})
    return figure


def figures(traces: Traces, settings: Settings) -> list[tuple[str, go.Figure]]:
    """The paper's three figures of the model, with their titles."""
    queue = _all(traces, "queue", "queue, segments")
    limit = {"dash": "dot", "width": 1, "color": "#909090"}
    queue.add_hline(float(settings.queue_segments), line=limit)
    return [
        ("Fig. 8: window", _all(traces, "window", "window W, segments")),
        ("Fig. 9: receive window and queue", _joint(traces)),
        ("Fig. 10: queue", queue),
    ]


HEADERS: Final = (
    "gateway",
    "losses",
    "largest W",
    "last W",
    "largest queue",
    "last queue",
    "W swings by",
    "monotone",
)


def rows(traces: Traces) -> list[list[str]]:
    """One line per variant: the paper's statements about the traces, as numbers."""
    table = []
    for variant, samples in traces.items():
        found = summarise(samples)
        numbers = (
            found.window_max,
            found.window_last,
            found.queue_max,
            found.queue_last,
            found.swing,
        )
        texts = [f"{number:.3f}" for number in numbers]
        steady = "yes" if found.monotone else "no"
        table.append([name(variant), str(found.losses), *texts, steady])
    return table


def page(traces: Traces, settings: Settings) -> sheet.Sheet:
    """The report of the model."""
    count = len(next(iter(traces.values())))
    return sheet.Sheet(
        title="Zhang's model: one TCP flow and a queue",
        notes=[
            f"{SOURCE}. One sample a round trip, {count} samples; all quantities are segments. "
            "Path: C d / M = "
            f"{float(settings.path_segments):.3f}; EWT's equilibrium: W = "
            f"{float(settings.equilibrium_segments):.3f}.",
            "W swings by: largest less smallest window in the last half of the samples. "
            "Monotone: after its peak and one step down, the window never turns back.",
        ],
        tables=[sheet.Grid("The traces in numbers", HEADERS, rows(traces))],
        plots=figures(traces, settings),
    )
