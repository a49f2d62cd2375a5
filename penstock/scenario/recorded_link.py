# SPDX-License-Identifier: GPL-2.0-only
"""A recording of a gateway as a scenario: its link, its flows and its method."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.errors import ConfigError
from penstock.scenario import link, units
from penstock.scenario.draft import Draft
from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.link import Wanted
from penstock.scenario.units import Quantity

_NS: Final = 1_000_000_000
_SETTLE_NS: Final = 2 * _NS
_LEAST_SAMPLES: Final = 20
_RTT_STEP_NS: Final = 100_000
_LEAST_UDP_BPS: Final = 1000
_LIMIT_S: Final = 60
_WARM_UP_S: Final = 10
_SHOWN: Final = 0.95  # of the samples that the interval holds


@dataclass(frozen=True)
class Recorded:
    """What was recorded since the settings last changed."""

    status: dict[str, Any]
    samples: list[dict[str, Any]]
    flows: list[dict[str, Any]]

    @property
    def queue_bytes(self) -> float:
        """The mean queue."""
        return statistics.fmean(sample["queue_bytes"] for sample in self.samples)

    @property
    def interval_bytes(self) -> tuple[float, float]:
        """What 95 % of the samples lie between."""
        ordered = sorted(sample["queue_bytes"] for sample in self.samples)
        left = round((1 - _SHOWN) / 2 * (len(ordered) - 1))
        return ordered[left], ordered[-1 - left]

    @property
    def udp_bps(self) -> int:
        """The rate of what no window controlled."""
        first, last = self.samples[0], self.samples[-1]
        keys = ("forward_bytes", "forward_controlled_bytes")
        everything, controlled = (int(last[key]) - int(first[key]) for key in keys)
        return 8 * (everything - controlled) * _NS // (int(last["time_ns"]) - int(first["time_ns"]))


def steady(name: str, lines: Sequence[dict[str, Any]]) -> Recorded:
    """The end of a recording, in which a live gateway's settings stayed as they are."""
    changed = [line["time_ns"] for line in lines if line.get("kind") == "event"]
    begin_ns = max(changed, default=0) + _SETTLE_NS
    late = [line for line in lines if line["time_ns"] >= begin_ns]
    kinds = {
        kind: [line for line in late if line.get("kind") == kind]
        for kind in ("status", "sample", "flows")
    }
    samples = [line for line in kinds["sample"] if line["state"] == "live"]
    if len(samples) < _LEAST_SAMPLES or not kinds["status"]:
        raise ConfigError(
            f"{name}: holds less than {_LEAST_SAMPLES} samples of a live gateway after the last "
            "change of its settings; record for longer"
        )
    flows = [flow for line in kinds["flows"][-1:] for flow in line["flows"]]
    return Recorded(kinds["status"][-1]["status"], samples, flows)


def _wanted(recorded: Recorded) -> Wanted:
    status = recorded.status
    flows = round(statistics.fmean(sample["flows_active"] for sample in recorded.samples))
    flows = min(max(flows, 1), MAX_FLOWS)
    rtts = [flow["rtt_ns"] for flow in recorded.flows if flow["rtt_ns"] and flow["rate_bps"]]
    rtt_ns = max(round(statistics.median(rtts) / _RTT_STEP_NS), 1) * _RTT_STEP_NS if rtts else 0
    udp_bps = recorded.udp_bps
    return Wanted(
        title=f"Recorded on {status['device']}",
        rate_bps=status["rate_bps"],
        rtt_ns=rtt_ns or Wanted.rtt_ns,
        buffer_bytes=status["buffer_bytes"],
        flows=flows,
        size_bytes=status["rate_bps"] // 8 * _LIMIT_S,  # more than a flow sends until the end
        udp_bps=udp_bps if udp_bps >= _LEAST_UDP_BPS else None,
    )


def draft(recorded: Recorded) -> Draft:
    """The scenario, not yet checked."""
    made = link.draft(_wanted(recorded))
    method = recorded.status["method"]
    made.put(("sweep", "methods"), ["droptail", method])
    made.put(("tcp", "bulk", "start"), "0s..1s")
    made.put(("time", "limit"), Quantity(units.TIME, _LIMIT_S * _NS))
    made.put_after(("time", "limit"), "warm_up", Quantity(units.TIME, _WARM_UP_S * _NS))
    made.put(("sample", "until"), Quantity(units.TIME, _LIMIT_S * _NS))
    target = recorded.status.get("target_bytes")
    if target is not None:
        made.add(("method", method), {"target_bytes": f"{target}B"})
    return made


def note(name: str, recorded: Recorded) -> str:
    """What the file of a scenario begins with: the queue that was recorded."""
    low, high = (f"{value / 1000:.4g}" for value in recorded.interval_bytes)
    mean = f"{recorded.queue_bytes / 1000:.4g}"
    return (
        f"# From {name}. There the mean queue was {mean} kB, and 95 % of the samples lay\n"
        f"# between {low} and {high} kB. `queue_bytes_mean` is to compare.\n"
    )
