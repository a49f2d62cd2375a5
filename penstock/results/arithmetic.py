# SPDX-License-Identifier: GPL-2.0-only
"""Checks that the numbers of a run obey arithmetic: the relations of columns.py, in every row.

RuntimeError, which ends the run, with the relation and the numbers that break it.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from penstock import columns
from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.plan.network import Tcp, Udp, Users
from penstock.results import carried, metrics
from penstock.results.metrics import Result
from penstock.results.row import Row

_UDP_HEADERS_BYTES: Final = 28
_TCP_HEADERS_BYTES: Final = 40
_QUIC_BYTES: Final = 29  # of UDP's headers, and a byte at least
# Columns have six decimals, and sums of doubles are not exact.
_ABSOLUTE: Final = 2e-6
_RELATIVE: Final = 1e-9
_KNOWN: Final = {"__builtins__": {}, "max": max}

Values = Mapping[str, Any]
Relation = tuple[str, list[Any], tuple[str, ...]]  # as text, its terms, the names in them


def _compiled(texts: Iterable[str]) -> list[Relation]:
    found = []
    for text in texts:
        terms = [compile(term.strip(), text, "eval") for term in text.split("<=")]
        names = {name for term in terms for name in term.co_names} - set(_KNOWN)
        found.append((text, terms, tuple(sorted(names))))
    return found


_ALWAYS: Final = _compiled(columns.RELATIONS)
_FROM_START: Final = _compiled(columns.RELATIONS_FROM_START)
_SUMS: Final = (
    *(each.name for each in (*columns.SENDER_COUNTERS, *columns.RECEIVER_COUNTERS)),
    *("unfinished", "transfers"),
)


def broken(values: Values, from_start: bool) -> str:
    """The first relation that does not hold, with its numbers; "" if all do.

    A relation whose quantities are not all there says nothing.
    """
    for text, terms, names in [*_ALWAYS, *(_FROM_START if from_start else [])]:
        if any(values.get(name) is None for name in names):
            continue
        parts = [float(eval(term, _KNOWN, dict(values))) for term in terms]
        for low, high in itertools.pairwise(parts):
            if not low <= high + _ABSOLUTE + _RELATIVE * max(abs(low), abs(high)):
                numbers = ", ".join(f"{name} = {values[name]:.12g}" for name in names)
                return f"{text}, with {numbers}"
    return ""


def _refuse(where: str, why: str) -> None:
    if why:
        raise RuntimeError(f"arithmetic broken: {where}: not {why}")


def check(where: str, values: Values, from_start: bool) -> None:
    """RuntimeError if a relation between these quantities does not hold."""
    _refuse(where, broken(values, from_start))


def _packet_sizes(traffic: Sequence[Tcp | Udp | Users], mtu_bytes: int) -> dict[str, int]:
    """What the shortest and the longest packet of this traffic can have."""
    sizes = {each.payload_bytes + _UDP_HEADERS_BYTES for each in traffic if isinstance(each, Udp)}
    if all(isinstance(each, Udp) for each in traffic) and sizes:
        return {"least_bytes": min(sizes), "most_bytes": max(sizes)}
    quic = any(not isinstance(each, Udp) and each.sender.quic for each in traffic)
    ends = _QUIC_BYTES if quic else _TCP_HEADERS_BYTES
    return {"least_bytes": min({*sizes, ends}), "most_bytes": mtu_bytes}


def queue_values(built: Built, result: Result, link: int) -> dict[str, Any]:
    """What is known of the queue of `link`: counters, figures, limits and sizes of packets."""
    spec = built.network.links[link]
    sizes = _packet_sizes(built.network.traffic, spec.mtu_bytes)
    limits = {"limit_bytes": spec.queue_bytes or None, "limit_packets": spec.queue_packets or None}
    return {**sizes, **limits, **result.queue(link)}


def _row_values(row: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """The columns of a run, and sums over its flows and users."""
    tcp = metrics.tcp_flows(result.flows)
    values = dict(row) | {"counted_flows": metrics.counted_flows(tcp)}
    for name in ("received_bytes", "delivered_bytes", "bytes_sent"):
        if name in tcp:
            groups = sum(int(group.get(name, 0)) for group in result.groups)
            values[name] = int(np.sum(tcp[name])) + groups
    return values


def _check_sums(row: Row) -> None:
    for name in _SUMS if row.groups else ():
        whole, parts = row.columns.get(name), [group.get(name) for group in row.groups]
        if whole is None or None in parts:
            continue
        total = sum(part for part in parts if isinstance(part, int))
        if total != whole:
            _refuse("groups", f"{name} of all groups = {name} of the run: {total} and {whole}")


def check_live(
    columns: Mapping[str, Any], result: Result, from_start: bool, limit_bytes: int
) -> None:
    """RuntimeError if a number of a live run, with one queue, breaks a relation."""
    queue = dict(result.queue(0)) | {"limit_bytes": limit_bytes or None}
    check("queue", queue, from_start)
    check("row", _row_values(columns, result) | {"arrivals": queue["arrivals"]}, from_start)


def check_row(cell: Cell, built: Built, result: Result, row: Row) -> None:
    """RuntimeError if a number of the run breaks a relation."""
    from_start = not cell.scenario.time.warm_up
    arrived = carried.values(cell, built, result)
    for link in dict.fromkeys([built.measured, *(queue.index for queue in built.queues)]):
        own = queue_values(built, result, link) | arrived.get(link, {})
        check(f"queue of link {link}", own, from_start)
    whole = result.queue(built.measured)
    check("row", _row_values(row.columns, result) | {"arrivals": whole["arrivals"]}, from_start)
    for group in row.groups:
        check(f"group {group['group']}", group, from_start)
    _check_sums(row)
