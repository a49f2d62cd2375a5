# SPDX-License-Identifier: GPL-2.0-only
"""Figs. 2.12 and 3.2: single connections, which show what sharing could save."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

import plotly.graph_objects as go

from penstock.api.reproduce.runs import Effort
from penstock.api.reproduce.study import Study
from penstock.results.entries import Entry, verdict
from penstock.runs.backends import sim
from penstock.runs.wishes import Wishes
from penstock.view.report import curves

_FOLDER: Final = "nis-2004/part-1"
_STEPS: Final = 40  # of the sequence numbers in Fig. 2.12
SEGMENT_BYTES: Final = 1460
SEGMENTS: Final = 10  # of a transfer of Fig. 3.2
ROUND_TRIP_S: Final = 0.1  # the least, in both scenarios
STANDARD, LEARNED = "standard", "learned"  # groups of the scenario
_RATES: Final = {STANDARD: 25.0, LEARNED: 41.24}  # segments/s, section 3.3.5
_GAIN_PERCENT: Final = 65.0
_TOLERANCE: Final = 0.02
_GAIN_TOLERANCE: Final = 3.0
_PACKET_S: Final = 1500 * 8 / 1e6  # on the bottleneck, which a window keeps busy
_FALL: Final = 0.75  # of the last sample: a reduction, not a partial ACK
_RECOVERY_S: Final = 1.0  # at most
_WINDOW: Final = "65535"


@dataclass
class Found:
    """A connection over time in segments, and throughputs of ten segments by group."""

    windows: list[tuple[float, float]] = field(default_factory=list)  # s, congestion window
    sequence: list[tuple[float, float]] = field(default_factory=list)  # s, delivered in order
    rates: dict[str, float] = field(default_factory=dict)  # segments/s


def lifetime_rate(tpo_segments_per_s: float) -> float:
    """Segments over the time from the SYN to the last ACK; columns end with the last data."""
    return SEGMENTS / (SEGMENTS / tpo_segments_per_s + ROUND_TRIP_S / 2)


@dataclass(frozen=True)
class Recovery:
    """A fast recovery: the windows around it, in segments, and their times."""

    begin_s: float
    before: float
    end_s: float
    after: float


def recoveries(windows: Sequence[tuple[float, float]]) -> list[Recovery]:
    """Each begins with one fall, to ssthresh + 3, and ends with another, to ssthresh."""
    falls = [
        k
        for k in range(1, len(windows) - 1)
        if 1 < windows[k][1] < _FALL * windows[k - 1][1]  # to 1: a timeout
    ]
    return [
        Recovery(windows[a - 1][0], windows[a - 1][1], windows[b + 1][0], windows[b + 1][1])
        for a, b in pairwise(falls)
        if windows[b][0] - windows[a][0] < _RECOVERY_S
    ]


def slow_start_factor(windows: Sequence[tuple[float, float]]) -> float:
    """The growth of the window in two round trips; with the queue they last longer."""
    start = next(k for k, (_, window) in enumerate(windows) if window > 1)
    start_s, first = windows[start]
    later = [window for second, window in windows if second <= start_s + 3 * ROUND_TRIP_S]
    return later[-1] / first


def _entry(figure: str, what: str, paper: str, ours: str, holds: bool) -> Entry:
    source = "nis-2004 section 2.3.2.6.3" if figure == "Fig. 2.12" else "nis-2004 section 3.3.5"
    return Entry("single connections", figure, what, _WINDOW, paper, ours, verdict(holds), source)


def _phases(found: Found) -> Iterator[Entry]:
    """What Fig. 2.12 shows, by the rules of its section."""
    factor = slow_start_factor(found.windows)
    text = "two round trips of slow start: growth of the window"
    yield _entry("Fig. 2.12", text, "by 4", f"by {factor:.1f}", 3.5 <= factor <= 4.5)
    both = recoveries(found.windows)[-2:]
    halved = both[1].after / both[1].before
    text = "window after a fast recovery, over that before"
    yield _entry("Fig. 2.12", text, "0.5", f"{halved:.2f}", abs(halved - 0.5) < 0.05)
    grown = both[1].before - both[0].after
    mean = (both[1].before + both[0].after) / 2
    rounds = (both[1].begin_s - both[0].end_s) / (mean * _PACKET_S)
    text = "congestion avoidance: segments per round trip"
    rate = grown / rounds
    yield _entry("Fig. 2.12", text, "1", f"{rate:.2f}", abs(rate - 1) < 0.15)


def entries(found: Found) -> list[Entry]:
    """All statements."""
    rows = list(_phases(found))
    for group, paper in _RATES.items():
        ours = found.rates[group]
        what = f"ten segments, {group}: throughput, segments/s"
        holds = abs(ours / paper - 1) < _TOLERANCE
        rows.append(_entry("Fig. 3.2", what, f"{paper:.2f}", f"{ours:.2f}", holds))
    gain = 100 * (found.rates[LEARNED] / found.rates[STANDARD] - 1)
    texts = f"{_GAIN_PERCENT:.0f} %", f"{gain:.0f} %"
    rows.append(_entry("Fig. 3.2", "gain", *texts, abs(gain - _GAIN_PERCENT) <= _GAIN_TOLERANCE))
    return rows


def run(effort: Effort) -> Found:
    """Figs. 2.12 and 3.2, which take a second and are not kept."""
    found = Found()
    _, plan = effort.plan(f"{_FOLDER}/one-connection", Wishes())
    cell = plan.cell("droptail", plan.receivers[0], 1, 1)
    series = sim.backend().run(replace(cell, sampled=True)).series
    assert series is not None
    for time_s, window in zip(series["time_s"], series["cwnd_bytes"][0], strict=True):
        found.windows.append((time_s, window / SEGMENT_BYTES))
    end_s = found.windows[-1][0]
    for step in range(1, _STEPS + 1):
        until_s = end_s * step / _STEPS
        limit = f"time.limit={round(1000 * until_s)}ms"
        _, plan = effort.plan(f"{_FOLDER}/one-connection", Wishes(sets=(limit,)))
        _, result = sim.play(plan.cell("droptail", plan.receivers[0], 1, 1))
        bytes_ = int(result.flows["delivered_bytes"].sum())
        found.sequence.append((until_s, bytes_ / SEGMENT_BYTES))
    _, plan = effort.plan(f"{_FOLDER}/ten-segments", Wishes())
    row = sim.backend().run(plan.cell("droptail", plan.receivers[0], 1, 1))
    for group in row.groups:
        if group["group"] in (STANDARD, LEARNED):
            rate = float(str(group["tpo_segments_per_s"]))
            found.rates[str(group["group"])] = lifetime_rate(rate)
    return found


def _course(found: Found) -> go.Figure:
    figure = curves.chart("time, s", "segments")
    for index, (name, points) in enumerate(
        (("delivered in order, tens", found.sequence), ("congestion window", found.windows))
    ):
        scale = 10 if points is found.sequence else 1
        curves.line(figure, name, [x for x, _ in points], [y / scale for _, y in points], index)
    return figure


def _throughput(found: Found) -> go.Figure:
    figure = curves.chart("ten segments", "throughput, segments/s")
    figure.update_xaxes(type="category")
    figure.add_bar(x=list(found.rates), y=list(found.rates.values()), name="ours")
    return figure


def plots(found: Found) -> list[tuple[str, go.Figure]]:
    """Both figures."""
    return [
        ("Fig. 2.12: one NewReno connection", _course(found)),
        (
            "Fig. 3.2: ten segments without and with an earlier connection's window",
            _throughput(found),
        ),
    ]


def study(effort: Effort) -> Study:
    """Both figures."""
    return Study(lambda: run(effort), entries, plots)
