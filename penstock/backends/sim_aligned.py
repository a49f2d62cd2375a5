# SPDX-License-Identifier: GPL-2.0-only
"""The simulator, its retransmission timer as ns-3's in a fast recovery (docs/agreement.md)."""

from typing import Any

from penstock import _native
from penstock.backends import sim


class _Network(_native.Network):
    """A network whose senders have the timer of ns-3 3.44."""

    def tcp(self, *ends: int, sender: dict[str, Any], **fields: Any) -> int:
        """As _native.Network.tcp."""
        return super().tcp(*ends, sender={**sender, "recovery_timer": "impatient"}, **fields)

    def traffic(self, name: str, *, sender: dict[str, Any], **fields: Any) -> int:
        """As _native.Network.traffic."""
        timer = {**sender, "recovery_timer": "impatient"}
        return super().traffic(name, sender=timer, **fields)


def backend() -> sim.Simulator:
    """The simulator with that timer."""
    return sim.Simulator(f"{sim.backend().engine} aligned", _Network)
