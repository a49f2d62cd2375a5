# SPDX-License-Identifier: GPL-2.0-only
"""log-westwood-2006: the runs, and the paper's statements beside the results."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

from penstock.models import recovery
from penstock.reproduce import judge
from penstock.reproduce.entries import NOT_STATED, Entry, verdict
from penstock.reproduce.judge import Margin
from penstock.results.stats import Mean

NEWRENO, WESTWOOD, LOG, ADAPTIVE = (
    "NewReno",
    "Westwood+",
    "LogWestwood+",
    "LogWestwood+, alpha adapts",
)
_CONGESTION: Final = "tcp.download.congestion="
SENDERS: Final[Mapping[str, Sequence[str]]] = {
    NEWRENO: (f"{_CONGESTION}newreno",),
    WESTWOOD: (f"{_CONGESTION}westwood_plus",),
    LOG: (f"{_CONGESTION}log_westwood_plus",),
}
READINGS: Final[Mapping[str, Sequence[str]]] = {
    **SENDERS,
    ADAPTIVE: (
        f"{_CONGESTION}log_westwood_plus",
        "sender.log_westwood_plus.alpha=2",
        "sender.log_westwood_plus.adaptive=true",
    ),
}
ERROR_RATES: Final = ("0", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1")
SEGMENT_BYTES: Final = 1448
CAPACITY_MBPS: Final = 100 * SEGMENT_BYTES / 1500
_LINK: Final = recovery.Link(100e6 / 8 / 1500, 0.082, 50)
_SETTLED_S: Final = 100.0  # what the first slow start left is over
_PART: Final = "section III"
_SOURCE: Final = "log-westwood-2006 section III"


@dataclass
class Found:
    """Results of the runs."""

    windows: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # series by sender
    growth: dict[str, list[tuple[float, float]]] = field(default_factory=dict)  # s, packets
    errors: dict[tuple[str, str], Mean] = field(default_factory=dict)  # Mbit/s by sender, rate
    flows: dict[tuple[str, int], Mean] = field(default_factory=dict)  # Mbit/s by sender, flows
    shares: dict[tuple[str, int], float] = field(default_factory=dict)  # of LogWestwood+


@dataclass(frozen=True)
class Recovery:
    """A loss: the windows before and after it, segments, and the time back to the first."""

    before: float
    after: float
    seconds: float


def recoveries(series: Mapping[str, Any]) -> list[Recovery]:
    """The losses of a settled connection whose window came back before the next loss."""
    times = [float(time) for time in series["time_s"]]
    windows = [float(each) / SEGMENT_BYTES for each in series["cwnd_bytes"][0]]
    found, index = [], 0
    while index + 1 < len(windows):
        before = windows[index]
        if times[index] < _SETTLED_S or windows[index + 1] >= 0.99 * before:
            index += 1
            continue
        back = index + 1
        while back < len(windows) and windows[back] < before - 1:
            back += 1
        if back < len(windows):
            after = min(windows[index + 1 : back], default=before)
            found.append(Recovery(before, after, times[back] - times[index]))
        index = back
    return found


def by_law(sender: str) -> float:
    """The time back to the old window that the window law alone gives, seconds."""
    if sender == NEWRENO:
        return recovery.recovery_s(_LINK, _LINK.w_max_segments / 2, recovery.additive)
    growth = recovery.additive if sender == WESTWOOD else recovery.logarithmic(4)
    return recovery.recovery_s(_LINK, _LINK.pipe_segments, growth)


def _entry(figure: str, what: str, paper: str, ours: str, holds: bool) -> Entry:
    return Entry(_PART, figure, what, "", paper, ours, verdict(holds), _SOURCE)


def _own(figure: str, what: str, ours: str) -> Entry:
    return Entry(_PART, figure, what, "", "-", ours, NOT_STATED, "")


def _windows(found: Found) -> Iterator[Entry]:
    """Fig. 3."""
    losses = {sender: recoveries(series) for sender, series in found.windows.items()}
    after = {sender: median(loss.after for loss in each) for sender, each in losses.items()}
    before = median(loss.before for loss in losses[NEWRENO])
    text = f"{before:.0f} to {after[NEWRENO]:.0f} segments"
    holds = abs(after[NEWRENO] / before - 0.5) < 0.02
    yield _entry("Fig. 3", "NewReno at an overflow", "halves its window", text, holds)
    for sender in (WESTWOOD, LOG):
        text = f"to {after[sender]:.0f} segments; the path holds {_LINK.pipe_segments:.0f}"
        holds = abs(after[sender] / _LINK.pipe_segments - 1) < 0.02
        what = f"{sender} at an overflow"
        yield _entry("Fig. 3", what, "to the capacity without the queue", text, holds)
    times = {sender: median(loss.seconds for loss in each) for sender, each in losses.items()}
    order = times[LOG] < times[WESTWOOD] < times[NEWRENO]
    for sender, seconds in times.items():
        text = f"{seconds:.2f} s simulated, {by_law(sender):.2f} s by the window law"
        what = f"{sender}, from a loss back to the old window"
        yield _entry("Fig. 3", what, "shortest with LogWestwood+", text, order)


def _ratio(found: Found, rate: str, other: str) -> float:
    return found.errors[LOG, rate].mean / found.errors[other, rate].mean


def _gain(found: Found, rate: str, other: str) -> Mean:
    """Of LogWestwood+ over the other, percent, with its interval."""
    ours, theirs = found.errors[LOG, rate], found.errors[other, rate]
    ratio = ours.mean / theirs.mean
    half = None
    if ours.half is not None and theirs.half is not None:
        half = 100 * ratio * math.hypot(ours.half / ours.mean, theirs.half / theirs.mean)
    return Mean(100 * (ratio - 1), half, min(ours.count, theirs.count))


def _percent(found: Found, sender: str, rate: str) -> float:
    return 100 * found.errors[sender, rate].mean / CAPACITY_MBPS


def _errors(found: Found) -> Iterator[Entry]:
    """Figs. 4 to 7."""
    text = ", ".join(f"{s} {_percent(found, s, '0'):.1f} %" for s in SENDERS)
    equal = abs(_ratio(found, "0", WESTWOOD) - 1) < 0.02
    less = _ratio(found, "0", NEWRENO) > 1.05
    what = "no errors: Westwood+ and LogWestwood+ equal, NewReno below"
    yield _entry("Fig. 4", what, "equal; poor performance of NewReno", text, equal and less)
    gains = [100 * (_ratio(found, rate, WESTWOOD) - 1) for rate in ("1e-7", "1e-5", "1e-3")]
    text = ", ".join(f"{gain:+.1f} %" for gain in gains)
    rises = gains[0] < gains[1] and gains[0] < gains[2]
    what = "gain over Westwood+ at 1e-7, 1e-5, 1e-3"
    yield _entry("Fig. 5", what, "increases with larger PER", text, rises)
    best = max(_percent(found, NEWRENO, rate) for rate in ERROR_RATES)
    text = f"at most {best:.1f} % of the capacity"
    yield _entry("Fig. 6", "NewReno", "at most 80 % of the capacity", text, best <= 80)
    middle = ("1e-5", "1e-4", "1e-3", "1e-2")
    for other, most in ((WESTWOOD, 20), (NEWRENO, 160)):
        every = {rate: _gain(found, rate, other) for rate in middle}
        largest = max(every.values(), key=lambda gain: gain.mean)
        text = ", ".join(f"{gain.mean:+.0f} % at {rate}" for rate, gain in every.items())
        judged = judge.level(largest, most, Margin(judge.LEVEL))
        what = f"gain over {other} from 1e-5 to 1e-2"
        yield judge.entry(judged, _PART, "Fig. 7", what, "", f"up to {most} %", text, _SOURCE)
    text = ", ".join(f"{s} {found.errors[s, '1e-1'].mean:.3f} Mbit/s" for s in SENDERS)
    worst = [found.errors[sender, "1e-1"].mean for sender in SENDERS]
    near = max(worst) < 1.25 * min(worst)
    yield _entry("Fig. 7", "PER 1e-1", "a similar level of performance", text, near)


def _flows(found: Found) -> Iterator[Entry]:
    """Fig. 8."""
    counts = sorted({count for _, count in found.flows})
    shares = {n: 100 * found.flows[LOG, n].mean / CAPACITY_MBPS for n in counts}
    text = ", ".join(f"{share:.1f} % with {n}" for n, share in shares.items())
    holds = min(shares.values()) >= 95
    yield _entry("Fig. 8", "LogWestwood+, utilisation", "95 to 99 %", text, holds)
    for other in (WESTWOOD, NEWRENO):
        gains = {n: found.flows[LOG, n].mean / found.flows[other, n].mean for n in counts}
        text = ", ".join(f"{100 * (gain - 1):+.1f} % with {n}" for n, gain in gains.items())
        holds = min(gains.values()) > 0.995
        yield _entry("Fig. 8", f"LogWestwood+ against {other}", "outperforms it", text, holds)


def _readings(found: Found) -> Iterator[Entry]:
    """Settings that the paper leaves open."""
    gains = {
        rate: 100 * (found.errors[ADAPTIVE, rate].mean / found.errors[LOG, rate].mean - 1)
        for rate in ERROR_RATES
    }
    text = ", ".join(f"{gain:+.1f} % at {rate}" for rate, gain in gains.items())
    what = "alpha adapts from 2 instead of being 4"
    yield _own("section II", what, text)
    for (other, count), share in found.shares.items():
        text = f"{100 * share:.0f} % for LogWestwood+, {100 - 100 * share:.0f} % for {other}"
        what = f"{count} LogWestwood+ beside {count} {other}: shares"
        yield _own("friendliness", what, text)


def entries(found: Found) -> list[Entry]:
    """All statements."""
    return [*_windows(found), *_errors(found), *_flows(found), *_readings(found)]
