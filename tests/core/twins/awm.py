# SPDX-License-Identifier: GPL-2.0-only
"""AWM as ewt-2019 section 3.3 writes it: equations 6 to 8."""

from dataclasses import dataclass


@dataclass
class Awm:
    """Suggested window of a gateway."""

    swnd: float
    alpha: float
    target: float
    mss: float
    cap: float
    last: float = 0.0

    def event(self, queue: float, flows: int) -> None:
        """A segment has entered or left; `queue` is the memory in use now."""
        dq = (self.last - queue) / flows
        dt = self.alpha * (self.target - queue)
        self.swnd = max(min(self.swnd + dq + dt, self.cap), self.mss)
        self.last = queue

    def ack(self, wr: float) -> float:
        return min(wr, self.swnd)
