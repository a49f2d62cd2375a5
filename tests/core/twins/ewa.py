# SPDX-License-Identifier: GPL-2.0-only
"""EWA as nis-2004 section 12.2.1 writes it: equations 12.1 to 12.4, in packets."""

import math
from dataclasses import dataclass, field


@dataclass
class Ewa:
    """Utilization factor and mean queue of a router."""

    limit: int  # B, packets
    g: float = 1 / 128
    low: float = 0.2
    high: float = 0.6
    up: float = 1 / 8
    down: float = 31 / 32
    max_alpha: float = 256
    cap: float = 373_760
    alpha: float = 1.0
    mean: float = 0.0
    free: int = field(init=False)

    def __post_init__(self) -> None:
        self.free = self.limit

    def tick(self, queue: int) -> None:
        self.mean = (1 - self.g) * self.mean + self.g * queue
        if self.mean < self.low * self.limit:
            self.alpha = min(self.alpha + self.up, self.max_alpha)
        elif self.mean > self.high * self.limit:
            self.alpha *= self.down
        self.free = max(self.limit - queue, 0)

    def distance(self) -> float:
        """From the mean to the nearer threshold."""
        return min(abs(self.mean - t * self.limit) for t in (self.low, self.high))

    def segments(self) -> float:
        return self.alpha * math.log2(self.free) if self.free > 1 else 0.0

    def ack(self, wr: float, mss: float) -> float:
        return min(wr, self.cap, max(mss, self.segments() * mss))
