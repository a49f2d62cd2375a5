# SPDX-License-Identifier: GPL-2.0-only
"""RED of Floyd and Jacobson 1993 (Fig. 2), gentle of Floyd 2000, Adaptive RED of 2001."""

import math
from dataclasses import dataclass


@dataclass
class Red:
    """Average queue and the count since the last early drop."""

    min_th: float
    max_th: float
    weight: float
    max_p: float
    gentle: bool = True
    byte_mode: bool = False
    segment: float = 1448
    rate: float = 0  # bytes per second
    average: float = 0.0
    count: int = -1
    empty_since: int = 0  # ns
    idle_packets: int = 0

    def arrive(self, now: int, queue: int) -> None:
        """The average at an arrival; m packets could have left an empty queue."""
        self.idle_packets = 0
        if queue == 0:
            self.idle_packets = math.floor(
                (now - self.empty_since) * int(self.rate) // 10**9 / self.segment
            )
            self.average *= (1 - self.weight) ** self.idle_packets
            self.empty_since = now
        self.average = (1 - self.weight) * self.average + self.weight * queue

    def leave(self, now: int, queue: int) -> None:
        if queue == 0:
            self.empty_since = now

    def probability(self, size: int) -> float:
        """pb, before uniform spacing; 0 below min_th, 1 where all are dropped."""
        if self.average < self.min_th:
            return 0.0
        if self.average < self.max_th:
            part = (self.average - self.min_th) / (self.max_th - self.min_th)
            pb = self.max_p * part
        elif self.gentle and self.average < 2 * self.max_th:
            pb = self.max_p + (1 - self.max_p) * (self.average - self.max_th) / self.max_th
        else:
            return 1.0
        return min(pb * size / self.segment, 1.0) if self.byte_mode else pb

    def certain(self) -> bool:
        """Every packet is dropped, none marked."""
        top = 2 * self.max_th if self.gentle else self.max_th
        return self.average >= max(top, self.min_th)

    def hit(self, uniform: float, size: int) -> bool:
        """Whether a packet is dropped or marked; `uniform` in [0, 1)."""
        if self.average < self.min_th:
            self.count = -1
            return False
        if self.certain():
            self.count = 0
            return True
        self.count += 1
        pb = self.probability(size)
        left = 1 - self.count * pb
        if left <= pb or uniform < pb / left:
            self.count = 0
            return True
        return False


@dataclass
class Ared(Red):
    """RED whose max_p follows the average queue."""

    alpha: float = 0.01
    beta: float = 0.9
    top: float = 0.5
    bottom: float = 0.01

    def band(self) -> tuple[float, float]:
        width = max(self.max_th - self.min_th, 0)
        return self.min_th + 0.4 * width, self.min_th + 0.6 * width

    def tick(self) -> None:
        low, high = self.band()
        if self.average > high and self.max_p <= self.top:
            self.max_p += min(self.alpha, self.max_p / 4)
        elif self.average < low and self.max_p >= self.bottom:
            self.max_p *= self.beta
        self.max_p = min(self.max_p, 1.0)
