# SPDX-License-Identifier: GPL-2.0-only
"""EWT as ewt-2019 section 4 writes it: equations 9 and 10, acting above S_t only."""


def window(
    wr: float, used: float, memory: float, start: float, mss: float, reserve: float = 0
) -> float:
    """The window W'r that leaves the gateway."""
    available = max(memory - reserve - used, 0)
    if used <= start:
        return wr
    return min(wr, max(available / memory * wr, mss))
