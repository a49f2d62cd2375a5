# SPDX-License-Identifier: GPL-2.0-only
"""A fuzzy controller's output at each queue and growth, as in nis-2004 Fig. 13.3."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from penstock import _native
from penstock.scenario import params

_Q16: Final = 1 << 16
_MOST_POINTS: Final = 60  # along an axis
_OF_GROWTH: Final = "growth_memberships_"  # state of a law that decides by queue and growth


@dataclass(frozen=True)
class Surface:
    """alpha and the sending window over Q_i (columns) and Q_i - Q_(i-1) (rows), in packets."""

    limit_packets: int
    queues: list[int]
    growths: list[int]
    alphas: list[list[float | None]]
    segments: list[list[float | None]]


def _axis(first: int, last: int) -> list[int]:
    step = max(1, -(-(last - first) // _MOST_POINTS))
    return list(range(first, last + 1, step))


def laws() -> list[str]:
    """The laws that have a surface."""
    return [
        name
        for name, law in params.laws().items()
        if any(state.name.startswith(_OF_GROWTH) for state in law.states)
    ]


def surface(
    law: str, limit_packets: int, packet_bytes: int, own: Mapping[str, int] | None = None
) -> Surface:
    """That of one of them, with these parameters; a growth that no queue can have had is None."""
    control = _native.Control(
        params.PLAIN,
        law,
        limit_bytes=min(limit_packets * packet_bytes, 1 << 40),
        limit_packets=limit_packets,
        params=dict(own or {}),
    )
    queues, growths = _axis(0, limit_packets), _axis(-limit_packets // 3, limit_packets // 3)
    alphas: list[list[float | None]] = []
    segments: list[list[float | None]] = []
    for growth in growths:
        alphas.append([])
        segments.append([])
        for queue in queues:
            before = queue - growth
            if not 0 <= before <= limit_packets:
                alphas[-1].append(None)
                segments[-1].append(None)
                continue
            control.tick(1, 0, before)
            control.tick(2, 0, queue)
            alphas[-1].append(control.state["alpha_q16"] / _Q16)
            segments[-1].append(max(control.state["segments"], 1))
    return Surface(limit_packets, queues, growths, alphas, segments)
