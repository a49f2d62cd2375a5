# SPDX-License-Identifier: GPL-2.0-only
"""Section III: what the paper states of three senders, beside what came out."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Final

from penstock.results import judge
from penstock.results.entries import NOT_STATED, Entry, verdict
from penstock.results.judge import Judged, Stated, about
from penstock.results.models import recovery
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
RUNS: Final = 10  # "averaged from 10 runs"
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


def _judged(figure: str, what: str, paper: str, ours: str, *parts: Judged) -> Entry:
    return judge.entry(judge.together(parts), _PART, figure, what, "", paper, ours, _SOURCE)


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


def _over(ours: Mean, theirs: Mean) -> Mean:
    """What the first has more than the second, percent of the second, with its interval."""
    ratio, half = ours.mean / theirs.mean, None
    if ours.half is not None and theirs.half is not None:
        half = 100 * ratio * math.hypot(ours.half / ours.mean, theirs.half / theirs.mean)
    return Mean(100 * (ratio - 1), half, min(ours.count, theirs.count))


def _gain(found: Found, rate: str, other: str) -> Mean:
    """Of LogWestwood+ over the other."""
    return _over(found.errors[LOG, rate], found.errors[other, rate])


def _more(first: Mean, second: Mean) -> Judged:
    """Whether the second is the larger."""
    half = None
    if first.half is not None and second.half is not None:
        half = math.hypot(first.half, second.half)
    count = min(first.count, second.count)
    return judge.inside(Mean(second.mean - first.mean, half, count), 0.0, math.inf)


def _of_capacity(goodput: Mean) -> Mean:
    """In percent of it."""
    scale = 100 / CAPACITY_MBPS
    half = None if goodput.half is None else scale * goodput.half
    return Mean(scale * goodput.mean, half, goodput.count)


def _without_errors(found: Found) -> Entry:
    shares = [_of_capacity(found.errors[sender, "0"]).mean for sender in SENDERS]
    text = ", ".join(f"{s} {share:.1f} %" for s, share in zip(SENDERS, shares, strict=True))
    equal = judge.alike(_gain(found, "0", WESTWOOD))
    less = judge.inside(_gain(found, "0", NEWRENO), 0.0, math.inf)
    what = "no errors: Westwood+ and LogWestwood+ equal, NewReno below"
    return _judged("Fig. 4", what, "equal; poor performance of NewReno", text, equal, less)


def _errors(found: Found) -> Iterator[Entry]:
    """Figs. 4 to 7."""
    yield _without_errors(found)
    gains = [_gain(found, rate, WESTWOOD) for rate in ("1e-7", "1e-5", "1e-3")]
    text = ", ".join(f"{gain.mean:+.1f} %" for gain in gains)
    rises = [_more(gains[0], later) for later in gains[1:]]
    what = "gain over Westwood+ at 1e-7, 1e-5, 1e-3"
    yield _judged("Fig. 5", what, "increases with larger PER", text, *rises)
    shares = (_of_capacity(found.errors[NEWRENO, rate]) for rate in ERROR_RATES)
    best = max(shares, key=lambda share: share.mean)
    text, most = f"at most {best.mean:.1f} % of the capacity", judge.inside(best, 0.0, 80.0)
    yield _judged("Fig. 6", "NewReno", "at most 80 % of the capacity", text, most)
    yield _below(found)
    yield from _largest_gains(found)
    text = ", ".join(f"{s} {found.errors[s, '1e-1'].mean:.3f} Mbit/s" for s in SENDERS)
    near = [judge.alike(_gain(found, "1e-1", other)) for other in (WESTWOOD, NEWRENO)]
    yield _judged("Fig. 7", "PER 1e-1", "a similar level of performance", text, *near)


def _below(found: Found) -> Entry:
    """Fig. 6: NewReno in all settings; at 1e-1 the three are alike."""
    rates = ERROR_RATES[:-1]
    every = {
        (rate, other): _over(found.errors[other, rate], found.errors[NEWRENO, rate])
        for rate in rates
        for other in (WESTWOOD, LOG)
    }
    least = min(every.values(), key=lambda gain: gain.mean)
    parts = [judge.inside(gain, 0.0, math.inf) for gain in every.values()]
    text = f"the others have at least {least.mean:+.1f} %"
    return _judged("Fig. 6", "NewReno", "lower throughput in all settings", text, *parts)


def _largest_gains(found: Found) -> Iterator[Entry]:
    none = _gain(found, "0", WESTWOOD)
    judged = judge.effect(none, Stated(0.0, 0.5))
    what = f"gain over {WESTWOOD} without errors"
    yield _judged("Fig. 7", what, "0 %", f"{none.mean:+.1f} %", judged)
    middle = ("1e-5", "1e-4", "1e-3", "1e-2")
    for other, most in ((WESTWOOD, 20), (NEWRENO, 160)):
        every = {rate: _gain(found, rate, other) for rate in middle}
        largest = max(every.values(), key=lambda gain: gain.mean)
        text = ", ".join(f"{gain.mean:+.0f} % at {rate}" for rate, gain in every.items())
        stated = about(most)
        own = Stated(most, stated.digit, judge.implied(largest, RUNS))
        judged = judge.effect(largest, own, "+")
        what = f"gain over {other} from 1e-5 to 1e-2"
        yield _judged("Fig. 7", what, f"up to {most} %", text, judged)


def _flows(found: Found) -> Iterator[Entry]:
    """Fig. 8."""
    counts = sorted({count for _, count in found.flows})
    shares = {n: _of_capacity(found.flows[LOG, n]) for n in counts}
    text = ", ".join(f"{share.mean:.1f} % with {n}" for n, share in shares.items())
    full = [judge.inside(share, 94.5, 99.5) for share in shares.values()]
    yield _judged("Fig. 8", "LogWestwood+, utilisation", "95 to 99 %", text, *full)
    for other in (WESTWOOD, NEWRENO):
        gains = {n: _over(found.flows[LOG, n], found.flows[other, n]) for n in counts}
        text = ", ".join(f"{gain.mean:+.1f} % with {n}" for n, gain in gains.items())
        above = [judge.inside(gain, 0.0, math.inf) for gain in gains.values()]
        yield _judged("Fig. 8", f"LogWestwood+ against {other}", "outperforms it", text, *above)


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
