# SPDX-License-Identifier: GPL-2.0-only
"""HighSpeed TCP as RFC 3649 writes it; windows in segments."""

from dataclasses import dataclass, field
from math import log

LOW, HIGH = 38, 83_000


def decrease(window: float) -> float:
    """b(w), section 5."""
    return (0.1 - 0.5) * (log(window) - log(LOW)) / (log(HIGH) - log(LOW)) + 0.5


def increase(window: float) -> float:
    """a(w), section 5, with the constant of appendix B: 1 / 12.8 for 0.078."""
    b = decrease(window)
    return window**2 * 2 * b / ((2 - b) * window**1.2 * 12.8)


def table() -> list[tuple[int, int, float]]:
    """w, a(w), b(w) as the script of appendix B prints them."""
    rows = [(LOW, 1, 0.50)]
    last = 1.0
    for window in range(LOW, 100_000):
        a = increase(window)
        if a > last + 1:
            rows.append((window, int(a), round(decrease(window), 2)))
            last = a
    return rows


@dataclass
class HighSpeed:
    rows: list[tuple[int, int, float]] = field(default_factory=table)

    def row(self, window: float) -> tuple[int, int, float]:
        whole = int(window)
        return next((row for row in self.rows if whole <= row[0]), self.rows[-1])

    def ack(self, window: float, acked: float) -> float:
        return self.row(window)[1] / window * acked

    def loss(self, window: float, flight: float) -> float:
        return max(flight * (1 - self.row(window)[2]), 2)
