# SPDX-License-Identifier: GPL-2.0-only
"""What a gateway measured, `penstock-gw status -j`, as values of a link."""

import json
from collections.abc import Mapping
from typing import Any, Final

from penstock.errors import ConfigError
from penstock.scenario import units
from penstock.scenario.limits import MAX_FLOWS

_LEAST_UDP_BPS: Final = 1000  # what a scenario takes; less is left out
_CURE: Final = "pipe `penstock-gw status DEV -j` into this"


def _number(status: Mapping[str, Any], name: str, key: str) -> float:
    value = status.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ConfigError(f"{name}: {key}: expected a number, not {value!r}; {_CURE}")
    return value


def values(name: str, text: str) -> dict[str, str]:
    """The options of `new-link` that a status gives: rate, buffer, flows, and UDP's rate.

    Traffic that the gateway cannot control counts as UDP, in its share of the link's bytes.
    """
    try:
        status = json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigError(f"{name}: no JSON text; {_CURE}") from None
    if isinstance(status, list) and len(status) == 1:
        status = status[0]
    if not isinstance(status, dict) or "state" not in status:
        raise ConfigError(f"{name}: no status of one device; {_CURE}")
    if status["state"] == "off":
        raise ConfigError(f"{name}: nothing is attached to {status.get('device')}; attach first")
    rate_bps, limit = (int(_number(status, name, key)) for key in ("rate_bps", "buffer_bytes"))
    found = {"rate": units.form(units.RATE, rate_bps), "buffer": str(limit)}
    flows = int(_number(status, name, "flows_active"))
    if flows:
        found["flows"] = str(min(flows, MAX_FLOWS))
    ratio = status.get("controllable_ratio")
    if ratio is not None:
        udp_bps = round(rate_bps * (1.0 - min(_number(status, name, "controllable_ratio"), 1.0)))
        if udp_bps >= _LEAST_UDP_BPS:
            found["udp"] = units.form(units.RATE, udp_bps)
    return found
