# SPDX-License-Identifier: GPL-2.0-only
"""Share as docs/methods/share.md writes it: equations 1 and 2."""


def segments(rate: float, rtt: float, flows: int, wire: int, target: float, high: float) -> float:
    """S for a flow: bytes per second, seconds, flows, bytes."""
    exact = (rate * rtt + target) / (flows * wire)
    if exact >= 2:
        return exact
    return max(exact, min(2.0, (rate * rtt + high) / (flows * wire)))
