# SPDX-License-Identifier: GPL-2.0-only
"""Nodes and ends of links, with the dumbbell written out."""

from typing import Final

from penstock import _native
from penstock.scenario.model import Back, Scenario
from penstock.scenario.types import FLOWS, number

DUMBBELL_NODES: Final[dict[str, int | str]] = {
    "senders": FLOWS,
    "left": 1,
    "right": 1,
    "receivers": FLOWS,
}
DUMBBELL_LINKS: Final = {
    "access": ("senders", "left"),
    "bottleneck": ("left", "right"),
    "egress": ("right", "receivers"),
}


def nodes(scenario: Scenario) -> dict[str, int | str]:
    """Node names and how many nodes each stands for ('flows' or a number)."""
    base = DUMBBELL_NODES if scenario.topology.shape else {}
    return {**base, **scenario.topology.nodes}


def ends(scenario: Scenario, name: str) -> tuple[str, str]:
    """The node names at the `from` and the `to` end of a link; '' where none is given."""
    link = scenario.link[name]
    start, end = DUMBBELL_LINKS.get(name, ("", "")) if scenario.topology.shape else ("", "")
    return link.start or start, link.end or end


def size(scenario: Scenario, node: str, flows: int) -> int:
    """How many nodes a name stands for in a run of `flows` flows."""
    return number(nodes(scenario)[node], flows)


def route(scenario: Scenario, first: str, last: str) -> list[tuple[str, str]]:
    """The links that data takes and their directions, as sim/net/route.cpp finds them.

    Fewest links first, and among equals the link that the scenario names first; empty
    where no links lead from one node name to the other.
    """
    came: dict[str, tuple[str, str, str]] = {first: ("", "", "")}
    todo = [first]
    for here in todo:
        for name in scenario.link:
            start, end = ends(scenario, name)
            hops = ((start, end, "forward"), (end, start, "back"))
            for there, direction in ((b, way) for a, b, way in hops if a == here):
                if there not in came:
                    came[there] = (here, name, direction)
                    todo.append(there)
    links: list[tuple[str, str]] = []
    while last in came and last != first:
        last, name, direction = came[last]
        links.insert(0, (name, direction))
    return links


def measured(scenario: Scenario) -> tuple[str, str]:
    """Name and direction of the link whose queue the columns are about."""
    if scenario.measure:
        return scenario.measure.link, scenario.measure.direction
    gateway = next(iter(scenario.gateway.values()))
    return gateway.link, gateway.direction


def queue_limit_bytes(scenario: Scenario, link: str, direction: str) -> int | None:
    """The queue limit of one direction of a link, one in packets as bytes; None: unlimited."""
    spec = scenario.link[link]
    back = spec.back if direction == "back" else Back()
    size = spec.queue if back.queue is None else back.queue
    packets = spec.queue_packets if back.queue_packets is None else back.queue_packets
    mtu = spec.mtu if back.mtu is None else back.mtu
    return _native.queue_limit_bytes(size or 0, packets or 0, mtu) or None
