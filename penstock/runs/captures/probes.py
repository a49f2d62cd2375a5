# SPDX-License-Identifier: GPL-2.0-only
"""Tells which of the datagrams that were sent arrived: in captures they carry no number.

Those of a flow arrive in their order, so that only losses leave it open which one arrived. Where
all packets keep their order, the segments of TCP around a datagram tell.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Final

PROBE: Final = None  # in an order of packets: a datagram; anything else marks a segment

Order = Sequence[Hashable | None]


def _places(sent: Order) -> dict[Hashable, int]:
    """How many datagrams were sent before a segment, of those that are like no other."""
    often = Counter(mark for mark in sent if mark is not PROBE)
    found: dict[Hashable, int] = {}
    before = 0
    for mark in sent:
        if mark is PROBE:
            before += 1
        elif often[mark] == 1:
            found[mark] = before
    return found


def _earliest(arrived: Order, places: dict[Hashable, int]) -> list[int]:
    """The least number that each datagram can have."""
    found: list[int] = []
    least = 0
    for mark in arrived:
        if mark is PROBE:
            found.append(least)
            least += 1
        else:
            least = max(least, places.get(mark, 0))
    return found


def _latest(arrived: Order, places: dict[Hashable, int], lost: int) -> list[int]:
    """The greatest number that each can have, if `lost` are missing in all."""
    number = sum(1 for mark in arrived if mark is PROBE)
    found: list[int] = []
    most = number + lost
    for mark in reversed(arrived):
        if mark is PROBE:
            number -= 1
            most = min(most - 1, number + lost)
            found.append(most)
        else:
            most = min(most, places.get(mark, most))
    return found[::-1]


def identified(sent: Order, arrived: Order, lost: int) -> list[int | None]:
    """By arrived datagram, its number among those sent; None where it can be one of several."""
    places = _places(sent)
    bounds = zip(_earliest(arrived, places), _latest(arrived, places, lost), strict=True)
    return [first if first == last else None for first, last in bounds]
