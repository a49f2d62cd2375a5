# SPDX-License-Identifier: GPL-2.0-only
"""Penstock: TCP congestion feedback from the gateway, and the laboratory to compare methods."""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """`__version__` on demand: what finds it takes a tenth of a second to load."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("penstock")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+unknown"
