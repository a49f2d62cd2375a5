# SPDX-License-Identifier: GPL-2.0-only
"""How many flows more a method serves than others do."""

from penstock.scenario.statements import PaperCapacity
from penstock.view.plots.data import Data


def _flows(data: Data, receivers: str) -> dict[tuple[str, float], int | None]:
    return {
        (served["method"], served["level_percent"]): served["flows"]
        for served in data.served
        if served["receivers"] == receivers
    }


def by_level(data: Data, receivers: str, entry: PaperCapacity) -> dict[float, float]:
    """The gain in flows served at each level, percent, where all sides are known.

    One that serves more than the search went up to may be the best, by an unknown number.
    """
    flows = _flows(data, receivers)
    found = {}
    for level in dict.fromkeys(level for _, level in flows):
        ours = flows.get((entry.method, level))
        rivals = [
            count
            for (method, at), count in flows.items()
            if at == level and method != entry.method and entry.over in ("best", method)
        ]
        known = [count for count in rivals if count is not None]
        best = max(known, default=0) if len(known) == len(rivals) else 0
        if ours is not None and best:
            found[level] = 100.0 * (ours - best) / best
    return found
