# SPDX-License-Identifier: GPL-2.0-only
"""Vegas as Brakmo and Peterson 1995 section IV write it; windows in segments."""

from dataclasses import dataclass


@dataclass
class Vegas:
    """What happens at the end of a round trip; slow start in between is the caller's."""

    window: float
    ssthresh: float
    alpha: float = 2
    beta: float = 4
    gamma: float = 1

    def round(self, base: float, rtt: float, *, limited: bool = True) -> None:
        expected, actual = self.window / base, self.window / rtt
        diff = (expected - actual) * base
        if self.window < self.ssthresh:
            if diff > self.gamma:
                self.window = max(min(self.window, self.window * base / rtt + 1), 2)
                self.ssthresh = max(min(self.ssthresh, self.window - 1), 2)
            return
        if diff > self.beta:
            self.window -= 1
            self.ssthresh = max(min(self.ssthresh, self.window - 1), 2)
        elif diff < self.alpha and limited:
            self.window += 1
        self.window = max(self.window, 2)
