# SPDX-License-Identifier: GPL-2.0-only
"""What happened between the end of the warm-up and the end of a simulated run.

Runs are deterministic, so that a run up to the end of the warm-up is the beginning
of the whole run, and the difference of their counters is exact. Percentiles come from
samples of the queue.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from penstock import _native

_SINCE_START: Final = ("is_udp", "size_bytes", "done_ns", "start_ns")
_MEANS: Final = {"delay_ns_mean": "arrivals", "window_bytes_mean": "acks_seen"}
_OVER_TIME: Final = ("bytes_mean", "utilisation")


@dataclass(frozen=True)
class Rest:
    """The later part of a run, with what metrics reads of a _native.Result."""

    early: _native.Result
    late: _native.Result
    begin_ns: int

    @property
    def end_ns(self) -> int:
        """When the run ended."""
        return self.late.end_ns

    @property
    def events(self) -> int:
        """Events of the later part."""
        return self.late.events - self.early.events

    @property
    def series(self) -> dict[str, NDArray[np.int64]]:
        """The whole run's samples."""
        return self.late.series

    @property
    def flows(self) -> dict[str, NDArray[np.int64]]:
        """Counters gained since; a flow that had started counts as started then."""
        before, after = self.early.flows, self.late.flows
        gained = {name: after[name] - before[name] for name in after if name not in _SINCE_START}
        start_ns = np.maximum(after["start_ns"], self.begin_ns)
        kept = {name: after[name] for name in ("is_udp", "size_bytes", "done_ns")}
        return gained | kept | {"start_ns": start_ns}

    def queue(self, link: int) -> dict[str, float]:
        """Counters gained since, and means over what came since."""
        before, after = self.early.queue(link), self.late.queue(link)
        gained = {name: after[name] - before[name] for name in after}
        first_ns = int(self.late.flows["start_ns"].min())
        spans = self.early.end_ns - first_ns, self.late.end_ns - first_ns
        for name in _OVER_TIME:
            gained[name] = _mean(before[name], after[name], *spans)
        for name, count in _MEANS.items():
            gained[name] = _mean(before[name], after[name], before[count], after[count])
        return gained | self._percentiles(gained)

    def _percentiles(self, queue: dict[str, float]) -> dict[str, float]:
        later = self.late.series["time_ns"] >= self.begin_ns
        waiting = self.late.series["queue_bytes"][0][later].astype(np.float64)
        p50, p99 = (float(value) for value in np.percentile(waiting, [50, 99]))
        ns_per_byte = queue["delay_ns_mean"] / queue["bytes_mean"] if queue["bytes_mean"] else 0.0
        return {
            "bytes_p50": p50,
            "bytes_p99": p99,
            "bytes_max": float(waiting.max()),
            "delay_ns_p99": p99 * ns_per_byte,
            "delay_ns_sd": float(waiting.std()) * ns_per_byte,
        }


def _mean(before: float, after: float, weight_before: float, weight_after: float) -> float:
    """The mean of what came between two means over everything so far."""
    weight = weight_after - weight_before
    return (after * weight_after - before * weight_before) / weight if weight > 0 else 0.0


def rest(early: _native.Result, late: _native.Result, begin_ns: int) -> Any:
    """The later part; ValueError if nothing is left of the run by then."""
    if late.end_ns <= begin_ns:
        raise ValueError("the run ends before its warm-up; make time.warm_up shorter")
    return Rest(early, late, begin_ns)
