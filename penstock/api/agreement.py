# SPDX-License-Identifier: GPL-2.0-only
"""The same runs in the simulator and in ns-3, and whether they agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penstock.results.agree import compare, orders
from penstock.runs import console, wishes
from penstock.runs.campaign import Campaign
from penstock.runs.console import Console

if TYPE_CHECKING:
    from penstock.plan.cells import Plan
    from penstock.results.agree.orders import Flip
    from penstock.results.differences import Pair
    from penstock.runs.wishes import Wishes
    from penstock.scenario.read import Loaded

SCENARIOS: Final = ("ewt-2019/scenario-1", "ewt-2019/scenario-2")
_PLAIN: Final = ("sim", "ns3")
_ALIGNED: Final = ("sim-aligned", "ns3-aligned")
_QUICK_SEEDS: Final = 5


@dataclass(frozen=True)
class Agreement:
    """Of a scenario: pairs of means, and the orders of methods that differ, out of `compared`."""

    scenario: str
    seeds: int
    pairs: Sequence[Pair]
    compared: int
    flips: Sequence[Flip]

    def describe(self) -> Iterator[dict[str, Any]]:
        """A JSON object for each pair and each order."""
        for each in self.pairs:
            yield {"scenario": self.scenario, **compare.describe(each)}
        for flip in self.flips:
            yield {"scenario": self.scenario, **flip.describe()}


@dataclass(frozen=True)
class Extent:
    """What is compared, and where results are kept, if anywhere.

    `quick`: only the first number of flows and five seeds. `aligned`: without what is known to
    make the two differ.
    """

    wishes: Wishes
    quick: bool = False
    aligned: bool = False
    output: Path | None = None
    workers: int = 1


def plan(name: str, extent: Extent, told: Console) -> tuple[Loaded, Plan]:
    """What both run; `quick`: only the first number of flows and five seeds."""
    loaded, made = wishes.plan(name, extent.wishes, "ns3", told.say)
    if extent.quick:
        made = replace(made, flows=made.flows[:1], seeds=made.seeds[:_QUICK_SEEDS])
    return loaded, made


def _measure(name: str, loaded: Loaded, made: Plan, extent: Extent, told: Console) -> Agreement:
    """Runs a plan on both backends."""
    both = []
    for backend in _ALIGNED if extent.aligned else _PLAIN:
        with Campaign(backend, extent.workers) as campaign:
            if extent.output:
                campaign.keep_in(extent.output / name.replace("/", "-") / backend, loaded)
            rows = console.execute(loaded.name, made, campaign, told)
            console.finish(campaign, rows, told)
        both.append(rows)
    ours, theirs = both
    pairs, orders_found = compare.compare(ours, theirs), orders.compare(ours, theirs)
    return Agreement(name, len(made.seeds), pairs, *orders_found)


def measure(names: Sequence[str], extent: Extent, told: Console) -> Iterator[Agreement]:
    """Runs scenarios, by default SCENARIOS, one after the other; all are planned first."""
    plans = [(name, *plan(name, extent, told)) for name in names or SCENARIOS]
    for name, loaded, made in plans:
        yield _measure(name, loaded, made, extent, told)


def verdicts(found: Iterable[Agreement]) -> dict[str, int]:
    """How many pairs of all scenarios have each verdict."""
    told = [compare.verdict(pair) for each in found for pair in each.pairs]
    return {verdict: told.count(verdict) for verdict in compare.VERDICTS}
