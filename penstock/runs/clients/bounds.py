# SPDX-License-Identifier: GPL-2.0-only
"""What a run of live/real must keep (`--check`), and the same as text (docs/live.md shows it)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from penstock.runs.clients.cases import CASES
from penstock.runs.clients.run import Outcome

METHOD: Final = "penstock"
_MBPS: Final = 1e6


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Most drops and timeouts, and least goodput of clients, in parts of the link's rate.

    `even` is the least part that the slowest of all clients has of the fastest one's goodput.
    """

    drops: int
    timeouts: int | None = None
    least: Mapping[str, float]
    even: float = 0.0

    def text(self) -> str:
        """'drops ≤ 20, tcp ≥ 55 %'."""
        parts = [f"drops ≤ {self.drops}"]
        if self.timeouts is not None:
            parts.append(f"timeouts ≤ {self.timeouts}")
        parts += [f"{name} ≥ {part:.0%}".replace("%", " %") for name, part in self.least.items()]
        if self.even:
            parts.append(f"slowest ≥ {self.even:.0%} of the fastest".replace("%", " %"))
        return ", ".join(parts)

    def broken(self, found: Outcome) -> Iterator[str]:
        """What the run has not kept."""
        rate_mbps = CASES[found.case].rate_bps / _MBPS
        if found.drops > self.drops:
            yield f"{found.drops} drops"
        if self.timeouts is not None and found.timeouts > self.timeouts:
            yield f"{found.timeouts} timeouts"
        for name, part in self.least.items():
            if found.rates[name].mbps < part * rate_mbps:
                yield f"{name} has {found.rates[name].mbps:.2f} Mbit/s"
        rates = [each.mbps for each in found.rates.values()]
        if min(rates, default=0.0) < self.even * max(rates, default=0.0):
            yield "the clients' rates differ"


# The values measured with METHOD, and a margin for a busy machine.
BOUNDS: Final[Mapping[str, Bounds]] = {
    "quic": Bounds(drops=100, least={"tcp": 0.55}),
    "quiet": Bounds(drops=20, timeouts=0, least={"bulk": 0.88}),
    "echo": Bounds(drops=20, timeouts=0, least={"bulk": 0.88}),
    "two-rtts": Bounds(drops=40, timeouts=0, least={"near": 0.4, "far": 0.4}, even=0.8),
    "downloads": Bounds(drops=200, timeouts=10, least={"downloads": 0.8}),
    "pages": Bounds(drops=400, timeouts=80, least={"bulk": 0.65}),
    "both-ways": Bounds(drops=20, timeouts=0, least={"down": 0.75, "up": 0.75}),
    "told-half": Bounds(drops=20, timeouts=0, least={"bulk": 0.88}),
    "told-double": Bounds(drops=20, timeouts=0, least={"bulk": 0.88}),
}


def broken(found: Outcome) -> list[str]:
    """Why a run is not as it must be; nothing for those without bounds."""
    bounds = BOUNDS.get(found.case) if found.method == METHOD else None
    return list(bounds.broken(found)) if bounds else []
