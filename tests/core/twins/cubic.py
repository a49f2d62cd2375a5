# SPDX-License-Identifier: GPL-2.0-only
"""CUBIC as RFC 9438 writes it; windows in segments, times in seconds."""

from dataclasses import dataclass


@dataclass
class Cubic:
    """Congestion avoidance only; slow start is the caller's."""

    cwnd: float
    c: float = 0.4
    beta: float = 0.7
    fast_convergence: bool = True
    w_max: float = 0.0
    prior: float = 0.0
    k: float = 0.0
    epoch: float | None = None
    w_est: float = 0.0
    after_loss: bool = False
    lead: float = 0.0  # of W_cubic(t) over W_est at the last ACK
    step: float = 0.0  # what section 4.4 or 4.5 would have added at it

    def alpha(self) -> float:
        return 1.0 if self.w_est >= self.prior else 3 * (1 - self.beta) / (1 + self.beta)

    def w_cubic(self, t: float) -> float:
        """Figure 1."""
        return self.c * (t - self.k) ** 3 + self.w_max

    def begin(self, now: float) -> None:
        """Section 4.2, and sections 4.8 and 4.10 where no loss came before."""
        self.epoch = now
        self.w_est = self.cwnd
        if not self.after_loss or self.w_max < self.cwnd:
            self.w_max = self.cwnd
        self.k = ((self.w_max - self.cwnd) / self.c) ** (1 / 3)

    def ack(self, now: float, acked: float, rtt: float) -> None:
        """Sections 4.2 to 4.5; `acked` segments."""
        if self.epoch is None:
            self.begin(now)
        assert self.epoch is not None
        t = now - self.epoch
        self.w_est += self.alpha() * acked / self.cwnd
        target = min(max(self.w_cubic(t + rtt), self.cwnd), 1.5 * self.cwnd)
        self.lead = self.w_cubic(t) - self.w_est
        self.step = (target - self.cwnd) / self.cwnd * acked
        if self.lead < 0:
            self.cwnd = max(self.cwnd, self.w_est)
        else:
            self.cwnd += self.step

    def loss(self, flight: float, *, timeout: bool = False) -> float:
        """Sections 4.6 to 4.8; returns ssthresh."""
        fell = self.after_loss and self.cwnd < self.w_max
        self.prior = self.cwnd
        self.w_max = (
            self.cwnd * (1 + self.beta) / 2 if fell and self.fast_convergence else self.cwnd
        )
        self.after_loss = not timeout
        self.epoch = None
        return max(flight * self.beta, 2)
