# SPDX-License-Identifier: GPL-2.0-only
"""BBR version 3 as the pseudocode of draft-ietf-ccwg-bbr has it; bytes, seconds and floats.

max_bw, extra_acked and the random wait come from outside: the first two are filters, which
tests of their own compare, and the third is by chance.
"""

from dataclasses import dataclass
from math import inf

STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT = range(7)
INIT, REFILLING, STARTING, FEEDBACK, STOPPING = range(5)
PACE = {STARTUP: 2.77, DRAIN: 0.5, DOWN: 0.9, UP: 1.25}
PROBING = (DOWN, CRUISE, REFILL, UP)


@dataclass(frozen=True)
class Lost:
    size: float
    flight: float
    lost: float
    limited: bool
    apart: bool


@dataclass(frozen=True)
class Given:
    """What this twin takes over."""

    max_bw: float
    extra: float
    wait: float
    since_probe: int


@dataclass(frozen=True)
class Ack:
    now: float
    total: float
    prior: float
    interval: float
    rtt: float
    acked: float
    flight: float
    sent_flight: float
    lost: float
    recovery: bool
    limited: bool
    cwnd_limited: bool

    @property
    def delivered(self) -> float:
        return self.total - self.prior

    @property
    def rate(self) -> float:
        return self.delivered / self.interval


@dataclass
class Bbr3:
    mss: float
    cwnd: float
    min_rtt: float
    state: int = STARTUP
    bw: float = 0.0
    pacing: float = 0.0
    bw_short: float = inf
    short: float = inf
    long: float = inf
    bw_latest: float = 0.0
    latest: float = 0.0
    loss_round_end: float = 0.0
    loss_round: bool = False
    loss_in_round: bool = False
    ranges: int = 0
    round_end: float = 0.0
    round_start: bool = False
    rounds: int = 0
    since_probe: int = 0
    full: bool = False
    full_now: bool = False
    full_bw: float = 0.0
    full_count: int = 0
    drain_round: int = 0
    acks: int = INIT
    sample: bool = False
    too_high: bool = False
    cautious: bool = False
    up_rounds: int = 0
    up_acked: float = 0.0
    up_step: float = inf
    wait: float = 0.0
    cycle_at: float = 0.0
    min_rtt_at: float = 0.0
    probe_min: float = 0.0
    probe_min_at: float = 0.0
    done_at: float = 0.0
    round_done: bool = False
    prior_cwnd: float = 0.0
    recovering: bool = False

    def __post_init__(self) -> None:
        self.probe_min = self.min_rtt
        self.pacing = 2.77 * self.cwnd / self.min_rtt

    # 5.6.4.2 and the bounds
    def bdp(self, bw: float, gain: float = 1) -> float:
        return gain * bw * self.min_rtt

    def budget(self, bytes_: float) -> float:
        quantum = max(min(self.pacing * 0.001, 65536), 2 * self.mss)
        bytes_ = max(bytes_, 3 * quantum, 4 * self.mss)
        return bytes_ + (2 * self.mss if self.state == UP else 0)

    def headroom(self) -> float:
        if self.long == inf:
            return inf
        return max(self.long - max(self.mss, 0.15 * self.long), 4 * self.mss)

    def target(self) -> float:
        return min(self.bdp(self.bw), self.cwnd)

    def save(self) -> None:
        cut = self.recovering or self.state == PROBE_RTT
        self.prior_cwnd = max(self.prior_cwnd, self.cwnd) if cut else self.cwnd

    # 5.5.10
    def high(self, lost: float, flight: float) -> bool:
        return lost > 0.02 * flight

    def lose(self, now: float, total: float, segment: Lost, given: Given) -> None:
        if not self.loss_in_round:
            self.loss_round_end = total
            self.save()
        self.loss_in_round = True
        self.ranges += segment.apart
        if not self.sample or not self.high(segment.lost, segment.flight):
            return
        before, lost = segment.flight - segment.size, segment.lost - segment.size
        flight = before + max(0.02 * before - lost, 0) / 0.98
        self.too_high, self.sample = True, False
        if not segment.limited:
            self.long = max(flight, 0.7 * self.target())
        if self.state == UP:
            self.down(now, total, given)

    def down(self, now: float, total: float, given: Given) -> None:
        self.loss_in_round, self.bw_latest, self.latest = False, 0.0, 0.0
        self.up_step = inf
        self.since_probe, self.wait = given.since_probe, given.wait
        self.cycle_at, self.acks, self.round_end = now, STOPPING, total
        self.state = DOWN

    def refill(self, total: float) -> None:
        self.bw_short = self.short = inf
        self.up_rounds, self.up_acked, self.cautious = 0, 0.0, False
        self.acks, self.round_end, self.state = REFILLING, total, REFILL

    def slope(self) -> None:
        self.up_step = max(self.cwnd / 2**self.up_rounds, self.mss)
        self.up_rounds = min(self.up_rounds + 1, 30)

    def look_for_full(self, rate: float) -> None:
        self.full_bw, self.full_count, self.full_now = rate, 0, False

    # 5.2.3
    def ack(self, a: Ack, given: Given) -> None:
        self.loss_round = a.prior >= self.loss_round_end
        self.bw_latest = max(self.bw_latest, a.rate)
        self.latest = max(self.latest, a.delivered)
        if self.loss_round:
            self.loss_round_end = a.total
        self.round_start = a.prior >= self.round_end
        if self.round_start:
            self.round_end = a.total
            self.rounds += 1
            self.since_probe += 1
        if self.loss_round:
            if self.state not in (STARTUP, REFILL, UP) and self.loss_in_round:
                bw = given.max_bw if self.bw_short == inf else self.bw_short
                short = self.cwnd if self.short == inf else self.short
                self.bw_short = max(self.bw_latest, 0.7 * bw)
                self.short = max(self.latest, 0.7 * short)
            self.loss_in_round = False
        self._fill(a)
        self._startup(a)
        if self.state == DRAIN and (
            a.flight <= self.budget(self.bdp(self.bw)) or self.rounds > self.drain_round + 3
        ):
            self.down(a.now, a.total, given)
        self._cycle(a, given)
        self._probe_rtt(a, given)
        if self.loss_round:
            self.bw_latest, self.latest = a.rate, a.delivered
        self.bw = min(given.max_bw, self.bw_short)
        rate = 0.99 * PACE.get(self.state, 1) * self.bw
        if self.full or rate > self.pacing:
            self.pacing = rate
        self._window(a, given)

    def _fill(self, a: Ack) -> None:
        if self.full_now or not self.round_start or a.limited:
            return
        if a.rate >= 1.25 * self.full_bw:
            self.look_for_full(a.rate)
            return
        self.full_count += 1
        self.full_now = self.full_count >= 3
        self.full = self.full or self.full_now

    def _startup(self, a: Ack) -> None:
        lossy = self.ranges >= 6 and self.high(a.lost, a.sent_flight)
        if self.state == STARTUP and self.loss_round and self.recovering and lossy:
            self.full = self.full_now = True
            self.long = max(self.bdp(self.bw), self.latest)
        if self.loss_round:
            self.ranges = 0
        if self.state == STARTUP and self.full:
            self.state, self.drain_round = DRAIN, self.rounds

    def _adapt(self, a: Ack) -> bool:
        if self.acks == STARTING and self.round_start:
            self.acks = FEEDBACK
        if self.acks == STOPPING and self.round_start:
            self.sample, self.acks = False, INIT
            if self.state in PROBING and self.cautious and not self.too_high:
                self.refill(a.total)
                return True
        if self.high(a.lost, a.sent_flight) or self.long == inf:
            return False
        self.long = max(self.long, a.sent_flight)
        if self.state == UP and a.cwnd_limited and self.cwnd >= self.long:
            self.up_acked += a.acked
            steps = self.up_acked // self.up_step
            self.up_acked -= steps * self.up_step
            self.long += steps * self.mss
            if self.round_start:
                self.slope()
        return False

    def _cycle(self, a: Ack, given: Given) -> None:
        if not self.full or self._adapt(a):
            return
        if self.state in (DOWN, CRUISE):
            reno = min(self.target() // self.mss, 63)
            if a.now > self.cycle_at + self.wait or self.since_probe >= reno:
                self.refill(a.total)
            elif self.state == DOWN and a.flight <= min(
                self.headroom(), self.budget(self.bdp(given.max_bw))
            ):
                self.state = CRUISE
        elif self.state == REFILL and self.round_start:
            self.sample, self.acks, self.round_end = True, STARTING, a.total
            self.look_for_full(a.rate)
            self.state = UP
            self.slope()
        elif self.state == UP and self._goes_down(a):
            self.too_high = False
            self.down(a.now, a.total, given)

    def _goes_down(self, a: Ack) -> bool:
        if self.too_high and a.flight >= self.long:
            self.cautious = True
            return True
        if a.cwnd_limited and self.cwnd >= self.long:
            self.look_for_full(a.rate)
            return False
        return self.full_now

    def _probe_rtt(self, a: Ack, given: Given) -> None:
        expired = a.now > self.probe_min_at + 5
        if a.rtt < self.probe_min or expired:
            self.probe_min, self.probe_min_at = a.rtt, a.now
        if self.probe_min < self.min_rtt or a.now > self.min_rtt_at + 10:
            self.min_rtt, self.min_rtt_at = self.probe_min, self.probe_min_at
        if self.state != PROBE_RTT and expired:
            self.save()
            self.state, self.done_at, self.acks = PROBE_RTT, 0.0, STOPPING
            self.round_end = a.total
        if self.state != PROBE_RTT:
            return
        if self.done_at == 0 and a.flight <= max(self.bdp(self.bw, 0.5), 4 * self.mss):
            self.done_at, self.round_done, self.round_end = a.now + 0.2, False, a.total
        elif self.done_at:
            self.round_done = self.round_done or self.round_start
            if self.round_done and a.now > self.done_at:
                self.probe_min_at = a.now
                self.cwnd = max(self.cwnd, self.prior_cwnd)
                self.bw_short = self.short = inf
                if self.full:
                    self.down(a.now, a.total, given)
                    self.state = CRUISE
                else:
                    self.state = STARTUP

    def _window(self, a: Ack, given: Given) -> None:
        if self.recovering and not a.recovery:
            self.cwnd = max(self.cwnd, self.prior_cwnd)
        self.recovering = a.recovery
        gain = {UP: 2.25, PROBE_RTT: 0.5}.get(self.state, 2)
        most = self.budget(self.bdp(self.bw, gain) + given.extra)
        if self.full:
            self.cwnd = min(self.cwnd + a.acked, most)
        elif self.cwnd < most or a.total < 10 * self.mss:
            self.cwnd += a.acked
        self.cwnd = max(self.cwnd, 4 * self.mss)
        if self.state == PROBE_RTT:
            self.cwnd = min(self.cwnd, max(self.bdp(self.bw, 0.5), 4 * self.mss))
        bounds = {DOWN: self.long, REFILL: self.long, UP: self.long}
        bounds |= dict.fromkeys((CRUISE, PROBE_RTT), self.headroom())
        cap = min(bounds.get(self.state, inf), self.short)
        self.cwnd = min(self.cwnd, max(cap, 4 * self.mss))
