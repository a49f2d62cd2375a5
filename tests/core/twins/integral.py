# SPDX-License-Identifier: GPL-2.0-only
"""Integral as docs/methods/integral.md writes it: equations 1 and 2."""

from dataclasses import dataclass


@dataclass
class Integral:
    """The factor c of a gateway, and the windows that it gives."""

    rate: float  # C, bytes per second
    target: float  # bytes
    gain: float = 0.125
    interval: float = 0.01  # T, seconds
    rtt: float = 0.1  # mean, seconds
    factor: float = 1.0

    def tick(self, queue: float, flows: int) -> None:
        pipe = max(self.rate * self.rtt + self.target, 1.0)
        turn = min(self.interval / self.rtt, 1.0)
        error = max(-1.0, min(1.0, (self.target - queue) / pipe))
        self.factor *= 1 + self.gain * turn * error
        self.factor = min(max(self.factor, 1 / 16), max(float(flows), 1 / 16))

    def segments(self, rtt: float, flows: int, wire: int) -> float:
        return self.factor * (self.rate * rtt + self.target) / (flows * wire)
