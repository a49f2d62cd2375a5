# SPDX-License-Identifier: GPL-2.0-only
"""Westwood+ (Grieco, Mascolo 2004), LogWestwood+ and MIAD (log-westwood-2006 section II).

Windows in segments, times in seconds, rates in segments per second.
"""

from dataclasses import dataclass, field

from twins.scalable import Scalable


@dataclass
class Bandwidth:
    """One sample per round trip, filtered."""

    a: float = 0.9
    floor: float = 0.0
    rate: float = 0.0
    begin: float | None = None
    delivered: float = 0.0

    def sample(self, now: float, delivered: float, srtt: float) -> None:
        if self.begin is None:
            self.begin, self.delivered = now, delivered
        length = now - self.begin
        if srtt == 0 or length < max(srtt, self.floor):
            return
        sample = (delivered - self.delivered) / length
        self.rate = self.a * self.rate + (1 - self.a) * sample if self.rate else sample
        self.begin, self.delivered = now, delivered

    def ssthresh(self, rtt_min: float, window: float, *, timeout: bool) -> float:
        """Eq. (5); a loss does not raise the window."""
        pipe = max(self.rate * rtt_min, 2)
        return pipe if timeout else min(pipe, max(window, 2))


@dataclass
class LogGrowth:
    """Eqs. (6) and (7), and what happens to alpha."""

    alpha: float = 2.0
    adaptive: bool = True
    w_max: float = 0.0
    below: bool = False

    def ack(self, window: float, acked: float) -> float:
        return max((self.w_max - window) / (self.alpha * window), 1 / window) * acked

    def reached(self, window: float) -> None:
        if self.below and window >= self.w_max:
            self.below = False
            if self.adaptive:
                self.alpha = max(self.alpha / 2, 2)

    def lost(self, window: float) -> None:
        if self.below and self.adaptive:
            self.alpha *= 2
        self.below = True
        self.w_max = window


@dataclass
class ScalableWestwood:
    """Eq. (3) up, eq. (5) down: `rtt_min` and the estimate are those of the path."""

    growth: Scalable = field(default_factory=Scalable)
    bandwidth: Bandwidth = field(default_factory=Bandwidth)
    rtt_min: float = 0.0

    def ack(self, window: float, acked: float) -> float:
        return self.growth.ack(window, acked)

    def loss(self, window: float, flight: float) -> float:
        return self.bandwidth.ssthresh(self.rtt_min, flight, timeout=False)
