# SPDX-License-Identifier: GPL-2.0-only
"""BIC (Xu, Harfoush, Rhee 2004) with the cases of its authors' code; windows in segments."""

from dataclasses import dataclass


@dataclass
class Bic:
    beta: float = 819 / 1024
    low: float = 14
    s_max: float = 16
    b: float = 4
    smooth: float = 20
    fast_convergence: bool = True
    w_max: float = 0.0

    def per_window(self, window: float) -> float:
        if window <= self.low:
            return 1
        if window < self.w_max:
            step = (self.w_max - window) / self.b
            return self.b / self.smooth if step <= 1 else min(step, self.s_max)
        over = window - self.w_max
        step = self.b / self.smooth if over < self.b else min(over / (self.b - 1), self.s_max)
        return step if self.w_max else max(step, window / 20)

    def ack(self, window: float, acked: float) -> float:
        return self.per_window(window) / window * acked

    def loss(self, window: float, flight: float) -> float:
        fell = window < self.w_max and self.fast_convergence
        self.w_max = window * (1 + self.beta) / 2 if fell else window
        return max(flight * (0.5 if window <= self.low else self.beta), 2)
