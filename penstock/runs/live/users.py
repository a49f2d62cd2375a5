# SPDX-License-Identifier: GPL-2.0-only
"""Users of a live run: their transfers, drawn before it from the scenario's distributions.

A page is requested when the one before has arrived and was read, so what is drawn is the pause.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from penstock import _native
from penstock.plan.network import Tcp, Users
from penstock.scenario.distributions import Distribution
from penstock.scenario.model import Traffic

_MOST: Final = 2000  # transfers of a user
_MOST_USERS: Final = 1000  # of a group
_KINDS: Final = 5  # of what is drawn
_FASTEST_BPS: Final = 10**9  # no transfer is faster


@dataclass(frozen=True)
class Transfer:
    """One transfer, `pause_ns` after the one before if it waits for that."""

    tcp: Tcp
    waits: bool
    pause_ns: int


def _draws(given: Distribution, seed: int, stream: int) -> Sequence[float]:
    """Numbers, one for each transfer."""
    made: _native.Distribution = getattr(_native.Distribution, given.name)(*given.values)
    return made.draw(seed, stream, _MOST)


def _pages(traffic: Traffic, seed: int, user: int) -> Iterator[tuple[int, int]]:
    """The pause before each page, and its size."""
    wanted = (
        (traffic.session, 0),
        (traffic.pages, 1),
        (traffic.reading, 0),
        (traffic.objects, 1),
    )
    session, pages, reading, objects = (
        [max(round(value), least) for value in _draws(given, seed, user * _KINDS + kind)]
        for kind, (given, least) in enumerate(wanted)
    )
    sizes = _draws(traffic.size, seed, user * _KINDS + len(wanted))
    left = 0
    for turn in range(min(traffic.transfers or _MOST, _MOST)):
        pause_ns = reading[turn] if left else session[turn]
        left = (left or pages[turn]) - 1
        yield pause_ns, max(round(objects[turn] * sizes[turn]), 1)


def transfers(users: Users, seed: int, group: int, limit_ns: int) -> Iterator[Transfer]:
    """The transfers of a group's users that may begin before the limit, user by user."""
    for index, start_ns in enumerate(users.starts_ns):
        src, dst = users.ends[index % len(users.ends)]
        earliest_ns, waits = start_ns, False
        for pause_ns, size_bytes in _pages(users.source, seed, group * _MOST_USERS + index):
            earliest_ns += pause_ns
            if earliest_ns >= limit_ns:
                break
            tcp = Tcp(src, dst, earliest_ns, size_bytes, users.sender, users.receiver)
            yield Transfer(tcp, waits, pause_ns)
            earliest_ns += size_bytes * 8 * 10**9 // _FASTEST_BPS
            waits = True
        else:
            if not users.source.transfers:
                raise ValueError(f"{users.name!r}: a user may have more than {_MOST} transfers")
