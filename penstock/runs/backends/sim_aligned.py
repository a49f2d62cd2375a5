# SPDX-License-Identifier: GPL-2.0-only
"""The simulator, its retransmission timer as ns-3's in a fast recovery (docs/agreement.md)."""

from penstock.runs.backends import sim


def backend() -> sim.Simulator:
    """The simulator with that timer."""
    return sim.Simulator(f"{sim.backend().engine} aligned", "impatient")
