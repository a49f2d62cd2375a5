# SPDX-License-Identifier: GPL-2.0-only
"""The lab for Python programs and notebooks; `import penstock as ps` gives these names.

>>> import penstock as ps
>>> link = ps.link(rate="10mbit", rtt="60ms", buffer="60kB", size="200kB")
>>> results = ps.run(link, methods=["droptail", "ewt"], flows=4, receivers=65535, seeds=1)
>>> results.frame.select("method", "flows", "seed").rows()
[('droptail', 4, 1), ('ewt', 4, 1)]
"""

from penstock.api.answers import Decision, capacity, explain
from penstock.api.links import Link, link
from penstock.api.play import run
from penstock.api.results import Results, load

__all__ = ["Decision", "Link", "Results", "capacity", "explain", "link", "load", "run"]
