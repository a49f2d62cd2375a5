# SPDX-License-Identifier: GPL-2.0-only
"""Checks of [tcp.NAME.traffic]: each kind of source has keys of its own."""

from collections.abc import Iterator
from typing import Final

from penstock.scenario import traffic_keys
from penstock.scenario.flaw import Flaw
from penstock.scenario.model import Scenario, Traffic
from penstock.scenario.table import said

KEYS: Final = {
    kind: [name for name, field in Traffic.model_fields.items() if kind in said(field).kinds]
    for kind in traffic_keys.KINDS
}


def _source(traffic: Traffic) -> Iterator[tuple[str, str]]:
    """Keys that the kind lacks or does not have, and what to write."""
    known = KEYS[traffic.kind]
    for key in sorted(traffic.model_fields_set - {"kind", *known}):
        yield key, f"{traffic.kind} traffic has no such key; it has {', '.join(known)}"
    if traffic.kind == "on-off":
        if (traffic.rate is None) == (traffic.write is None):
            yield "rate", "on-off traffic has either a rate or a write; give one of them"
        if not traffic.interval:
            yield "interval", "above 0, such as '20ms'"
    if traffic.company and traffic.persistent:
        yield "company", "it compares connections of one transfer each; leave out 'persistent'"
    if traffic.kind == "trace" and traffic.file is None:
        yield "file", "this key is missing; name a file with a time and a size on each line"


def sources(scenario: Scenario) -> Iterator[Flaw]:
    """Whether each group has either a size or traffic, and the latter is whole."""
    for name, tcp in scenario.tcp.items():
        if tcp.traffic is None:
            if tcp.size is None:
                yield ("tcp", name, "size"), "this key is missing"
            continue
        if tcp.size is not None:
            yield ("tcp", name, "size"), "a group with traffic has its sizes there; leave it out"
        if not tcp.controlled:
            yield (
                ("tcp", name, "controlled"),
                "only single transfers can be uncontrolled; leave it out",
            )
        if tcp.traffic.company and scenario.mobility is not None:
            yield ("tcp", name, "traffic", "company"), "receivers that move have none; leave it out"
        for key, message in _source(tcp.traffic):
            yield ("tcp", name, "traffic", key), message
