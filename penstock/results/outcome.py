# SPDX-License-Identifier: GPL-2.0-only
"""What users would notice (core/outcome.h), of the flows through the measured queue."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

from penstock import _native
from penstock.plan.build import Built
from penstock.plan.paths import round_trips_ns
from penstock.results.metrics import Result, Value, rounded

_MS: Final = 1e-6


@runtime_checkable
class Delayed(Protocol):
    """A result of a backend that keeps the distribution of delays in the measured queue."""

    def delay_quantiles_ns(self, link: int) -> Sequence[float]:
        """At equal steps of the share of packets, from 0 to 1."""


def columns(built: Built, result: Result, row: Mapping[str, Value]) -> dict[str, Value]:
    """Both, mean over flows; {} where nobody counted delays or knows the round trips."""
    if not isinstance(result, Delayed):
        return {}
    waits_ms = [each * _MS for each in result.delay_quantiles_ns(built.measured)]
    trips_ms = [each * _MS for each in round_trips_ns(built.network, built.measured)]
    loss = row["loss_percent"]
    if not trips_ms or not isinstance(loss, float):
        return {}
    rpm = sum(_native.rpm(trip, waits_ms) for trip in trips_ms) / len(trips_ms)
    scores = [_native.qoo_percent(trip, waits_ms, loss) for trip in trips_ms]
    return {"rpm": rounded(rpm), "qoo_percent": rounded(sum(scores) / len(scores))}
