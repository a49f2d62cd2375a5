# SPDX-License-Identifier: GPL-2.0-only
"""The queues of a run, one row each, and their series; columns.py defines the columns."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, runtime_checkable

from penstock.plan.build import Built
from penstock.plan.queues import Queue
from penstock.results import metrics
from penstock.results.metrics import Result, Value

PLACE: Final = ("link", "direction", "number", "gateway")
ALL_TRAFFIC: Final = ""  # as a group
FIGURES: Final = ("mean", "p99", "sd", "max")  # of delays
SERIES: Final = ("queue_bytes", "queue_packets", "window_bytes")
_MS: Final = 1e-6


@runtime_checkable
class Distributed(Protocol):
    """A result of a backend that keeps the distribution of delays."""

    def delay_quantiles_ns(self, link: int) -> list[float]:
        """At equal steps of the share of packets, from 0 to 1."""

    def group_delays(self, link: int) -> list[dict[str, Any]]:
        """The same of each group of traffic, and its figures; [] if they are not told apart."""


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


def _told(built: Built, result: Distributed) -> Iterator[tuple[Queue, str, Mapping[str, Any]]]:
    """What is known of each group at each gateway and at the measured queue."""
    for queue in built.queues:
        if queue.index in built.network.delay_links:
            found = result.group_delays(queue.index)
            for name, each in zip(built.delay_groups, found, strict=False):
                if each["packets"]:
                    yield queue, name, each


def delays(built: Built, result: Result) -> dict[str, list[Any]]:
    """How long packets waited at each gateway and in the measured queue, all and those of each
    group of traffic; {} if nobody counted.
    """
    found: dict[str, list[Any]] = {name: [] for name in (*PLACE, "group", "share", "delay_ms")}
    if not isinstance(result, Distributed):
        return {}

    def add(queue: Queue, group: str, values: Sequence[float]) -> None:
        for name, value in (_place(queue) | {"group": group}).items():
            found[name] += [value] * len(values)
        found["share"] += [step / (len(values) - 1) for step in range(len(values))]
        found["delay_ms"] += [metrics.rounded(value * _MS) for value in values]

    for queue in built.queues:
        if queue.gateway or queue.index == built.measured:
            add(queue, ALL_TRAFFIC, result.delay_quantiles_ns(queue.index))
    for queue, name, each in _told(built, result):
        add(queue, name, each["quantiles_ns"])
    return found


def group_delays(built: Built, result: Result, tcp: Collection[str]) -> list[dict[str, Value]]:
    """One row for each of these queues and group of traffic; [] if they are not told apart."""
    if not isinstance(result, Distributed):
        return []
    return [
        _place(queue)
        | {"group": name, "protocol": "tcp" if name in tcp else "udp"}
        | {"measured": queue.index == built.measured, "packets": int(each["packets"])}
        | {
            f"queue_delay_ms_{figure}": metrics.rounded(each[f"{figure}_ns"] * _MS)
            for figure in FIGURES
        }
        for queue, name, each in _told(built, result)
    ]
