# SPDX-License-Identifier: GPL-2.0-only
"""Runs a plan from its first cell to its last, with further seeds as requested."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from penstock.plan.cells import Cell, Plan
from penstock.results import groups
from penstock.results.metrics import Value
from penstock.results.row import Row
from penstock.results.settings import joined
from penstock.runs.campaign import Campaign
from penstock.runs.precision import Precision

Rows = list[Mapping[str, Value]]
Watch = Callable[[int], AbstractContextManager[None]]  # around so many runs
Each = Callable[[Mapping[str, Value], Row], None]  # told of each finished run, in order


def play(
    plan: Plan,
    campaign: Campaign,
    precision: Precision | None = None,
    watch: Watch = lambda _: nullcontext(),
    each: Each | None = None,
) -> Rows:
    """The columns of all cells, in the plan's order; the store, if there is one, has them then."""
    cells = plan.cells()
    rows = _round(campaign, cells, campaign.lost(cells), watch, each)
    while precision and not campaign.failures:
        more = precision.more(plan, cells, rows)
        if not more:
            break
        cells += more
        rows += _round(campaign, more, [], watch, each)
    if not campaign.failures:
        campaign.finish(cells)
    return rows


def _round(
    campaign: Campaign,
    cells: Sequence[Cell],
    lost: Sequence[Cell],
    watch: Watch,
    each: Each | None,
) -> Rows:
    """Runs cells, and those missing in the store; returns the columns of the former.

    `each` is told of all columns, the rest has no percentile of several groups of traffic.
    """
    rows = Rows()
    with watch(len(cells) + len(lost)):
        for number, (cell, row) in enumerate(campaign.run([*cells, *lost])):
            if row is None or number >= len(cells):
                continue
            (apart,) = groups.apart([row])
            rows.append(joined(apart, cell.settings))
            if each:
                each(joined(row.columns, cell.settings), row)
    return rows
