# SPDX-License-Identifier: GPL-2.0-only
"""The row of a run from what its backend counted."""

from penstock.backends import Row
from penstock.plan.build import Built
from penstock.plan.cells import Cell
from penstock.results import flows, groups, metrics


def row(cell: Cell, built: Built, result: metrics.Result, wall_s: float) -> Row:
    """Columns, those of each group and flow, and the series if the cell is sampled."""
    columns = metrics.columns(cell, result, built.measured, wall_s)
    by_group = groups.rows(cell.scenario, result, built.groups)
    sample = cell.scenario.sample
    by_flow = flows.columns(result, built.groups)
    if not (sample and cell.sampled):
        return Row(columns, groups=by_group, flows=by_flow)
    return Row(columns, metrics.series(result, sample.until), by_group, by_flow)
