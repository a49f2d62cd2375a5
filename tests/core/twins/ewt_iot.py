# SPDX-License-Identifier: GPL-2.0-only
"""EWT-IoT as ewt-iot-2023 section 3.1 writes it: equations 1 to 3."""

from dataclasses import dataclass, field


@dataclass
class EwtIot:
    """Average free space, updated once per ACK."""

    memory: float
    start: float
    g: float
    reserve: float = 0
    average: float = field(init=False)

    def __post_init__(self) -> None:
        self.average = max(self.memory - self.reserve, 0)

    def ack(self, wr: float, used: float, mss: float) -> float:
        available = max(self.memory - self.reserve - used, 0)
        if available >= self.average:
            self.average = (1 - self.g) * self.average + self.g * available
        else:
            self.average = available
        if used <= self.start:
            return wr
        return min(wr, max(self.average / self.memory * wr, mss))
