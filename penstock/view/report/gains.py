# SPDX-License-Identifier: GPL-2.0-only
"""How many flows more a method serves than others do."""

from collections.abc import Iterable

from penstock.results.entries import AGREES, DIFFERS
from penstock.results.judge import Judged, Stated
from penstock.results.stats import Mean
from penstock.scenario.statements import PaperCapacity
from penstock.view.plots.data import Data


def _flows(data: Data, receivers: str) -> dict[tuple[str, float], int | None]:
    return {
        (served["method"], served["level_percent"]): served["flows"]
        for served in data.served
        if served["receivers"] == receivers
    }


def by_level(data: Data, receivers: str, entry: PaperCapacity) -> dict[float, Mean]:
    """The gain in flows served at each level, percent, where all sides are known.

    Its interval is that of whole flows: half of one on both sides. One that serves more than the
    search went up to may be the best, by an unknown number.
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
            half = 50.0 / best * (1 + ours / best)
            found[level] = Mean(100.0 * (ours - best) / best, half, len(known))
    return found


def mean(every: Iterable[Mean]) -> Mean:
    """That of several levels."""
    found = list(every)
    halves = sum(each.half or 0.0 for each in found)
    return Mean(sum(each.mean for each in found) / len(found), halves / len(found), len(found))


def judged(ours: Mean, paper_percent: float) -> Judged:
    """A gain and the paper's, which has a decimal."""
    digit = 0.05
    off = ours.mean - paper_percent
    by, holds = f"{off:+.0f} points", Stated(paper_percent, digit).meets(ours)
    return Judged(AGREES if holds else DIFFERS, None, "" if holds else by)


def leads(every: Iterable[Mean]) -> Judged:
    """Whether the method serves more flows than the others at each level."""
    least = min(each.mean for each in every)
    return Judged(AGREES) if least > 0 else Judged(DIFFERS, None, f"{least:+.0f} %")
