# SPDX-License-Identifier: GPL-2.0-only
"""A recording of a gateway as a scenario: its link, its flows and its method."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.errors import ConfigError
from penstock.scenario import link, measured, units
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
_FORWARDED: Final = ("forward_bytes", "forward_controlled_bytes")
_CURE: Final = "`penstock-gw record` writes one"
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
        everything, controlled = (int(last[key]) - int(first[key]) for key in _FORWARDED)
        return 8 * (everything - controlled) * _NS // (int(last["time_ns"]) - int(first["time_ns"]))


def _object(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ConfigError(f"{name}: expected an object, not {value!r}; {_CURE}")
    return value


def _check(name: str, lines: Iterable[dict[str, Any]], keys: Sequence[str]) -> None:
    """Raises ConfigError unless all of them have numbers of these names."""
    for line in lines:
        for key in keys:
            measured.number(line, name, key, _CURE)


def steady(name: str, lines: Sequence[dict[str, Any]]) -> Recorded:
    """The end of a recording, in which a live gateway's settings stayed as they are."""
    changed = [line["time_ns"] for line in lines if line.get("kind") == "event"]
    begin_ns = max(changed, default=0) + _SETTLE_NS
    late = [line for line in lines if line["time_ns"] >= begin_ns]
    kinds = {
        kind: [line for line in late if line.get("kind") == kind]
        for kind in ("status", "sample", "flows")
    }
    samples = [line for line in kinds["sample"] if line.get("state") == "live"]
    too_few = len(samples) < _LEAST_SAMPLES or samples[0]["time_ns"] == samples[-1]["time_ns"]
    if too_few or not kinds["status"]:
        raise ConfigError(
            f"{name}: holds less than {_LEAST_SAMPLES} samples of a live gateway after the last "
            "change of its settings; record for longer"
        )
    status = _object(name, kinds["status"][-1].get("status"))
    listed = kinds["flows"][-1].get("flows") if kinds["flows"] else []
    flows = [_object(name, flow) for flow in (listed if isinstance(listed, list) else [listed])]
    _check(name, [status], ("rate_bps", "buffer_bytes"))
    _check(name, samples, ("queue_bytes", "flows_active", *_FORWARDED))
    _check(name, flows, ("rtt_ns", "rate_bps"))
    if not isinstance(status.get("method"), str):
        raise ConfigError(f"{name}: method: expected a name, not {status.get('method')!r}; {_CURE}")
    return Recorded(status, samples, flows)


def _wanted(recorded: Recorded) -> Wanted:
    status = recorded.status
    flows = round(statistics.fmean(sample["flows_active"] for sample in recorded.samples))
    flows = min(max(flows, 1), MAX_FLOWS)
    rtts = [flow["rtt_ns"] for flow in recorded.flows if flow["rtt_ns"] and flow["rate_bps"]]
    rtt_ns = max(round(statistics.median(rtts) / _RTT_STEP_NS), 1) * _RTT_STEP_NS if rtts else 0
    udp_bps = recorded.udp_bps
    rate_bps = int(status["rate_bps"])
    return Wanted(
        title=f"Recorded on {status.get('device')}",
        rate_bps=rate_bps,
        rtt_ns=rtt_ns or Wanted.rtt_ns,
        buffer_bytes=int(status["buffer_bytes"]),
        flows=flows,
        size_bytes=rate_bps // 8 * _LIMIT_S,  # more than a flow sends until the end
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
