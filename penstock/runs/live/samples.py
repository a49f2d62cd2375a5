# SPDX-License-Identifier: GPL-2.0-only
"""The measured queue over time, as `penstock-load watch` sampled it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

Rates = Sequence[tuple[int, int]]  # in order: a time after the epoch, and the bit/s from then on

EVERY_NS: Final = 5_000_000
_LATE_NS: Final = 100_000_000  # a sample after its time, on a busy machine
_TIME, _BACKLOG, _WAITING, _DROPS, _BYTES, _PACKETS = range(6)


@dataclass(frozen=True)
class Samples:
    """Rows of time_ns, backlog_bytes, backlog_packets, drops, sent_bytes, sent_packets."""

    rows: NDArray[np.int64]

    @property
    def time_ns(self) -> NDArray[np.int64]:
        """When each sample was taken, after the epoch."""
        return self.rows[:, _TIME]

    @property
    def backlog_bytes(self) -> NDArray[np.int64]:
        """The queue length."""
        return self.rows[:, _BACKLOG]

    @property
    def backlog_packets(self) -> NDArray[np.int64]:
        """The packets in it."""
        return self.rows[:, _WAITING]

    def between(self, begin_ns: int, end_ns: int) -> "Samples":
        """The samples of a span; RuntimeError if there are none."""
        rows = self.rows[(self.time_ns >= begin_ns) & (self.time_ns <= end_ns)]
        if len(rows) < 2:
            raise RuntimeError("the queue was not sampled: the run was too short")
        return Samples(rows)

    def busy_from_ns(self) -> int:
        """When the queue had first sent or held something."""
        busy = self.rows[:, _BYTES] + self.backlog_bytes > 0
        return int(self.time_ns[np.argmax(busy)]) if busy.any() else int(self.time_ns[0])

    def _gain(self, column: int) -> int:
        return int(self.rows[-1, column] - self.rows[0, column])

    def _could_send(self, rate_bps: NDArray[np.float64]) -> float:
        """Bit/s times ns: what a link can send that has each rate from its sample to the next."""
        return float(np.dot(rate_bps[:-1], np.diff(self.time_ns)))

    def _weights(self) -> NDArray[np.float64]:
        """How long each sample stands for."""
        return np.diff(self.time_ns, append=self.time_ns[-1] + EVERY_NS).astype(np.float64)

    def _delay_ns(self, rates: Rates) -> NDArray[np.float64]:
        return self.backlog_bytes * 8e9 / _rates_at(self.time_ns, rates)

    def delay_quantiles_ns(self, rates: Rates) -> list[float]:
        """At equal steps of the time's share, from 0 to 1."""
        delay_ns, weights = self._delay_ns(rates), self._weights()
        return _quantiles(delay_ns, weights, [percent / 100 for percent in range(101)])

    def queue(self, rates: Rates) -> dict[str, float]:
        """The quantities of _native.Result.queue() that can be seen from outside.

        Delays are what the backlog takes at the link's rate of that time.
        """
        weights, backlog = self._weights(), self.backlog_bytes.astype(np.float64)
        mean, largest = float(np.average(backlog, weights=weights)), float(backlog.max())
        p50, p99 = _quantiles(backlog, weights, (0.50, 0.99))
        rate_bps = _rates_at(self.time_ns, rates)
        delay_ns = self._delay_ns(rates)
        delay_mean_ns = float(np.average(delay_ns, weights=weights))
        drops, packets = self._gain(_DROPS), self._gain(_PACKETS)
        return {
            "arrivals": packets + drops,
            "drops": drops,
            "bytes_mean": mean,
            "bytes_p50": p50,
            "bytes_p99": p99,
            "bytes_max": largest,
            "delay_ns_mean": delay_mean_ns,
            "delay_ns_p99": _quantiles(delay_ns, weights, (0.99,))[0],
            "delay_ns_sd": float(
                np.sqrt(np.average((delay_ns - delay_mean_ns) ** 2, weights=weights))
            ),
            "utilisation": self._utilisation(rate_bps),
        }

    def _utilisation(self, rate_bps: NDArray[np.float64]) -> float:
        """More than all of the time is what a sample that was taken late explains, or wrong."""
        could, sent = self._could_send(rate_bps), self._gain(_BYTES) * 8e9
        late = float(rate_bps.max()) * _LATE_NS
        return 1.0 if could < sent <= could + late else sent / could


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], shares: Sequence[float]
) -> list[float]:
    """The smallest values that are not exceeded in at least these shares of the time."""
    order = np.argsort(values, kind="stable")
    seen = np.cumsum(weights[order])
    found: list[float] = values[order][np.searchsorted(seen, np.array(shares) * seen[-1])].tolist()
    return found


def _rates_at(times_ns: NDArray[np.int64], rates: Rates) -> NDArray[np.float64]:
    """The link's bit/s at each time; before the first of `rates` it is the first."""
    since_ns, bps = np.array(rates, dtype=np.int64).T
    held = np.searchsorted(since_ns, times_ns, side="right") - 1
    here: NDArray[np.float64] = bps[np.clip(held, 0, None)].astype(np.float64)
    return here


def read(path: Path) -> Samples:
    """The CSV of `penstock-load watch`, after its line 'ready'."""
    try:
        rows = np.loadtxt(path, delimiter=",", skiprows=2, dtype=np.int64, ndmin=2)
    except ValueError as error:
        raise RuntimeError(f"the samples of the queue cannot be read: {error}") from None
    return Samples(rows)
