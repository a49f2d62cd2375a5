# SPDX-License-Identifier: GPL-2.0-only
"""What a gateway measured, as values of a link: `penstock-gw status -j`, and its `flows -j`."""

import json
import math
import statistics
from collections.abc import Mapping
from typing import Any, Final

from penstock.errors import ConfigError
from penstock.scenario.limits import MAX_FLOWS
from penstock.scenario.types import AUTO

_RTT_STEP_NS: Final = 100_000  # the RTT is given in tenths of a millisecond
_LEAST_UDP_BPS: Final = 1000  # what a scenario takes; less is left out
_CURE: Final = "pipe `penstock-gw status DEV -j` into this"


def number(values: Mapping[str, Any], name: str, key: str, cure: str = _CURE) -> float:
    """A number that a gateway told. Raises ConfigError for anything else."""
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise ConfigError(f"{name}: {key}: expected a number, not {value!r}; {cure}")
    return value


def _parsed(name: str, text: str) -> list[Any]:
    """The JSON values of a text, one after the other; those of a list are its own."""
    decoder, found, rest = json.JSONDecoder(), list[Any](), text.lstrip()
    while True:
        try:
            value, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            raise ConfigError(f"{name}: no JSON text; {_CURE}") from None
        found += value if isinstance(value, list) else [value]
        rest = rest[end:].lstrip()
        if not rest:
            return found


def _link(name: str, status: Mapping[str, Any]) -> dict[str, int | str]:
    """Rate, buffer, flows and UDP's rate; what the gateway cannot control counts as UDP."""
    if status["state"] == "off":
        raise ConfigError(f"{name}: nothing is attached to {status.get('device')}; attach first")
    rate_bps, limit = (int(number(status, name, key)) for key in ("rate_bps", "buffer_bytes"))
    found: dict[str, int | str] = {"rate_bps": rate_bps, "buffer_bytes": limit}
    flows = int(number(status, name, "flows_active"))
    if flows:
        found["flows"] = min(flows, MAX_FLOWS)
    ratio = status.get("controllable_ratio")
    if ratio is not None and status.get("forward_bytes") != 0:  # else it is a share of nothing
        udp_bps = round(rate_bps * (1.0 - min(number(status, name, "controllable_ratio"), 1.0)))
        if udp_bps >= _LEAST_UDP_BPS:
            found["udp_bps"] = udp_bps
    return found


def _ends(name: str, flows: Any) -> dict[str, int | str]:
    """The median RTT, and the median window where no receiver scales it; else they autotune."""
    if not isinstance(flows, list) or not all(isinstance(flow, dict) for flow in flows):
        raise ConfigError(f"{name}: flows: expected a list of flows; {_CURE}")
    keys = ("rtt_ns", "window_offered_bytes", "scale")
    rtts, windows, scales = ([number(flow, name, key) for flow in flows] for key in keys)
    found: dict[str, int | str] = {}
    if any(rtts):
        median_ns = statistics.median(rtt for rtt in rtts if rtt)
        found["rtt_ns"] = max(round(median_ns / _RTT_STEP_NS), 1) * _RTT_STEP_NS
    if any(windows):
        fixed = int(statistics.median_low(window for window in windows if window))
        found["window"] = AUTO if any(scales) else str(fixed)
    return found


def values(name: str, text: str) -> dict[str, int | str]:
    """The fields of `Wanted` that a status gives, and a list of flows if one is with it.

    `name` is what an error calls the text. Raises ConfigError for what is no status.
    """
    parts = _parsed(name, text)
    status = [part for part in parts if isinstance(part, dict) and "state" in part]
    flows = [part for part in parts if isinstance(part, dict) and "flows" in part]
    if len(status) != 1 or len(flows) > 1 or len(parts) != len(status) + len(flows):
        raise ConfigError(f"{name}: no status of one device; {_CURE}")
    return _link(name, status[0]) | (_ends(name, flows[0]["flows"]) if flows else {})
