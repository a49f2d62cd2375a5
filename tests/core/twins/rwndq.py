# SPDX-License-Identifier: GPL-2.0-only
"""RWNDQ as Algorithm 1 of the CloudNet paper writes it, per flow, in floating point."""

from dataclasses import dataclass


@dataclass
class Rwndq:
    """QRwnd of a port, with the bounds of the implementation's Listing 1."""

    target: float  # alpha * Qlimit, bytes
    size: float  # Max_Size, bytes
    intervals: int = 8  # M
    least: float = 88.0
    most: float = 65535.0
    window: float = 0.0  # QRwnd
    flows: int = 0  # Qf_count
    increment: float = 0.0  # Wincr
    count: int = 0
    slow_start: bool = True

    def syn_ack(self) -> None:
        if self.flows == 0:
            self.window = self.target
        else:
            self.window *= self.flows / (self.flows + 1)
        self.flows += 1

    def fin(self) -> None:
        self.flows -= 1
        self.window *= (self.flows + 1) / self.flows

    def timeout(self, queue: float) -> None:
        self.increment += (1 - queue / self.target) * self.size / self.intervals
        self.count += 1
        if self.count < self.intervals:
            return
        if self.slow_start:
            self.window += 2 * self.size
        else:
            self.window += self.increment / self.flows
        self.window = min(max(self.window, self.least), self.most)
        if queue >= self.target:
            self.slow_start = False
        self.count = 0
        self.increment = 0.0
