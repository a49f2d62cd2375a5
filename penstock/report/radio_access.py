# SPDX-License-Identifier: GPL-2.0-only
"""Figs. 16.1 to 16.3 and 17.1 to 17.3 of nis-2004: the queue of a base station in RAN 2."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from penstock.report import curves
from penstock.reproduce import radio_access as paper

_SHOWN_S: Final = 120.0
_LIMIT_PKTS: Final = 99


def _process(found: paper.Found, users: int) -> go.Figure:
    figure = curves.chart("time, s", "queue, packets")
    for index, method in enumerate(paper.LABELS):
        samples = found.series[method, users]
        shown = [(t, q) for t, q in samples if t < samples[0][0] + _SHOWN_S]
        times, packets = [t for t, _ in shown], [q for _, q in shown]
        curves.line(figure, paper.LABELS[method], times, packets, index)
    return figure


def _shares(found: paper.Found, method: str, users: int) -> NDArray[np.float64]:
    """Of 0 to 99 packets, how often each was seen."""
    packets = np.array([packets for _, packets in found.series[method, users]])
    counts = np.bincount(packets.round().astype(int), minlength=_LIMIT_PKTS + 1)
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def _histogram(found: paper.Found, users: int) -> go.Figure:
    figure = curves.chart("queue, packets", "share of the time", type="log")
    for index, (method, name) in enumerate(paper.LABELS.items()):
        shares = _shares(found, method, users)
        seen = np.nonzero(shares)[0]
        curves.line(figure, name, seen.tolist(), shares[seen].tolist(), index)
    return figure


def _ccdf(found: paper.Found, users: int) -> go.Figure:
    figure = curves.chart("queue, packets", "share of the time above it", type="log")
    for index, (method, name) in enumerate(paper.LABELS.items()):
        above = 1 - np.cumsum(_shares(found, method, users))
        seen = np.nonzero(above > 1e-9)[0]
        curves.line(figure, name, seen.tolist(), above[seen].tolist(), index)
    return figure


def plots(found: paper.Found) -> Iterator[tuple[str, go.Figure]]:
    """All figures, of both loads."""
    for users, load in paper.LOADS.items():
        yield f"Figs. 16.1, 17.1: queue of a base station in RAN 2, {load}", _process(found, users)
        yield f"Figs. 16.2, 17.2: its histogram, {load}", _histogram(found, users)
        yield f"Figs. 16.3, 17.3: its complementary distribution, {load}", _ccdf(found, users)
