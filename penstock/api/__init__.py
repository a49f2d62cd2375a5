# SPDX-License-Identifier: GPL-2.0-only
"""The lab for Python programs and notebooks; `import penstock as ps` gives these names.

>>> import penstock as ps
>>> link = ps.link(rate="10mbit", rtt="60ms", buffer="60kB", size="200kB")
>>> results = ps.run(link, methods=["droptail", "ewt"], flows=4, receivers=65535, seeds=1)
>>> results.frame.select("method", "flows", "seed").rows()
[('droptail', 4, 1), ('ewt', 4, 1)]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from penstock.api.advice import Recommendation, recommend
    from penstock.api.answers import Decision, capacity, explain
    from penstock.api.links import Link, link
    from penstock.api.models import aggressiveness, pftk, sqrt_p, zhang
    from penstock.api.play import run
    from penstock.api.results import Results, load
    from penstock.api.traces import Trace, trace

__all__ = [
    "Decision",
    "Link",
    "Recommendation",
    "Results",
    "Trace",
    "aggressiveness",
    "capacity",
    "explain",
    "link",
    "load",
    "pftk",
    "recommend",
    "run",
    "sqrt_p",
    "trace",
    "zhang",
]

HOMES: Final = {  # the module of each name
    **dict.fromkeys(("Recommendation", "recommend"), "advice"),
    **dict.fromkeys(("Decision", "capacity", "explain"), "answers"),
    **dict.fromkeys(("Link", "link"), "links"),
    **dict.fromkeys(("aggressiveness", "pftk", "sqrt_p", "zhang"), "models"),
    "run": "play",
    **dict.fromkeys(("Results", "load"), "results"),
    **dict.fromkeys(("Trace", "trace"), "traces"),
}


def __getattr__(name: str) -> Any:
    """A name, on demand: a command that needs one module of this room loads that one alone."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
