# SPDX-License-Identifier: GPL-2.0-only
"""What users offer to the network: by the means of their distributions, without a run."""

import math
from dataclasses import dataclass
from typing import Final

from penstock.scenario.distributions import Distribution
from penstock.scenario.model import Traffic

_NS: Final = 1e9
_BITS_NS: Final = 8 * _NS


@dataclass(frozen=True)
class Offer:
    """Transfers of one user: bytes of each, seconds between two without the transfer, and number.

    The mean is infinite where a distribution has none; so is the number where it has no end.
    """

    size_bytes: float
    pause_s: float
    transfers: float = math.inf

    def made(self, seconds: float, rate_bps: float, persistent: bool) -> float:
        """Transfers in that time; an application that writes does not wait for their arrival."""
        if math.isinf(self.size_bytes):
            return self.transfers
        own_s = 0.0 if persistent else 8 * self.size_bytes / rate_bps
        cycle_s = self.pause_s + own_s
        return min(self.transfers, seconds / cycle_s if cycle_s else math.inf)


def _pareto(shape: float, least: float, limit: float = math.inf) -> float:
    """The mean of min(X, limit)."""
    if shape == 1:
        return least * (1 + math.log(limit / least)) if limit < math.inf else math.inf
    if limit == math.inf:
        return shape * least / (shape - 1) if shape > 1 else math.inf
    beyond: float = (least / limit) ** (shape - 1)
    return least * (shape - beyond) / (shape - 1)


def mean(distribution: Distribution) -> float:
    """The mean of a distribution."""
    if distribution.name == "uniform":
        return sum(distribution.values) / 2
    if distribution.name == "pareto":
        return _pareto(*distribution.values)
    if distribution.name == "weibull":
        shape, scale = distribution.values
        return scale * math.gamma(1 + 1 / shape)
    return distribution.values[0]


def _web(traffic: Traffic) -> Offer:
    """A page after another, with the pause between sessions after the last of each."""
    pages = max(mean(traffic.pages), 1.0)
    pause_ns = (mean(traffic.session) + (pages - 1) * mean(traffic.reading)) / pages
    size_bytes = max(mean(traffic.objects), 1.0) * mean(traffic.size)
    return Offer(size_bytes, pause_ns / _NS, traffic.transfers or math.inf)


def _on_off(traffic: Traffic) -> Offer:
    """A write per interval, and a pause after each time that the application is on."""
    written = traffic.write or max((traffic.rate or 0) * traffic.interval / _BITS_NS, 1.0)
    off_ns = 0.0
    if traffic.on is not None:
        writes = max(math.ceil(mean(traffic.on) / traffic.interval), 1)
        off_ns = mean(traffic.off) / writes
    pause_s = (traffic.interval + off_ns) / _NS
    return Offer(written, pause_s, traffic.transfers or math.inf)


def _trace(traffic: Traffic, seconds: float) -> Offer:
    assert traffic.file is not None, "checked when the scenario was read"
    sizes = [size for at_ns, size in traffic.file.entries if at_ns <= seconds * _NS]
    return Offer(sum(sizes) / len(sizes) if sizes else 0.0, 0.0, len(sizes))


def of(traffic: Traffic, seconds: float) -> Offer:
    """What each user of a group offers within that time."""
    if traffic.kind == "web":
        return _web(traffic)
    return _on_off(traffic) if traffic.kind == "on-off" else _trace(traffic, seconds)
