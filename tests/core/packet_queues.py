# SPDX-License-Identifier: GPL-2.0-only
"""Laws over a queue that is limited in packets, as the simulations of nis-2004 have it."""

from penstock import _native

PACKET_BYTES = 1500


def law_over(law: str, limit: int, mss: int = 1460, **params: int) -> _native.Control:
    """The law over a drop-tail queue of `limit` packets."""
    return _native.Control(
        "droptail",
        law,
        limit_bytes=min(limit * PACKET_BYTES, 1 << 40),
        limit_packets=limit,
        mss_bytes=mss,
        params=params,
    )
