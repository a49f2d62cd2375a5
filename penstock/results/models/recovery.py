# SPDX-License-Identifier: GPL-2.0-only
"""The time from a loss back to the old window, from a sender's window law alone.

The window grows by the law with each acknowledged segment; segments are acknowledged at the
window per round trip until the path is full, and at the link's rate from then on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

Growth = Callable[[float, float], float]  # window, Wmax -> growth per segment; all in segments

_MOST_SEGMENTS: Final = 100_000_000


def additive(window: float, _: float) -> float:
    """NewReno and Westwood+, log-westwood-2006 eq. (1)."""
    return 1 / window


def logarithmic(alpha: float) -> Growth:
    """LogWestwood+, log-westwood-2006 eq. (7)."""

    def growth(window: float, w_max: float) -> float:
        return max((w_max - window) / (alpha * window), 1 / window)

    return growth


@dataclass(frozen=True)
class Link:
    """A bottleneck: segments per second, round trip without a queue, queue in segments."""

    rate_per_s: float
    rtt_s: float
    queue_segments: float

    @property
    def pipe_segments(self) -> float:
        """What fills the path without a queue."""
        return self.rate_per_s * self.rtt_s

    @property
    def w_max_segments(self) -> float:
        """The window at which the queue overflows."""
        return self.pipe_segments + self.queue_segments


def recovery_s(link: Link, start: float, growth: Growth) -> float:
    """From `start` segments back to the window at which the queue overflows."""
    window, seconds = start, 0.0
    for _ in range(_MOST_SEGMENTS):
        if window >= link.w_max_segments:
            break
        seconds += 1 / min(window / link.rtt_s, link.rate_per_s)
        window += growth(window, link.w_max_segments)
    return seconds
