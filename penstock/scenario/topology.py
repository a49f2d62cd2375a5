# SPDX-License-Identifier: GPL-2.0-only
"""Nodes and ends of links, with the dumbbell written out."""

from typing import Final

from penstock.scenario.model import Scenario
from penstock.scenario.types import FLOWS

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
    count = nodes(scenario)[node]
    return flows if isinstance(count, str) else count


def connected(scenario: Scenario, first: str, last: str) -> bool:
    """True if links lead from one node name to the other."""
    seen, todo = {first}, [first]
    while todo:
        here = todo.pop()
        for name in scenario.link:
            pair = ends(scenario, name)
            for other in pair if here in pair else ():
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
    return last in seen


def measured(scenario: Scenario) -> tuple[str, str]:
    """Name and direction of the link whose queue the columns are about."""
    if scenario.measure:
        return scenario.measure.link, scenario.measure.direction
    gateway = next(iter(scenario.gateway.values()))
    return gateway.link, gateway.direction


def queue_bytes(scenario: Scenario, link: str, direction: str) -> int | None:
    """The queue limit of one direction of a link; None: unlimited."""
    spec = scenario.link[link]
    if direction == "back":
        return spec.back.queue if spec.back.queue is not None else spec.queue
    return spec.queue
