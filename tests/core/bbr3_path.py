# SPDX-License-Identifier: GPL-2.0-only
"""One sender of BBR version 3 over one bottleneck, for the test cases of its draft.

A FIFO link of a rate, a buffer and a delay; packets are numbered and never sent twice, one is
lost when three later ones have arrived, and each delivery is an ACK. All that core is told of
an ACK is measured here, so that the state of core is visible after each of them.
"""

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from sender_steps import FAR, S

from penstock import _native

MS = 10**6
MSS = 1448
STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT = range(7)
NONE = 2**40  # a bound that is not set
PROBE_BW = (DOWN, CRUISE, REFILL, UP)
State = dict[str, int]


@dataclass
class Packet:
    number: int
    sent_ns: int
    first_sent_ns: int
    delivered_ns: int
    delivered_bytes: int
    in_flight_bytes: int
    lost_bytes: int
    limited: bool


class Path:
    """Run it with `until`; change its public fields in between."""

    def __init__(
        self, mbps: float, rtt_ms: float, buffer_bytes: int = 10**9, **params: int
    ) -> None:
        self.control = _native.SenderControl(
            "bbr3", cwnd_bytes=10 * MSS, ssthresh_bytes=FAR, mss_bytes=MSS, params=params
        )
        self.now = 0
        self.rate = mbps * 1e6 / 8
        self.rtt_ns = int(rtt_ms * MS)
        self.buffer_bytes = buffer_bytes
        self.app_rate: float | None = None  # bytes/s; 0: it pauses; None: it always has data
        self.drops: Callable[[int], bool] = lambda number: False
        self.batch_ns = 0  # ACKs come at multiples of it
        self.log: list[tuple[int, State, int]] = []
        self.dropped = 0
        self._app_next = 0
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._free_ns = 0  # the link's
        self._outstanding: deque[Packet] = deque()
        self._arrivals: deque[tuple[int, Packet]] = deque()
        self._arrived: set[int] = set()
        self._number = 0
        self._recover = -1
        self._next_send = 0
        self._limited_until = 0
        self._delivered = self._lost = self._lost_end = 0
        self._delivered_ns = self._first_sent_ns = 0
        self._cwnd_limited = False
        self._least_rtt = 0
        self.control.init(0, rtt_ns=self.rtt_ns)
        self._pace = self.state["pacing_bytes_per_s"]
        self._wake = -1
        self._at(0, self._send)

    def until(self, done: Callable[[State], bool], seconds: float = 60.0) -> State:
        """The state in which `done` is true for the first time, after an ACK."""
        end, seen = self.now + int(seconds * S), len(self.log)
        while self._events and self._events[0][0] <= end:
            self.now, _, action = heapq.heappop(self._events)
            action()
            while seen < len(self.log):
                state = self.log[seen][1]
                seen += 1
                if done(state):
                    return state
        raise AssertionError(f"not within {seconds} s: {self.state}")

    def mode(self, *modes: int) -> State:
        return self.until(lambda s: s["mode"] in modes)

    def for_s(self, seconds: float) -> State:
        end = self.now + int(seconds * S)
        self._at(end, lambda: None)
        while self._events and self._events[0][0] <= end:
            self.now, _, action = heapq.heappop(self._events)
            action()
        return self.state

    def resume(self) -> None:
        """The application has data again."""
        self.app_rate = None
        self._at(self.now, self._send)

    @property
    def state(self) -> State:
        return self.control.state

    @property
    def delivered_bytes(self) -> int:
        return self._delivered

    @property
    def max_bw(self) -> int:
        state = self.state
        return max(state["cycle_bytes_per_s"], state["last_cycle_bytes_per_s"])

    @property
    def in_flight(self) -> int:
        return len(self._outstanding) * MSS

    @property
    def bdp(self) -> float:
        return self.rate * self.rtt_ns / S

    def _at(self, time: int, action: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (time, self._count, action))

    def _wake_at(self, time: int) -> None:
        """One timer: the earliest is enough, as it looks again."""
        if self.now < self._wake <= time:
            return
        self._wake = time
        self._at(time, self._on_wake)

    def _on_wake(self) -> None:
        if self.now == self._wake:
            self._send()

    def _app_has_data(self) -> bool:
        return self.app_rate is None or (self.app_rate > 0 and self.now >= self._app_next)

    def _send(self) -> None:
        while True:
            if not self._app_has_data():
                if self.in_flight < self.control.cwnd_bytes:
                    self._limited_until = max(self._delivered + self.in_flight, 1)
                if self.app_rate:
                    self._wake_at(self._app_next)
                return
            if self.in_flight + MSS > self.control.cwnd_bytes:
                self._cwnd_limited = True
                return
            if self.now < self._next_send:
                self._wake_at(self._next_send)
                return
            self._cwnd_limited = self.in_flight + 2 * MSS > self.control.cwnd_bytes
            self._transmit()

    def _transmit(self) -> None:
        if not self._outstanding:
            if self._limited_until:
                self.control.restart(self.now)
                self._pace = self.state["pacing_bytes_per_s"]
            self._first_sent_ns = self._delivered_ns = self.now
        if self.app_rate:
            self._app_next = max(self.now, self._app_next) + int(MSS / self.app_rate * S)
        packet = Packet(
            self._number,
            self.now,
            self._first_sent_ns,
            self._delivered_ns,
            self._delivered,
            self.in_flight + MSS,
            self._lost,
            self._limited_until > 0,
        )
        self._number += 1
        self._outstanding.append(packet)
        self._next_send = max(self.now, self._next_send) + MSS * S // max(self._pace, 1)
        queued = max(self._free_ns - self.now, 0) * self.rate / S
        if queued + MSS > self.buffer_bytes or self.drops(packet.number):
            self.dropped += 1
            return
        self._free_ns = max(self._free_ns, self.now) + int(MSS / self.rate * S)
        arrival = self._free_ns + self.rtt_ns
        if self.batch_ns:
            arrival = -(-arrival // self.batch_ns) * self.batch_ns
        self._arrivals.append((arrival, packet))
        self._at(arrival, self._arrive)

    def _arrive(self) -> None:
        """All that one ACK delivers: with `batch_ns`, what has come at once."""
        arrived = []
        while self._arrivals and self._arrivals[0][0] <= self.now:
            arrived.append(self._arrivals.popleft()[1])
            if not self.batch_ns:
                break
        if arrived:
            self._ack(arrived)
            self._send()

    def _ack(self, arrived: list[Packet]) -> None:
        before = self.in_flight
        self._arrived.update(p.number for p in arrived)
        self._delivered += MSS * len(arrived)
        self._delivered_ns = self.now
        if self._delivered > self._limited_until:
            self._limited_until = 0
        lost = self._find_lost(max(p.number for p in arrived))
        newest = arrived[-1]
        self._first_sent_ns = newest.sent_ns
        rtt = self.now - newest.sent_ns
        self._least_rtt = min(self._least_rtt or rtt, rtt)
        interval = max(newest.sent_ns - newest.first_sent_ns, self.now - newest.delivered_ns)
        if lost and self._recover < 0:
            self._recover = self._number - 1
            self.control.congestion(self.now, "loss", flight_bytes=before)
        if self._recover >= 0 and newest.number > self._recover:
            self._recover = -1
        delivery = {
            "total_bytes": self._delivered,
            "prior_bytes": newest.delivered_bytes,
            "interval_ns": interval if interval >= self._least_rtt else 0,
            "rtt_ns": rtt,
            "acked_bytes": MSS * len(arrived),
            "lost_bytes": MSS * len(lost),
            "total_lost_bytes": self._lost,
            "before_bytes": before,
            "in_flight_bytes": self.in_flight,
            "recovery": int(self._recover >= 0),
            "app_limited": int(newest.limited),
            "newest_in_flight_bytes": newest.in_flight_bytes,
            "newest_lost_bytes": self._lost - newest.lost_bytes,
            "cwnd_limited": int(self._cwnd_limited),
            "selective": 1,
        }
        self.control.steer(self.now, srtt_ns=rtt, delivery=delivery, lost=lost)
        state = self.state
        self._pace = state["pacing_bytes_per_s"]
        if state["mode"] == PROBE_RTT:
            self._limited_until = max(self._delivered + self.in_flight, 1)
        self.log.append((self.now, state, self.control.cwnd_bytes))

    def _find_lost(self, largest: int) -> list[dict[str, int]]:
        """Forgets what has arrived; three later ones make a packet lost."""
        lost = []
        kept: deque[Packet] = deque()
        while self._outstanding and self._outstanding[0].number <= largest:
            p = self._outstanding.popleft()
            if p.number in self._arrived:
                self._arrived.discard(p.number)
            elif p.number + 3 <= largest:
                self._lost += MSS
                lost.append(self._as_lost(p))
            else:
                kept.append(p)
        self._outstanding.extendleft(reversed(kept))
        return lost

    def _as_lost(self, p: Packet) -> dict[str, int]:
        begins = p.number != self._lost_end
        self._lost_end = p.number + 1
        return {
            "bytes": MSS,
            "sent_in_flight_bytes": p.in_flight_bytes,
            "lost_bytes": self._lost - p.lost_bytes,
            "app_limited": int(p.limited),
            "begins_range": int(begins),
        }
