# SPDX-License-Identifier: GPL-2.0-only
"""The law `penstock` as docs/methods/penstock.md writes it."""

import math
from dataclasses import dataclass, field

GOLDEN = 40503 / 65536


def target(
    most: float, rate: float, mss: float, flows: float, time: float = 0.005, pause: float = 0
) -> float:
    """Equation 8: `time`, but what full use needs, and `pause` on top; at most `most`."""
    least = (mss + 40) * max(4, 2.5 * math.sqrt(flows))
    return min(most, max(rate * time, least) + rate * pause)


@dataclass
class Pauses:
    """Equation 9: what the target has on top."""

    rate: float  # C, bytes per second
    mss: float
    time: float = 0.005  # target_ns, seconds
    rtt: float = 0.1  # mean, seconds
    interval: float = 0.01  # T, seconds
    pause: float = 0.0  # seconds
    mean: float = 0.0  # queue, bytes
    least: float = 0.0

    def unlearn(self) -> None:
        """A step of which nothing says whether the queue is empty."""
        self.pause = max(0.0, self.pause - self.time / 128)

    def step(self, queue: float, target: float, *, wanted: bool, others: float = 0) -> None:
        """A step that finds so many bytes; others' part of the link is uncontrolled."""
        queue = min(queue, 2 * target)
        self.mean += self.interval / (4 * max(self.rtt, self.interval)) * (queue - self.mean)
        kept, self.least = self.least, min(queue, self.least + target / 128)
        if queue < self.mss and self.mean >= 3 / 4 * target and wanted:
            more = self.time / 8 * max(0.0, 1 - 2 * others)
            self.pause = min(self.pause + more, 2 * self.time)
        else:
            self.pause = max(0.0, self.pause - kept / self.rate / 128)


@dataclass
class Penstock:
    """The factor c of a gateway, and the windows that it gives."""

    rate: float  # C, bytes per second
    limit: float  # B, bytes
    target: float
    wire: float  # L, bytes
    mss: float
    rtt: float = 0.1  # mean, seconds
    interval: float = 0.01  # T, seconds
    gain: float = 24109 / 65536
    slow_gain: float = 0.125
    delayed_ack: float = 0.04
    factor: float = 1.0
    use: float = 0.0
    promised: float = 0.0
    last_flows: float = 0.0
    base: float = 0.0  # c when N last rose
    now: float = 0.0  # of the last step, seconds
    acked: float = 0.0  # over a round trip, bytes
    filled: float = 0.0
    growing: float = 0.0
    acked_at: float = -math.inf  # seconds
    window: float = 0.0  # S of the last ACK, segments; 0 before it
    coming: float = 0.0  # Q, bytes
    coming_at: float = 0.0  # seconds
    behind: float = 0.0  # of the one flow that grows: its edge, left of the furthest
    drain: float = field(init=False)  # bytes per second

    def __post_init__(self) -> None:
        self.drain = self.rate

    @property
    def pipe(self) -> float:
        return max(self.rate * self.rtt + self.target, 1.0)

    @property
    def high(self) -> float:
        return self.target + max(self.limit - self.target, 0) / 2

    def free(self, pipe: float) -> float:
        """Equation 4."""
        return max(0.0, pipe - max(min(self.promised, pipe / 5), self.coming - self.target))

    def acks(self, acked: float, filled: float = 0, growing: float = 0) -> None:
        """Since the last step, as it comes: bytes on the wire, and whose they are."""
        self.acked += acked
        self.filled += filled
        self.growing += growing
        if acked:
            self.acked_at = self.now + self.interval

    @property
    def wanted(self) -> bool:
        """Whether flows would use a larger c, and are not to grow by themselves."""
        share_counts = self.filled >= self.acked // 8
        return self.acked > 0 and share_counts and self.growing <= self.acked // 4

    def tick(self, queue: float, flows: float) -> None:
        """A step."""
        life = max(4 * self.rtt, self.interval)
        self.promised -= self.promised * self.interval / life
        if flows > self.last_flows:
            self.base = self.factor
        elif flows < self.last_flows:
            kept = min(self.factor, max(self.base, 1.0))
            self.factor = max(kept, self.factor * flows / self.last_flows)
        self.last_flows = flows
        weight = self.interval / max(self.rtt, self.interval)
        self.use = min(self.acked / (self.rate * max(self.rtt, self.interval)), 16)
        lone = 0 < self.window < 2
        response = self.rtt + self.target / self.rate + (self.delayed_ack if lone else 0)
        turn = min(self.interval / response, 1.0)
        error = self.target - queue
        if queue < self.mss and error >= 0:
            error += max(0.0, 7 / 8 - self.use) * (self.pipe - self.target)
        error = max(-1.0, min(1.0, error / self.pipe))
        self.now += self.interval
        recent = self.now < self.acked_at + response - 1e-9
        if error < 0 or (recent and self.wanted):
            self.factor *= 1 + (self.slow_gain if lone else self.gain) * turn * error
        else:
            self.factor -= max(self.factor - 1, 0) * self.slow_gain * turn
        self.factor = min(max(self.factor, 1 / 16), 16.0)
        self.acked -= weight * self.acked
        self.filled -= weight * self.filled
        self.growing -= weight * self.growing

    def segments(self, rtt: float, flows: float) -> float:
        each = self.free(self.rate * rtt + self.target) / (flows * self.wire)
        self.window = max(self.factor * each, 2**-16)
        return self.window

    def whole(self, segments: float, flow: int, now: float, rtt: float) -> int:
        """Equation 5, for the flow that was the n-th to come."""
        phase = (flow * GOLDEN + now * 1e9 / 2**32) % 1
        if segments < 2:
            turn = rtt + self.target / self.rate
            alone = turn / (turn + self.delayed_ack)  # what a window of one is worth
            return 1 + math.floor(max(0.0, (segments - alone) / (2 - alone)) + phase)
        if segments < 4:
            return 2 * math.floor(segments / 2 + phase)
        return math.floor(segments + phase)

    def drained(self, now: float) -> float:
        self.coming = max(0.0, self.coming - self.drain * (now - self.coming_at))
        self.coming_at = now
        return self.coming

    def foresee(self, now: float, queue: float) -> None:
        """Q at a step."""
        weight = self.interval / max(self.rtt, self.interval)
        if queue < self.drained(now):
            weight /= 2
        most = self.rate * max(self.rtt, self.interval) + self.limit
        left = min(self.drained(now), most)
        self.coming = left + weight * (queue - left)
        self.drain = self.rate * max(1.0, self.use)

    def grown(
        self,
        now: float,
        queue: float,
        window: float,
        granted: float,
        acked: float,
        *,
        fills: bool = False,
        more: bool = True,
    ) -> float:
        """Equation 7; all of them in bytes."""
        ahead = max(self.drained(now), queue + self.drained(now) / 2)
        if fills and ahead < self.target:
            window = max(window, granted - acked // 2)
        window = min(window, granted + min(acked, max(0.0, self.high - ahead)))
        if more or fills:
            moved = acked * self.wire / self.mss + window - granted
            self.coming += max(0.0, moved - self.behind)
            self.behind = max(0.0, self.behind - moved)
        return max(window, self.mss)

    def first(
        self,
        queue: float,
        flows: float,
        opening: float = 1,
        silent: float = 0,
    ) -> int:
        """Equation 6, in segments; what it promises is taken off the others' windows."""
        path = self.rate * self.rtt
        each = (path + self.target) / (flows + max(opening, 1))
        room = self.high - self.promised - queue
        if each >= 2 * self.wire:
            each = max(each, room / max(opening, 1))
        found = int(min(max(min(each, room) // self.wire, 2), 10))
        flight = found * self.wire * (1 - silent)
        self.promised += flight
        most = self.target + self.pipe / 5
        self.coming += min(flight, max(0.0, most - self.coming))
        return found
