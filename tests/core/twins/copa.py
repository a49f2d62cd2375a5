# SPDX-License-Identifier: GPL-2.0-only
"""Copa in floating point, written from Arun and Balakrishnan 2018, section 2. Seconds, segments."""

from dataclasses import dataclass, field

BYTE = 1 / 1000  # at least, in segments


@dataclass(frozen=True)
class Rtts:
    """What the RTT filters say."""

    standing: float
    least: float
    most: float


@dataclass
class Copa:
    """One connection."""

    window: float
    delta: float = 0.5
    competitive: bool = True
    fewest: float = 2.0

    inverse: float = field(init=False)
    velocity: float = 1.0
    up: bool = False
    same: int = 0
    at_round: float = field(init=False)
    starting: bool = True
    draining: bool = True
    competing: bool = False
    lost: bool = False
    empty_at: float = 0.0
    close: bool = False  # two sides of a comparison were too near for integers to tell

    def __post_init__(self) -> None:
        self.inverse = 1 / self.delta
        self.at_round = self.window

    def _more(self, one: float, other: float, rounding: float = 0.0) -> bool:
        apart = abs(one - other)
        self.close |= 0 < apart < max(1e-6 * abs(other), rounding)
        return one > other

    def _head(self, up: bool) -> None:
        self.up, self.same, self.velocity = up, 0, 1.0

    def _end_of_round(self) -> None:
        up = self._more(self.window, self.at_round, BYTE)
        if up != self.up:
            self._head(up)
        else:
            self.same += 1
            if self.same >= 3:
                self.velocity *= 2
        if self.competing and not self.lost:
            self.inverse += 1
        self.lost = False
        self.at_round = self.window

    def ack(
        self, now: float, acked: float, rtts: Rtts, srtt: float, *, losses: bool, ends_round: bool
    ) -> float:
        """The window after an ACK; it had limited the sender."""
        queueing = rtts.standing - rtts.least
        if not self._more(queueing, 0.1 * (rtts.most - rtts.least)) or self.draining:
            self.empty_at = now
        self.competing = self.competitive and self._more(now - self.empty_at, 5 * srtt)
        if not self.competing:
            self.inverse = 1 / self.delta
        if losses:
            if self.competing and not self.lost:
                self.inverse = max(self.inverse / 2, 1 / self.delta)
            self.lost = True
        if ends_round:
            self._end_of_round()
        # lambda > lambda_t, times delta d_q
        waiting = self.window * queueing / rtts.standing
        above = self._more(waiting, self.inverse, BYTE)
        if self.starting and above:
            self.starting = False
            self._head(False)
        elif not self.starting and not above:
            self.draining = False
        if self.starting:
            self.window += acked
        else:
            if self.velocity > 1 and above == self.up:
                self._head(not above)
            change = min(self.velocity * self.inverse * acked / self.window, acked)
            self.window += -change if above else change
        self.window = max(self.window, self.fewest)
        return self.window

    def rate(self, rtts: Rtts) -> float:
        """Segments per second."""
        return 2 * self.window / rtts.standing
