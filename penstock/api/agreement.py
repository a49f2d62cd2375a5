# SPDX-License-Identifier: GPL-2.0-only
"""The same runs in the simulator and in ns-3, and whether they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

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

PLAIN: Final = ("sim", "ns3")
ALIGNED: Final = ("sim-aligned", "ns3-aligned")
_QUICK_SEEDS: Final = 5


@dataclass(frozen=True)
class Agreement:
    """Pairs of means, and the orders of methods that differ, out of `compared`."""

    pairs: Sequence[Pair]
    compared: int
    flips: Sequence[Flip]


def plan(name: str, asked: Wishes, quick: bool, told: Console) -> tuple[Loaded, Plan]:
    """What both run; `quick`: only the first number of flows and five seeds."""
    loaded, made = wishes.plan(name, asked, "ns3", told.say)
    if quick:
        made = replace(made, flows=made.flows[:1], seeds=made.seeds[:_QUICK_SEEDS])
    return loaded, made


def measure(
    loaded: Loaded,
    plan: Plan,
    backends: Sequence[str],
    folder: Path | None,
    workers: int,
    told: Console,
) -> Agreement:
    """Runs a plan on two backends; results go into a folder for each, if one is named."""
    both = []
    for backend in backends:
        with Campaign(backend, workers) as campaign:
            if folder:
                campaign.keep_in(folder / backend, loaded)
            rows = console.execute(loaded.name, plan, campaign, told)
            console.finish(campaign, rows, told)
        both.append(rows)
    ours, theirs = both
    return Agreement(compare.compare(ours, theirs), *orders.compare(ours, theirs))
