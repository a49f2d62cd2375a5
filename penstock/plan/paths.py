# SPDX-License-Identifier: GPL-2.0-only
"""The ways of traffic through a network: by the fewest links, ties to the one added first."""

from collections.abc import Sequence
from typing import Final

from penstock.plan.network import Network, Radio, Tcp, Users, Wire, crossing_ns

HEADER_BYTES: Final = 40  # of the smallest packets


class Paths:
    """Ways by their ends, as sim/net/route.h finds them."""

    def __init__(self, network: Network) -> None:
        self._links = network.links
        self._out: list[list[int]] = [[] for _ in network.nodes]
        for index, link in enumerate(network.links):
            self._out[link.src].append(index)
        self._trees: dict[int, dict[int, int]] = {}

    def _tree(self, root: int) -> dict[int, int]:
        """By node: the link that leads to it."""
        found = self._trees.get(root)
        if found is not None:
            return found
        found, frontier = {}, [root]
        while frontier:
            new: list[int] = []
            for node in frontier:
                for link in self._out[node]:
                    end = self._links[link].dst
                    if end != root and end not in found:
                        found[end] = link
                        new.append(end)
            frontier = new
        self._trees[root] = found
        return found

    def way(self, src: int, dst: int) -> list[int]:
        """The links from `src` to `dst`, which there is a path to."""
        first: list[int] = []
        if len(self._out[src]) == 1:  # hosts share the tree of their router
            first = [self._out[src][0]]
            src = self._links[first[0]].dst
        tree, rest = self._tree(src), []
        while dst != src:
            rest.append(tree[dst])
            dst = self._links[rest[-1]].src
        return first + rest[::-1]


def _ends(network: Network) -> list[tuple[int, int]]:
    """Of all TCP, once for each flow and for each pair of hosts that users take."""
    found: list[tuple[int, int]] = []
    for each in network.traffic:
        if isinstance(each, Tcp):
            found.append((each.src, each.dst))
        elif isinstance(each, Users):
            found += each.ends
    return found


def _time_ns(wires: Sequence[Wire | Radio]) -> int | None:
    """Of a smallest packet over all of them; None over a radio."""
    times = [crossing_ns(each, HEADER_BYTES) for each in wires if isinstance(each, Wire)]
    return sum(times) if len(times) == len(wires) else None


def round_trips_ns(network: Network, link: int) -> list[int]:
    """The round trip without queues of each TCP flow whose data crosses a link.

    [] where a receiver moves, or where a way has a radio.
    """
    if network.mobility:
        return []
    paths, found = Paths(network), []
    for src, dst in _ends(network):
        there = paths.way(src, dst)
        if link not in there:
            continue
        ways = [network.links[index] for index in (*there, *paths.way(dst, src))]
        time_ns = _time_ns(ways)
        if time_ns is None:
            return []
        found.append(time_ns)
    return found
