# SPDX-License-Identifier: GPL-2.0-only
"""Stability margins of the law `penstock` (docs/papers/penstock.md, "The loop")."""

import cmath
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_STEP: Final = 0.005  # of the phase in radians: a margin is exact to 0.3 degrees
_MOST_STEPS: Final = 100_000
_SPREAD: Final = 32  # flows whose RTTs differ
_MANY: Final = 200  # flows, whose windows are below two segments up to 230 ms
_RTTS_MS: Final = (*range(4, 40, 2), *range(40, 401, 10))


@dataclass(frozen=True)
class Loop:
    """A link and the law's parameters on it; times in seconds, sizes in bytes."""

    rate: float = 2_500_000
    target: float = 29_100
    segment: float = 1514
    gain: float = 1 / math.e
    slow_gain: float = 1 / 8
    delayed_ack: float = 0.04

    @property
    def wait(self) -> float:
        """Time in the target queue."""
        return self.target / self.rate

    def is_lone(self, rtt: float, flows: int) -> bool:
        """Whether windows are below two segments."""
        return self.rate * (rtt + self.wait) / flows / self.segment < 2


@dataclass(frozen=True)
class Margins:
    """In degrees, and as a factor."""

    phase: float
    gain: float


def of_delay(turn: float) -> Margins:
    """Of an integrator before a delay of 1, which turns the phase by `turn` at crossover."""
    return Margins(90 - math.degrees(turn), math.pi / 2 / turn)


def _plant(turns: Sequence[float], s: complex) -> complex:
    """dU / dc over C: flows with equal rates, whose windows take `turns` to come back."""
    back = [cmath.exp(-s * turn) for turn in turns]
    windows = sum(turn * one / (1 - one) for turn, one in zip(turns, back, strict=True))
    return windows / sum(1 / (1 - one) for one in back)


def _crossings(response: Callable[[float], complex], step: float) -> Margins:
    """Of an open loop over the angular frequency, where it crosses 1 and half a turn."""
    last = response(step)
    phase, crossed = cmath.phase(last), None
    for number in range(2, _MOST_STEPS):
        value = response(number * step)
        phase += cmath.phase(value / last)
        if crossed is None and abs(value) < 1:
            crossed = 180 + math.degrees(phase)
        if phase <= -math.pi and crossed is not None:
            return Margins(crossed, 1 / abs(value))
        last = value
    raise ValueError("the phase does not turn")


def pairs(loop: Loop, rtts: Sequence[float]) -> Margins:
    """With windows of two segments and more, of flows with these RTTs and equal rates."""
    turns = [rtt + loop.wait for rtt in rtts]
    mean = sum(turns) / len(turns)

    def response(omega: float) -> complex:
        """Equation 2 before the plant; its step and the hold between steps cancel."""
        return loop.gain / (mean * mean * 1j * omega) * _plant(turns, 1j * omega)

    return _crossings(response, _STEP / max(turns))


def lone(loop: Loop, rtt: float, flows: int, receiver: float) -> Margins | None:
    """With windows of one and two segments, where receivers delay an ACK by `receiver`.

    None where even windows of one are too much. The windows are planned for receivers that
    wait `delayed_ack`, which changes what a step of c adds to the rate; all of it is taken
    to come with the delay of a lone segment.
    """
    turn = rtt + loop.wait
    rate = loop.rate / flows / loop.segment
    pair, one = 2 / turn, 1 / (turn + receiver)
    part = (rate - one) / (pair - one)
    if part <= 0:
        return None
    planned = (turn + loop.delayed_ack) / (turn + 2 * loop.delayed_ack)
    more = rate * turn * planned * (pair - one)
    plant = more / (part * pair / turn + (1 - part) * one * one) / turn
    return of_delay(loop.slow_gain * plant * (turn + receiver) / (turn + loop.delayed_ack))


def margins(loop: Loop, rtt: float, flows: int, receiver: float = 0.04) -> Margins | None:
    """Of flows with one RTT."""
    if loop.is_lone(rtt, flows):
        return lone(loop, rtt, flows, receiver)
    return of_delay(loop.gain)


def curves() -> Iterator[tuple[str, list[tuple[int, Margins]]]]:
    """What docs/papers/penstock.md shows: a name, and margins over the RTT in ms."""
    loop, first = Loop(), _RTTS_MS[0]
    equal = [(ms, pairs(loop, [ms / 1e3])) for ms in _RTTS_MS]
    yield "two segments and more, equal RTTs", equal
    spread = []
    for ms in _RTTS_MS:
        rtts = [(first + (ms - first) * number / (_SPREAD - 1)) / 1e3 for number in range(_SPREAD)]
        spread.append((ms, pairs(loop, rtts)))
    yield f"RTTs from {first} ms to this", spread
    slow = [ms for ms in _RTTS_MS if loop.is_lone(ms / 1e3, _MANY)]
    for late_ms in (40, 200):
        found = ((ms, lone(loop, ms / 1e3, _MANY, late_ms / 1e3)) for ms in slow)
        points = [(ms, one) for ms, one in found if one]
        yield f"{_MANY} flows below two, ACKs {late_ms} ms late", points
