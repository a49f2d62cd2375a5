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
    delayed_ack: float = 0.04  # D, seconds
    window: float = 0.0  # W of the last ACK, segments; 0 before it

    def tick(self, queue: float, flows: int) -> None:
        pipe = max(self.rate * self.rtt + self.target, 1.0)
        response = self.rtt + (self.delayed_ack if 0 < self.window < 2 else 0)
        turn = min(self.interval / response, 1.0)
        error = max(-1.0, min(1.0, (self.target - queue) / pipe))
        self.factor *= 1 + self.gain * turn * error
        self.factor = min(max(self.factor, 1 / 16), max(float(flows), 1 / 16))

    def segments(self, rtt: float, flows: int, wire: int) -> float:
        self.window = self.factor * (self.rate * rtt + self.target) / (flows * wire)
        return self.window
