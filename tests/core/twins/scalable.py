# SPDX-License-Identifier: GPL-2.0-only
"""Scalable TCP as Kelly 2003 section 3 writes it; windows in segments."""

from dataclasses import dataclass


@dataclass
class Scalable:
    a: float = 0.01
    b: float = 0.125
    lwnd: float = 16

    def ack(self, window: float, acked: float) -> float:
        return acked / window if window <= self.lwnd else self.a * acked

    def loss(self, window: float, flight: float) -> float:
        b = 0.5 if window <= self.lwnd else self.b
        return max(flight * (1 - b), 2)
