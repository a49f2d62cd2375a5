# SPDX-License-Identifier: GPL-2.0-only
"""The live backend over IPv6; the MTU grows with the header, so that segments stay."""

from penstock.runs.backends import live


def backend() -> live.Live:
    """The live backend over IPv6."""
    return live.backend(6)
