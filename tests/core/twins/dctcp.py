# SPDX-License-Identifier: GPL-2.0-only
"""DCTCP as RFC 8257 section 3.3 writes it, and what Prague changes; windows in segments."""

from dataclasses import dataclass


@dataclass
class Dctcp:
    """The nine steps for each acceptable ACK, and the window."""

    window: float
    window_end: float
    alpha: float = 1.0
    g: float = 1 / 16
    acked: float = 0.0
    marked: float = 0.0

    def ack(self, una: float, sent: float, segments: float, *, ece: bool) -> None:
        """Steps 1 to 8: `una` after the ACK, `sent` the next to be sent."""
        self.acked += segments
        if ece:
            self.marked += segments
        if una <= self.window_end:
            return
        self.alpha = self.alpha * (1 - self.g) + self.g * self.marked / self.acked
        self.window_end = sent
        self.acked = self.marked = 0.0

    def grow(self, segments: float) -> None:
        """Congestion avoidance, on ACKs without ECE."""
        self.window += segments / self.window

    def reduce(self) -> None:
        """Step 9."""
        self.window = max(self.window * (1 - self.alpha / 2), 2.0)


def steady_window(p: float) -> float:
    """Where one segment a round trip is what p W / 2 takes away (RFC 9332 appendix C: 2 / p)."""
    return 2 * (1 - p) / p
