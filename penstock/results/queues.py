# SPDX-License-Identifier: GPL-2.0-only
"""The queues of a run, one row each, and their series; columns.py defines the columns."""

from typing import Any, Final

from penstock.plan.build import Built
from penstock.plan.queues import Queue
from penstock.results import metrics
from penstock.results.metrics import Result, Value

PLACE: Final = ("link", "direction", "number", "gateway")
SERIES: Final = ("queue_bytes", "queue_packets", "window_bytes")


def _place(queue: Queue) -> dict[str, Value]:
    return {name: getattr(queue, name) for name in PLACE}


def rows(built: Built, result: Result) -> list[dict[str, Value]]:
    """What was counted at each queue."""
    found = []
    for queue in built.queues:
        counted = result.queue(queue.index)
        values = metrics.queue_columns(counted) | metrics.low_latency_columns(counted)
        rounded = {name: metrics.rounded(value) for name, value in values.items()}
        found.append(_place(queue) | rounded)
    return found


def series(built: Built, result: Result, samples: int) -> list[dict[str, Any]]:
    """The first samples of each queue that was sampled."""
    assert built.network.sample is not None, "there are samples"
    rank = {link: row for row, link in enumerate(built.network.sample.links)}
    return [
        _place(queue)
        | {name: result.series[name][rank[queue.index]][:samples].tolist() for name in SERIES}
        for queue in built.queues
        if queue.index in rank
    ]
