# SPDX-License-Identifier: GPL-2.0-only
"""What users would notice: responsiveness, and the quality of an application's outcome.

Responsiveness: C. Paasch, R. Meyer, S. Cheshire and W. Hawkins, "Responsiveness under Working
Conditions", draft-ietf-ippm-responsiveness-09, section 5.3.1. Quality of outcome: B. I. Teigen and
others, "Quality of Outcome (QoO)", draft-ietf-ippm-qoo, section "Calculating QoO".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from penstock.plan.build import Built
from penstock.plan.paths import round_trips_ns
from penstock.results.metrics import Result, Value, rounded
from penstock.results.queues import Distributed

TRIMMED_PERCENT: Final = 95  # TMP of the draft: what is longer is left out
_MS: Final = 1e-6
_MINUTE_MS: Final = 60_000.0


@dataclass(frozen=True)
class Requirement:
    """What an application needs for its best (ROP), and where it becomes useless (CPUP).

    Latencies in ms by percentile, losses in percent, and the throughput that it cannot do without.
    """

    optimal_ms: Mapping[float, float]
    useless_ms: Mapping[float, float]
    optimal_loss_percent: float
    useless_loss_percent: float
    least_mbps: float = 0.0


# The example of the draft's section "Describing Network Performance Requirements", less its 99.9th
# percentile, which distributions here do not have, and its 4 Mbit/s, as flows divide the link.
USUAL: Final = Requirement({99: 100.0}, {99: 200.0}, 0.1, 2.0)


def trimmed_mean(percentiles: Sequence[float], kept: int = TRIMMED_PERCENT) -> float:
    """The mean of the least `kept` percent, from percentiles 0 to 100 of a distribution."""
    inner = sum(percentiles[1:kept])
    return (inner + (percentiles[0] + percentiles[kept]) / 2) / kept


def rpm(round_trips_ms: Sequence[float]) -> float:
    """Round trips per minute, mean over flows."""
    return sum(_MINUTE_MS / each for each in round_trips_ms) / len(round_trips_ms)


def _part(measured: float, optimal: float, useless: float) -> float:
    return min(max(1 - (measured - optimal) / (useless - optimal), 0.0), 1.0)


def qoo_percent(
    wanted: Requirement, latency_ms: Mapping[float, float], loss_percent: float, mbps: float
) -> float:
    """The least of the scores for latency, loss and throughput."""
    latency = [
        _part(latency_ms[each], wanted.optimal_ms[each], wanted.useless_ms[each])
        for each in wanted.optimal_ms
    ]
    loss = _part(loss_percent, wanted.optimal_loss_percent, wanted.useless_loss_percent)
    return 100 * min(*latency, loss, 1.0 if mbps >= wanted.least_mbps else 0.0)


def columns(built: Built, result: Result, row: Mapping[str, Value]) -> dict[str, Value]:
    """Both, of the measured queue; {} where nobody counted its delays or knows the round trips."""
    if not isinstance(result, Distributed):
        return {}
    percentiles = [each * _MS for each in result.delay_quantiles_ns(built.measured)]
    trips = [each * _MS for each in round_trips_ns(built.network, built.measured)]
    loss = row["loss_percent"]
    if not trips or not isinstance(loss, float):
        return {}
    mean_ms = trimmed_mean(percentiles)
    scores = [qoo_percent(USUAL, {99: trip + percentiles[99]}, loss, 0.0) for trip in trips]
    return {
        "rpm": rounded(rpm([trip + mean_ms for trip in trips])),
        "qoo_percent": rounded(sum(scores) / len(scores)),
    }
