# SPDX-License-Identifier: GPL-2.0-only
"""Synthetic traces of links whose rate varies, in mahimahi's format.

They look like such links and are recordings of none: a model each, with the orders of
magnitude that are published for them. The same seed gives the same trace on any machine.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Final

from penstock import _native
from penstock.scenario.source import SYNTHETIC

DURATION_MS: Final = 60_000
LONGEST_MS: Final = 24 * 3600 * 1000
MOST: Final = 50_000_000  # opportunities of a file
PACKET_BYTES: Final = 1500  # that one line of a trace can carry
_BITS: Final = 8
_STEP_MS: Final = 20
_SEED: Final = re.compile(r"[1-9][0-9]{0,17}")
_TRACE: Final = 6  # engine::Purpose::kTrace


def _units(seed: int, kind: int) -> Iterator[float]:
    """Uniform numbers in (0, 1): Philox 4x64-10, 52 bits of each word."""
    block = 0
    while True:
        for word in _native.philox([block, kind, 0, 0], [seed, _TRACE]):
            yield ((word >> 12) + 0.5) * 2.0**-52
        block += 1


def _lte(units: Iterator[float], mean_bps: float) -> Iterator[float]:
    """Rates of steps: fading with a memory of about a second, and handovers.

    The logarithm of the rate is an autoregressive process of order 1 with a deviation of 0.7;
    a handover comes every 20 s and cuts the link for 150 ms, both in the mean and exponential.
    """
    memory, deviation = 0.98, 0.7
    step = deviation * (1 - memory * memory) ** 0.5
    level = deviation * _native.normal_quantile(next(units))
    until_handover = -20_000 * _native.natural_log(next(units))
    outage = 0.0
    while True:
        level = memory * level + step * _native.normal_quantile(next(units))
        until_handover -= _STEP_MS
        if until_handover <= 0:
            outage = -150 * _native.natural_log(next(units))
            until_handover = -20_000 * _native.natural_log(next(units))
        outage -= _STEP_MS
        rate = mean_bps * _native.exponential(level - deviation * deviation / 2)
        yield 0.0 if outage > 0 else rate


def _satellite(units: Iterator[float], mean_bps: float) -> Iterator[float]:
    """Rates of steps: a low orbit, whose satellite changes every 15 s.

    Each choice has a share of its own, 0.4 to 1.6 of the mean; the rate varies by 10 % from
    step to step, and a change of satellite cuts the link for up to 100 ms.
    """
    period = 15_000 // _STEP_MS
    while True:
        share = 0.4 + 1.2 * next(units)
        outage = 100 * next(units)
        for step in range(period):
            stray = 0.9 + 0.2 * next(units)
            yield 0.0 if step * _STEP_MS < outage else mean_bps * share * stray


def _wifi(units: Iterator[float], mean_bps: float) -> Iterator[float]:
    """Rates of milliseconds: a channel that others take in turn.

    It sends for 15 ms in the mean, exponential, and then pauses for 4 to 16 ms.
    """
    while True:
        sends_ms = max(1, round(-15 * _native.natural_log(next(units))))
        pauses_ms = round(4 + 12 * next(units))
        yield from repeat(mean_bps * (15 + 10) / 15, sends_ms)
        yield from repeat(0.0, pauses_ms)


@dataclass(frozen=True)
class Kind:
    """A model: its rates, one for each step, and their usual mean."""

    rates: Callable[[Iterator[float], float], Iterator[float]]
    mean_bps: int
    step_ms: int = _STEP_MS


KINDS: Final = {
    "lte": Kind(_lte, 12_000_000),
    "satellite": Kind(_satellite, 80_000_000),
    "wifi": Kind(_wifi, 60_000_000, 1),
}


def opportunities(kind: str, seed: int, duration_ms: int, mean_bps: int) -> list[int]:
    """Milliseconds, each as often as 1,500 bytes may be sent then; the last is the duration."""
    model = KINDS[kind]
    rates = model.rates(_units(seed, list(KINDS).index(kind)), float(mean_bps))
    steps = -(-duration_ms // model.step_ms)
    ms, credit = [], 0.0
    for number, rate in enumerate(islice(rates, steps)):
        begin = number * model.step_ms
        for at in range(begin + 1, min(begin + model.step_ms, duration_ms) + 1):
            credit += rate / 1000 / _BITS
            count = int(credit / PACKET_BYTES)
            credit -= count * PACKET_BYTES
            ms += [at] * count
    if not ms or ms[-1] != duration_ms:
        ms.append(duration_ms)
    return ms


def named(text: str) -> list[int]:
    """The opportunities of synthetic:KIND or synthetic:KIND:SEED, as `penstock trace` has them."""
    kind, _, seed = text.removeprefix(SYNTHETIC).partition(":")
    if kind not in KINDS or not _SEED.fullmatch(seed or "1"):
        kinds = ", ".join(f"{SYNTHETIC}{kind}" for kind in KINDS)
        raise ValueError(f"{text}: write {kinds}; :SEED may follow")
    return opportunities(kind, int(seed or "1"), DURATION_MS, KINDS[kind].mean_bps)


def text(ms: Sequence[int]) -> str:
    """A trace as a file has it."""
    return "".join(f"{one}\n" for one in ms)


def synthetic(kind: str, seed: int, duration_ms: int, mean_bps: int | None = None) -> str:
    """A trace of a kind as a file has it; without a mean rate, that of its kind.

    Raises ValueError for more opportunities than a file should have.
    """
    mean_bps = KINDS[kind].mean_bps if mean_bps is None else mean_bps
    if mean_bps * duration_ms // (PACKET_BYTES * _BITS * 1000) > MOST:
        raise ValueError(f"more than {MOST:,} opportunities; write less, or a shorter one")
    return text(opportunities(kind, seed, duration_ms, mean_bps))
