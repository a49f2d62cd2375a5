# SPDX-License-Identifier: GPL-2.0-only
"""Penstock: TCP congestion feedback from the gateway, and the laboratory to compare methods."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("penstock")
except PackageNotFoundError:  # run from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["__version__"]
