# SPDX-License-Identifier: GPL-2.0-only
"""ns-3, its senders with Penstock's congestion controls (docs/agreement.md)."""

from penstock.runs.backends import ns3


def backend() -> ns3.Ns3:
    """The ns-3 backend with those laws."""
    return ns3.Ns3(f"{ns3.backend().engine} aligned", law="core")
