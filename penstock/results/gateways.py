# SPDX-License-Identifier: GPL-2.0-only
"""Runs as the queue of one gateway saw them, where a scenario has several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from penstock.errors import OptionError, near
from penstock.results.queues import ALL_TRAFFIC, PLACE, SERIES
from penstock.results.row import Row

_SINGLE: Final = 1  # the number of a link that stands alone


@dataclass(frozen=True)
class Place:
    """Where a queue is, and its limit in bytes if it has one."""

    link: str
    direction: str
    limit_bytes: int | None


def place(about: Mapping[str, Any], gateway: str = "") -> Place:
    """The queue of that gateway, or the measured one."""
    scenario = about["scenario"]
    if not gateway:
        measured = scenario["measured"]
        return Place(measured["link"], measured["direction"], scenario["queue_limit_bytes"])
    own = scenario["setup"]["gateway"][gateway]
    link = scenario["setup"]["link"][own["link"]]
    backward = link.get("back", {}) if own["direction"] == "back" else {}
    by_packets = "queue_packets" in backward or "queue_packets" in link
    limit = backward.get("queue", link.get("queue"))
    return Place(own["link"], own["direction"], None if by_packets else limit)


def names(rows: Sequence[Row]) -> list[str]:
    """The gateways of these runs."""
    found = (str(queue["gateway"]) for row in rows for queue in row.queues if queue["gateway"])
    return list(dict.fromkeys(found))


def _queue(row: Row, gateway: str, known: Sequence[str]) -> Mapping[str, Any]:
    own = [queue for queue in row.queues if queue["gateway"] == gateway]
    if not own:
        cure = near(gateway, known) if known else "these runs have none"
        raise OptionError("--gateway", gateway, f"no such gateway; {cure}")
    if len(own) > 1:
        why = f"it stands on {len(own)} links; queues.parquet has each of them"
        raise OptionError("--gateway", gateway, why)
    return own[0]


def _series(row: Row, queue: Mapping[str, Any]) -> dict[str, Any] | None:
    if not row.series:
        return None
    own = [
        each
        for each in row.series.get("queues", ())
        if all(each[name] == queue[name] for name in PLACE)
    ]
    return {**row.series, **{name: own[0][name] for name in SERIES}} if own else None


def at(rows: Sequence[Row], gateway: str) -> Sequence[Row]:
    """The runs, with the columns and samples of that gateway's queue; as they are for ""."""
    if not gateway:
        return rows
    known, found = names(rows), []
    for row in rows:
        queue = _queue(row, gateway, known)
        own = {name: queue[name] for name in queue if name in row.columns}
        series = _series(row, queue)
        apart = [
            {**each, "measured": True} for each in row.group_delays if each["gateway"] == gateway
        ]
        columns = {**row.columns, **own}
        found.append(replace(row, columns=columns, series=series, group_delays=apart))
    return found


def delays(row: Row, where: Place) -> dict[str, list[float]]:
    """The quantiles of the delay in that queue by group, ALL_TRAFFIC first; {} where the backend
    has none.
    """
    places = (row.delays.get(name, ()) for name in ("link", "direction", "number"))
    values = row.delays.get("delay_ms", ())
    groups = row.delays.get("group") or [ALL_TRAFFIC] * len(values)
    found: dict[str, list[float]] = {}
    for link, direction, number, group, value in zip(*places, groups, values, strict=True):
        if (link, direction, number) == (where.link, where.direction, _SINGLE):
            found.setdefault(group, []).append(value)
    return found
