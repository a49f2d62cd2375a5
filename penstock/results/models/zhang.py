# SPDX-License-Identifier: GPL-2.0-only
"""Zhang's discrete model of one TCP flow and a queue, with drop-tail, EWT and EWT-IoT.

Talau, Herek, Fonseca, Wille: Improving TCP performance over a common IoT scenario
using the Early Window Tailoring method (2023), section 3.2, eqs. (3) to (5),
Figs. 5 to 7, Table 1; after Zhang, Liu, Vukadinovic, Trajkovic: Modeling TCP/RED
(2006). One sample a round trip. Windows and queue are in segments and need not be
whole numbers, as in the paper.

The recurrence works on any number type. Floats do where it converges; elsewhere it
stretches their rounding by up to Wr / B in every round, so that only fractions
(Settings.exact()) tell the trace after some fifty rounds.
papers/ewt-iot-2023/page.md says what the paper leaves open and how it is settled.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Final, Literal

Method = Literal["droptail", "ewt", "ewt_iot"]
Average = Literal["eq3", "fig6"]
Reading = Literal["advertised", "compound"]

METHODS: Final[tuple[Method, ...]] = ("droptail", "ewt", "ewt_iot")
AVERAGES: Final[tuple[Average, ...]] = ("eq3", "fig6")
READINGS: Final[tuple[Reading, ...]] = ("advertised", "compound")
SOURCE: Final = "ewt-iot-2023 section 3.2, eqs. (3) to (5), Figs. 5 to 10, Table 1"
PAPER_G: Final = "0.0007"  # Table 2
MAX_SAMPLES: Final = 10_000
_MOST_BITS: Final = 1 << 18  # of an exact value
_ROUNDING: Final = 1e-9  # segments; floats lose less where the model converges

Number = Any  # float or Fraction; both have the same operators


@dataclass(frozen=True)
class Settings:
    """Table 1. Rate in bytes/s, delay (there and back) in s, all others in segments or bytes."""

    segment_bytes: Number = 500
    rate_bytes_per_s: Number = 192_500
    delay_s: Number = 0.0228
    queue_segments: Number = 30
    window_segments: Number = 65
    ssthresh_segments: Number = 20
    start_segments: Number = 3

    @property
    def path_segments(self) -> Number:
        """C d / M: segments in flight without a queue."""
        return self.rate_bytes_per_s * self.delay_s / self.segment_bytes

    @property
    def equilibrium_segments(self) -> Number:
        """EWT's fixed point: W = (B - (W - C d / M)) / B * Wr."""
        window, queue = self.window_segments, self.queue_segments
        return window * (queue + self.path_segments) / (queue + window)

    def exact(self) -> "Settings":
        """The same as fractions; a float stands for the decimal that it prints as."""
        return replace(self, **{f.name: Fraction(str(getattr(self, f.name))) for f in fields(self)})


@dataclass(frozen=True)
class Variant:
    """What is at the gateway, and which of the paper's two forms is meant.

    `average`: eq. (3), which falls to the free space at once, or Fig. 6, which keeps
    the old average then. `reading` of Fig. 7's `Wr <- EWTIoT(Wr, Wk)`: applied to the
    receiver's advertised window in every round, or to what the last round left of it.
    """

    method: Method
    g: Number = 1
    average: Average = "eq3"
    reading: Reading = "advertised"


@dataclass(frozen=True)
class Sample:
    """One round trip; `queue` is eq. (5), 0 where the path is not full; if `lost`, W is halved."""

    k: int
    window: Number
    receive_window: Number
    queue: Number
    lost: bool


class _Gateway:
    """Fig. 6: the gateway's rewriting of the receive window."""

    def __init__(self, variant: Variant, settings: Settings) -> None:
        self._variant = variant
        self._settings = settings
        self._average = settings.queue_segments  # the queue starts empty

    def _free(self, now: Number) -> Number:
        """The averaged free space, after one update with the present one."""
        if self._variant.method == "ewt":
            return now
        if now < self._average:
            if self._variant.average == "eq3":
                self._average = now
            return now
        self._average = (1 - self._variant.g) * self._average + self._variant.g * now
        return self._average

    def rewrite(self, receive_window: Number, queue: Number) -> Number:
        """The window that leaves the gateway."""
        if self._variant.method == "droptail":
            return receive_window
        limit = self._settings.queue_segments
        free = self._free(limit - queue)
        if queue < self._settings.start_segments:
            return receive_window
        return max(free / limit * receive_window, 1)


def _grown(window: Number, receive_window: Number, settings: Settings) -> Number:
    """Eq. (4)."""
    if window < settings.ssthresh_segments:
        return min(2 * window, settings.ssthresh_segments, receive_window)
    return min(window + 1, receive_window)


def trace(variant: Variant, settings: Settings, count: int) -> Iterator[Sample]:
    """The first `count` samples, from W = 1 and an empty queue."""
    gateway = _Gateway(variant, settings)
    window: Number = 1
    receive_window = settings.window_segments
    for k in range(count):
        excess = window - settings.path_segments
        queue = max(excess, 0)
        lost = excess >= settings.queue_segments
        if not lost:
            compound = variant.reading == "compound"
            before = receive_window if compound else settings.window_segments
            receive_window = gateway.rewrite(before, queue)
        yield Sample(k, window, receive_window, queue, lost)
        window = window / 2 if lost else _grown(window, receive_window, settings)


@dataclass(frozen=True)
class Summary:
    """The paper's statements about a trace, as numbers; segments."""

    losses: int
    window_max: float
    window_last: float
    queue_max: float
    queue_last: float
    swing: float  # largest less smallest window in the last half of the samples
    monotone: bool  # after its peak and one step down, the window never turns back


def _monotone(windows: Sequence[Number]) -> bool:
    """True if the window rises to its peak, steps down once at most, then keeps one direction."""
    peak = max(range(len(windows)), key=lambda k: windows[k])
    before, after = windows[: peak + 1], windows[peak + 1 :]
    steps = [b - a for a, b in itertools.pairwise(after)]
    rising = all(a <= b for a, b in itertools.pairwise(before))
    return rising and (min(steps, default=0) >= -_ROUNDING or max(steps, default=0) <= _ROUNDING)


def summarise(samples: Sequence[Sample]) -> Summary:
    """Losses, peak, end and steadiness of a trace."""
    windows = [sample.window for sample in samples]
    queues = [sample.queue for sample in samples]
    tail = windows[len(windows) // 2 :]
    return Summary(
        losses=sum(sample.lost for sample in samples),
        window_max=float(max(windows)),
        window_last=float(windows[-1]),
        queue_max=float(max(queues)),
        queue_last=float(queues[-1]),
        swing=float(max(tail) - min(tail)),
        monotone=_monotone(windows),
    )


def variants(
    g_values: Sequence[Number], averages: Sequence[Average], readings: Sequence[Reading]
) -> list[Variant]:
    """Drop-tail, then EWT and EWT-IoT in every form that is asked for."""
    made = [Variant("droptail")]
    for reading in readings:
        made.append(Variant("ewt", reading=reading))
        made += [Variant("ewt_iot", g, form, reading) for form in averages for g in g_values]
    return made


class TooLongError(ValueError):
    """The fractions of a trace grew too long after `samples` samples."""

    def __init__(self, samples: int) -> None:
        super().__init__(f"no short exact values after {samples} samples")
        self.samples = samples


def exact(variant: Variant, settings: Settings, count: int) -> list[Sample]:
    """The trace with exact settings. Raises TooLongError."""
    found = []
    for sample in trace(variant, settings, count):
        found.append(sample)
        if Fraction(sample.receive_window).denominator.bit_length() > _MOST_BITS:
            raise TooLongError(len(found))
    return found


def describe(variant: Variant, sample: Sample) -> dict[str, Any]:
    """The keys of `penstock model zhang -j`."""
    averages = variant.method == "ewt_iot"
    return {
        "method": variant.method,
        "g": float(variant.g) if averages else None,
        "average": variant.average if averages else None,
        "reading": variant.reading if variant.method != "droptail" else None,
        "k": sample.k,
        "window_segments": float(sample.window),
        "receive_window_segments": float(sample.receive_window),
        "queue_segments": float(sample.queue),
        "lost": sample.lost,
    }
