# SPDX-License-Identifier: GPL-2.0-only
"""FEWA as nis-2004 section 13.2 and Appendix E write it, in packets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

ANY = math.inf

# Table E.1, over Q / QT: empty, short, moderate, long, full, congested.
QUEUE = [
    (-ANY, -ANY, 0.20, 0.40),
    (0.30, 0.50, 0.80, 0.90),
    (0.80, 0.90, 1.10, 1.20),
    (1.10, 1.20, 1.40, 1.60),
    (1.50, 1.70, 1.90, 2.00),
    (1.90, 2.00, ANY, ANY),
]
# Table E.2, over (Q_i - Q_(i-1)) / B, row 3 with its misprint settled.
GROWTH = [
    (-ANY, -ANY, -0.20, -0.15),
    (-0.20, -0.15, -0.10, -0.05),
    (-0.10, -0.05, 0.05, 0.10),
    (0.05, 0.10, 0.15, 0.20),
    (0.15, 0.20, ANY, ANY),
]
# Section E.1: alpha_k by queue (row) and growth (column); R1 and R22 hold for any growth.
EMPTY, CONGESTED = 6, 1
RULES = {
    2: (5, 5, 5, 5, 4),  # short: R2 to R6
    3: (5, 4, 4, 4, 3),  # moderate: R7 to R11
    4: (3, 3, 2, 2, 2),  # long: R12 to R16
    5: (2, 2, 2, 2, 2),  # full: R17 to R21
}
ALPHAS = (1.0, 2.0, 4.0, 6.0, 9.0, 15.0)
MIDDLES = (0.10, 0.65, 1.00, 1.30, 1.80, 2.00)  # (x_k2 + x_k3) / 2 of Table E.1


def membership(x: float, corners: tuple[float, float, float, float]) -> float:
    """A trapezoid of height 1."""
    rise, top, fall, end = corners
    if x < top:
        return max(0.0, (x - rise) / (top - rise))
    if x > fall:
        return max(0.0, (end - x) / (end - fall))
    return 1.0


def log_free(packets: float, part: float) -> float:
    """log2((1 - f) B), two packets at least."""
    return max(math.log2(packets) + math.log2(1 - part), 1.0)


@dataclass
class Fewa:
    """The fuzzy controller of one queue."""

    limit: int  # B
    target: float = 0.25  # QT / B
    alphas_at: Sequence[float] = ALPHAS
    reference: int = 99  # the B that they are for
    mirrored: bool = False
    cap: float = 373_760
    before: int | None = None
    queue: int = 0

    @property
    def alphas(self) -> list[float]:
        """Equation E.6."""
        middles = MIDDLES[::-1] if self.mirrored else MIDDLES
        return [
            min(
                alpha
                * log_free(self.reference, middle * self.target)
                / log_free(self.limit, middle * self.target),
                1024.0,
            )
            for alpha, middle in zip(self.alphas_at, middles, strict=True)
        ]

    def tick(self, queue: int) -> None:
        self.before, self.queue = (queue if self.before is None else self.queue), queue

    def memberships(self) -> tuple[list[float], list[float]]:
        target = max(math.floor(self.target * self.limit), 1)
        before = self.queue if self.before is None else self.before
        growth = (self.queue - before) / self.limit
        return (
            [membership(self.queue / target, corners) for corners in QUEUE],
            [membership(growth, corners) for corners in GROWTH],
        )

    def weights(self) -> list[float]:
        """Equation 13.9."""
        queue, growth = self.memberships()
        weights = [0.0] * 6
        weights[EMPTY - 1] += queue[0]
        weights[CONGESTED - 1] += queue[5]
        for row, alphas in RULES.items():
            for column, alpha in enumerate(alphas):
                weights[alpha - 1] += queue[row - 1] * growth[column]
        return weights

    def alpha(self) -> float:
        """Equation 13.11."""
        weights = self.weights()
        return sum(w * a for w, a in zip(weights, self.alphas, strict=True)) / sum(weights)

    def segments(self) -> float:
        """alpha log2(B - Q) of 13.1, not yet rounded."""
        free = self.limit - self.queue
        return self.alpha() * math.log2(free) if free > 1 else 0.0

    def ack(self, wr: float, mss: float) -> float:
        """Equation 13.1."""
        return min(wr, self.cap, max(mss, math.floor(self.segments() + 0.5) * mss))
