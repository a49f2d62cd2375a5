# SPDX-License-Identifier: GPL-2.0-only
"""Penstock: TCP congestion feedback from the gateway, and the laboratory to compare methods.

`import penstock as ps` gives what `penstock.api` describes; each name is loaded when it is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.api import Decision as Decision
    from penstock.api import Link as Link
    from penstock.api import Recommendation as Recommendation
    from penstock.api import Results as Results
    from penstock.api import Trace as Trace
    from penstock.api import aggressiveness as aggressiveness
    from penstock.api import capacity as capacity
    from penstock.api import explain as explain
    from penstock.api import link as link
    from penstock.api import load as load
    from penstock.api import pftk as pftk
    from penstock.api import recommend as recommend
    from penstock.api import run as run
    from penstock.api import sqrt_p as sqrt_p
    from penstock.api import trace as trace
    from penstock.api import zhang as zhang

_API = (
    *("Decision", "Link", "Recommendation", "Results", "Trace"),
    *("aggressiveness", "capacity", "explain", "link", "load", "pftk", "recommend", "run"),
    *("sqrt_p", "trace", "zhang"),
)
__all__ = ["__version__", *_API]

__version__: str


def __getattr__(name: str) -> Any:
    """A name of the lab, or `__version__`, on demand: importing them takes up to a second."""
    if name == "__version__":
        from penstock.version import version

        return version()
    if name not in _API:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from penstock import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted(__all__)
