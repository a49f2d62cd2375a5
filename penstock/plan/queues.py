# SPDX-License-Identifier: GPL-2.0-only
"""The queues of a network, by the names that the scenario has for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from penstock.plan.network import Cable, Link, Radio
from penstock.scenario.limits import MOST_QUEUES
from penstock.scenario.model import Scenario

Ways = Mapping[tuple[str, str], Sequence[int]]  # links by the scenario's name and direction


@dataclass(frozen=True)
class Queue:
    """A queue with a limit, in front of the link of that index.

    `number` counts the links of a name, from 1; `gateway` is empty where there is none.
    """

    index: int
    link: str
    direction: str
    number: int
    gateway: str


def _limited(links: Sequence[Link], cables: Sequence[Cable]) -> Iterator[int]:
    """Links with a queue of their own: a station or access point has one, at its first link."""
    shared = {link: number for number, cable in enumerate(cables) for link in cable.links}
    seen = set()
    for index, link in enumerate(links):
        owner = (shared.get(index, len(cables)), link.src)
        if index in shared or isinstance(link, Radio):
            if owner in seen:
                continue
            seen.add(owner)
        if link.queue_bytes or link.queue_packets:
            yield index


def queues(
    scenario: Scenario, links: Sequence[Link], cables: Sequence[Cable], ways: Ways
) -> list[Queue]:
    """The first MOST_QUEUES that have a limit, in the order of the links."""
    gateways = {
        link: name
        for name, gateway in scenario.gateway.items()
        for link in ways[gateway.link, gateway.direction]
    }
    places = {
        link: (name, direction, number)
        for (name, direction), found in ways.items()
        for number, link in enumerate(found, start=1)
    }
    limited = list(_limited(links, cables))[:MOST_QUEUES]
    return [Queue(link, *places[link], gateways.get(link, "")) for link in limited]
