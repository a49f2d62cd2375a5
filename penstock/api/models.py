# SPDX-License-Identifier: GPL-2.0-only
"""`ps.zhang`, `ps.aggressiveness`, `ps.sqrt_p` and `ps.pftk`: analytical models of the papers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import Any, Final

from penstock.api.words import in_python
from penstock.errors import OptionError, near
from penstock.results.models import aggressiveness as ensembles
from penstock.results.models import throughput
from penstock.results.models import zhang as recurrence
from penstock.scenario import params, units
from penstock.scenario.source import SET

Numbers = str | int | Iterable[int]
Rates = str | float | Iterable[float]
LOSSES: Final = "0.0001,0.0003,0.001,0.003,0.01,0.03,0.1"
MEMBERS: Final = "1..5,10,20,50"
LOST: Final = "0..10,20,30,40,50,60,70,80,90,100"
FACTORS: Final = "0.0007,0.01,0.1,0.5"
_BOTH: Final = "both"
_NS: Final = 10**9


@dataclass(frozen=True)
class Zhang:
    """The samples of each variant, one a round trip; segments."""

    settings: recurrence.Settings
    traces: Mapping[recurrence.Variant, Sequence[recurrence.Sample]]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The keys of `penstock model zhang -j`."""
        traces = self.traces.items()
        return [recurrence.describe(form, each) for form, samples in traces for each in samples]


def _parts(given: str | float | Iterable[float]) -> list[str]:
    """A text with commas, a number, or several."""
    if isinstance(given, str):
        parts = [part.strip() for part in given.split(",")]
        return list(dict.fromkeys(part for part in parts if part))
    return [str(each) for each in (given if isinstance(given, Iterable) else [given])]


def _whole(option: str, given: object, low: int, high: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise OptionError(option, str(given), f"must be a whole number from {low} to {high}")
    return given


def _number(option: str, text: str, low: float, high: float, key: str = "") -> Fraction:
    """The decimal that was written, as it stands."""
    try:
        value = Fraction(Decimal(text))
    except (ArithmeticError, ValueError):
        value = Fraction(-1)
    if not low <= value <= high:
        raise OptionError(option, text, f"must be a number from {low:g} to {high:g}", key)
    return value


def _whole_numbers(option: str, given: Numbers, low: int, high: int) -> list[int]:
    """'1..5,10' as 1, 2, 3, 4, 5, 10, each once."""
    found: dict[int, None] = {}
    text = ",".join(_parts(given)) if not isinstance(given, str) else given
    for part in text.split(","):
        first, dots, last = (end.strip() for end in part.partition(".."))
        ends = first, last if dots else first
        if not all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
            raise OptionError(option, text, "write whole numbers and ranges, such as 1..5,10")
        least, most = (int(end) for end in ends)
        if not low <= least <= most <= high:
            raise OptionError(option, text, f"{part.strip()} is not within {low}..{high}")
        found.update(dict.fromkeys(range(least, most + 1)))
    return list(found)


def _choices(option: str, text: str, known: Sequence[Any]) -> list[Any]:
    if text == _BOTH:
        return list(known)
    if text not in known:
        raise OptionError(option, text, near(text, [*known, _BOTH]))
    return [text]


def _settings(given: Mapping[str, object]) -> recurrence.Settings:
    settings = recurrence.Settings().exact()
    known = [field.name for field in fields(settings)]
    for key, value in given.items():
        if key not in known:
            raise OptionError(SET, "", f"unknown key; {near(key, known, 7)}", key)
        low = 0.0 if key in ("delay_s", "start_segments") else 1.0
        settings = replace(settings, **{key: _number(SET, str(value), low, 1e12, key)})
    return settings


def _trace(
    variant: recurrence.Variant, settings: recurrence.Settings, count: int
) -> list[recurrence.Sample]:
    try:
        return recurrence.exact(variant, settings, count)
    except recurrence.TooLongError as error:
        from penstock.view.report import zhang as pages  # which loads Plotly

        what = f"{pages.name(variant)} has no short exact values after {error.samples} samples"
        why = f"{what} with these settings; at most {error.samples}"
        raise OptionError("--samples", str(count), why) from None


@in_python
def zhang(
    samples: int = 100,
    g: Rates = FACTORS,
    *,
    average: str = "eq3",
    reading: str = "advertised",
    set: Mapping[str, object] | None = None,  # noqa: A002
) -> Zhang:
    """Zhang's discrete model: drop-tail, EWT, EWT-IoT (ewt-iot-2023 section 3.2).

    `g` are EWT-IoT's smoothing factors; `average` eq3, fig6 or both; `reading` advertised,
    compound or both; `set` rows of the paper's Table 1.

    Examples:
        >>> [record["window_segments"] for record in zhang(4, g=0.1).records][:4]
        [1.0, 2.0, 4.0, 8.0]
    """
    settings = _settings(set or {})
    count = _whole("--samples", samples, 2, recurrence.MAX_SAMPLES)
    factors = list(dict.fromkeys(_number("--g", text, 0.0, 1.0) for text in _parts(g)))
    if not factors:
        raise OptionError("--g", "", f"name at least one, such as {recurrence.PAPER_G}")
    averages = _choices("--average", average, recurrence.AVERAGES)
    readings = _choices("--reading", reading, recurrence.READINGS)
    forms = recurrence.variants(factors, averages, readings)
    return Zhang(settings, {form: _trace(form, settings, count) for form in forms})


@in_python
def aggressiveness(
    members: Numbers = MEMBERS,
    lost: Numbers = LOST,
    *,
    cwnd: int = 32,
    ssthresh: int = 64,
    runs: int = 0,
) -> list[ensembles.Compared]:
    """Standard connections against an EFCM ensemble of as many after losses (nis-2004 chapter 6).

    With `runs`, the simulator's senders too, with so many random draws of the losses.

    Examples:
        >>> aggressiveness(2, "0..1")[1].delta_cwnd_segments
        0.0
    """
    return list(
        ensembles.compare(
            _whole_numbers("--members", members, 1, 1000),
            _whole_numbers("--lost", lost, 0, 1000),
            _whole("--cwnd", cwnd, 1, 10_000),
            _whole("--ssthresh", ssthresh, 2, 1_000_000),
            _whole("--runs", runs, 0, 1_000_000),
        )
    )


def _rates(given: Rates) -> list[float]:
    found = []
    for part in _parts(given):
        try:
            rate = float(part)
        except ValueError:
            rate = inf
        if not (isfinite(rate) and 1e-9 <= rate <= 0.9):
            raise OptionError("--loss", part, "must be a rate from 1e-9 to 0.9")
        found.append(rate)
    if not found:
        raise OptionError("--loss", "", "name at least one rate, such as 0.01")
    return found


def _time_s(option: str, text: str) -> float:
    try:
        value = units.parse_time(str(text))
    except ValueError as error:
        raise OptionError(option, str(text), str(error)) from None
    if not 0 < value <= 1000 * _NS:
        raise OptionError(option, text, "must be above 0s and at most 1000s")
    return value / _NS


def _compare(
    formula: Callable[[float, throughput.Path], float],
    loss: Rates,
    path: throughput.Path,
    sender: str,
    losses: int,
) -> list[throughput.Compared]:
    if sender not in params.senders():
        raise OptionError("--sender", sender, near(sender, params.senders()))
    events = _whole("--losses", losses, 0, 1_000_000)
    return [throughput.compare(formula, rate, path, sender, events) for rate in _rates(loss)]


def _path(rtt: str, rto: str, segments_per_ack: int, window: int) -> throughput.Path:
    acks = _whole("--segments-per-ack", segments_per_ack, 1, 100)
    path = throughput.Path(_time_s("--rtt", rtt), _time_s("--rto", rto), window or inf, acks)
    if path.rto_s < path.rtt_s:
        raise OptionError("--rto", rto, f"a timeout is not shorter than the round trip, {rtt}")
    return path


@in_python
def sqrt_p(
    loss: Rates = LOSSES,
    *,
    rtt: str = "100ms",
    rto: str = "300ms",
    segments_per_ack: int = 1,
    sender: str = "newreno",
    losses: int = 1000,
) -> list[throughput.Compared]:
    """The inverse square-root p law beside the simulator (nis-2004 eq. 2.21).

    `losses` are those to simulate, with the congestion control `sender`; 0: only the formula.

    Examples:
        >>> round(sqrt_p(0.0001, losses=0)[0].formula_per_s)
        1225
    """
    path = _path(rtt, rto, segments_per_ack, 0)
    return _compare(throughput.inverse_sqrt, loss, path, sender, losses)


@in_python
def pftk(
    loss: Rates = LOSSES,
    *,
    rtt: str = "100ms",
    rto: str = "300ms",
    segments_per_ack: int = 1,
    window: int = 0,
    sender: str = "newreno",
    losses: int = 1000,
) -> list[throughput.Compared]:
    """The formula of Padhye, Firoiu, Towsley, Kurose beside the simulator (nis-2004 eq. 2.22).

    `window` is the receive window in segments, 0 for no limit; the others are those of `sqrt_p`.

    Examples:
        >>> pftk(0.001, window=10, losses=0)[0].formula_per_s
        100.0
    """
    path = _path(rtt, rto, segments_per_ack, _whole("--window", window, 0, 2**31))
    return _compare(throughput.pftk, loss, path, sender, losses)
