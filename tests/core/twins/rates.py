# SPDX-License-Identifier: GPL-2.0-only
"""SAP-LAW, VoAP, Smart-RED and PINK in real numbers; bytes and seconds."""

from dataclasses import dataclass, field


@dataclass
class Udp:
    """The measured rate of what is not TCP: an average over intervals."""

    interval: float = 0.1
    weight: float = 0.25
    rate: float = 0.0
    seen: float = 0.0

    def packet(self, size: float) -> None:
        self.seen += size

    def tick(self) -> None:
        self.rate += self.weight * (self.seen / self.interval - self.rate)
        self.seen = 0.0


def share(capacity: float, udp: float, flows: float, rtt: float) -> float:
    """ewt-2019 equation 5 as a window; PINK's with udp = 0."""
    return max(capacity - udp, 0.0) / flows * rtt


def smart_red(
    queue: float, thresholds: tuple[float, float], sap_law: float, offered: float
) -> float:
    """SAP-LAW between the thresholds (ewt-iot-2023 section 2.3)."""
    low, high = thresholds
    return min(offered, sap_law) if low <= queue < high else offered


@dataclass
class Voap:
    """One flow's window by Vegas, with SAP-LAW's share as its floor."""

    alpha: float = 2
    beta: float = 4
    window: float = field(default=0.0)
    due: float = 0.0

    def ack(
        self,
        now: float,
        mss: float,
        rtt: float,
        wait: float,
        least: float,
        fills: bool,
    ) -> float:
        if not self.window:
            self.due = now + rtt + wait
        elif now >= self.due:
            self.due = now + rtt + wait
            waiting = self.window * wait / (rtt + wait)
            if waiting < self.alpha * mss:
                self.window += mss if fills else 0
            elif waiting > self.beta * mss:
                self.window -= mss
        self.window = max(self.window, least, mss)
        return self.window
