# SPDX-License-Identifier: GPL-2.0-only
"""BBR as draft-cardwell-iccrg-bbr-congestion-control-00 writes it; bytes and seconds.

BtlBw comes from outside, as its filter is an approximation, and so does the phase in which
PROBE_BW begins. As in Linux the rate is 1 % lower, and windows are even numbers of segments.
"""

import math
from dataclasses import dataclass

STARTUP, DRAIN, PROBE_BW, PROBE_RTT = range(4)
CYCLE = (1.25, 0.75, 1, 1, 1, 1, 1, 1)
HIGH, LOW = 739 / 256, 88 / 256


@dataclass(frozen=True)
class Ack:
    """A rate sample, and what was in flight."""

    now: float
    total: float
    prior: float
    acked: float
    lost: float
    rtt: float
    before: float
    flight: float
    recovery: bool
    limited: bool


@dataclass
class Bbr:
    """The state machine of section 4, one ACK at a time."""

    mss: float
    cwnd: float
    rtprop: float
    rtprop_at: float = 0.0
    mode: int = STARTUP
    btlbw: float = 0.0
    rate: float = 0.0
    phase: int = 0
    phase_at: float = 0.0
    next_round: float = 0.0
    full: bool = False
    full_bw: float = 0.0
    full_count: int = 0
    done_at: float = 0.0
    round_done: bool = False
    saved: float = 0.0
    recovering: bool = False
    conserving: bool = False

    def __post_init__(self) -> None:
        self.rate = 0.99 * HIGH * self.cwnd / self.rtprop

    def quantum(self) -> float:
        least = 1 if self.rate < 150_000 else 2
        return max(min(self.rate / 1024, 65536) // self.mss, least) * self.mss

    def inflight(self, gain: float) -> float:
        wanted = gain * self.btlbw * self.rtprop + 3 * self.quantum()
        whole = 2 * self.mss * math.ceil(wanted / (2 * self.mss))
        return whole + (2 * self.mss if self.mode == PROBE_BW and self.phase == 0 else 0)

    def gain(self) -> float:
        return {STARTUP: HIGH, DRAIN: LOW, PROBE_BW: CYCLE[self.phase], PROBE_RTT: 1}[self.mode]

    def ack(self, a: Ack, btlbw: float, phase: int) -> None:
        starts = a.prior >= self.next_round
        if starts:
            self.next_round = a.total
            self.conserving = False
        self.btlbw = btlbw
        self._advance(a)
        self._fill(a, starts)
        self._drain(a, phase)
        self._propagation(a, starts, phase)
        rate = 0.99 * self.gain() * self.btlbw
        if self.full or rate > self.rate:
            self.rate = rate
        self._window(a)

    def _enter_probe_bw(self, now: float, phase: int) -> None:
        self.mode, self.phase, self.phase_at = PROBE_BW, phase, now

    def _advance(self, a: Ack) -> None:
        if self.mode != PROBE_BW:
            return
        over = a.now - self.phase_at > self.rtprop
        gain = CYCLE[self.phase]
        if gain > 1:
            more = a.before + self.quantum()
            over = over and (a.lost > 0 or more >= self.inflight(gain))
        elif gain < 1:
            over = over or a.before <= self.inflight(1)
        if over:
            self.phase, self.phase_at = (self.phase + 1) % 8, a.now

    def _fill(self, a: Ack, starts: bool) -> None:
        if self.full or not starts or a.limited:
            return
        if self.btlbw >= 1.25 * self.full_bw:
            self.full_bw, self.full_count = self.btlbw, 0
            return
        self.full_count += 1
        self.full = self.full_count >= 3

    def _drain(self, a: Ack, phase: int) -> None:
        if self.mode == STARTUP and self.full:
            self.mode = DRAIN
        if self.mode == DRAIN and a.flight <= self.inflight(1):
            self._enter_probe_bw(a.now, phase)

    def _save(self) -> None:
        cut = self.recovering or self.mode == PROBE_RTT
        self.saved = max(self.saved, self.cwnd) if cut else self.cwnd

    def lose(self) -> None:
        self._save()

    def _propagation(self, a: Ack, starts: bool, phase: int) -> None:
        expired = a.now > self.rtprop_at + 10
        if a.rtt <= self.rtprop or expired:
            self.rtprop, self.rtprop_at = a.rtt, a.now
        if expired and self.mode != PROBE_RTT:
            self._save()
            self.mode, self.done_at = PROBE_RTT, 0.0
        if self.mode != PROBE_RTT:
            return
        if self.done_at == 0 and a.flight <= 4 * self.mss:
            self.done_at, self.round_done = a.now + 0.2, False
            self.next_round = a.total
        elif self.done_at:
            self.round_done = self.round_done or starts
            if self.round_done and a.now > self.done_at:
                self.rtprop_at = a.now
                self.cwnd = max(self.cwnd, self.saved)
                if self.full:
                    self._enter_probe_bw(a.now, phase)
                else:
                    self.mode = STARTUP

    def _recover(self, a: Ack) -> None:
        before, self.recovering = self.recovering, a.recovery
        self.cwnd = max(self.cwnd - a.lost, self.mss)
        if a.recovery and not before:
            self.conserving, self.next_round = True, a.total
            self.cwnd = a.flight + a.acked
        elif before and not a.recovery:
            self.conserving = False
            self.cwnd = max(self.cwnd, self.saved)
        if self.conserving:
            self.cwnd = max(self.cwnd, a.flight + a.acked)

    def _window(self, a: Ack) -> None:
        self._recover(a)
        if not self.conserving:
            gain = {PROBE_BW: 2, PROBE_RTT: 1}.get(self.mode, HIGH)
            target = self.inflight(gain)
            if self.full:
                self.cwnd = min(self.cwnd + a.acked, target)
            elif self.cwnd < target or a.total < 10 * self.mss:
                self.cwnd += a.acked
            self.cwnd = max(self.cwnd, 4 * self.mss)
        if self.mode == PROBE_RTT:
            self.cwnd = min(self.cwnd, 4 * self.mss)
